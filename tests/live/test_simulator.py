"""The residual simulator: Python's numbers by mouse, keyboard, link and address, within a frame."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from course_build.value import format_number
from experiments.residual import Setting, simulate
from tests.live.reading import FRAME, Open, drag, expect_simulator, query, reading


def test_default_is_pythons(show: Open) -> None:
    """Untouched, the simulator shows Python's rendering: numbers are ledger links, picture and reading unchanged."""
    page = show()
    expect(reading(page, "residual-sim").locator("a.num")).to_have_count(14)
    expect_simulator(page, Setting(residual=True, norm=True))
    before = page.locator("residual-sim .live-picture").inner_html()
    page.get_by_role("button", name="什么都不加").click()
    assert before != page.locator("residual-sim .live-picture").inner_html()
    page.locator("residual-sim").get_by_role("button", name="重置").click()
    assert before == page.locator("residual-sim .live-picture").inner_html()


def test_browser_draws_the_default_as_python_did(show: Open) -> None:
    """Drawn live, the default state is the very markup that Python wrote."""
    page = show()
    before = page.locator("residual-sim .live-picture").inner_html()
    page.evaluate("document.querySelector('residual-sim').draw()")
    assert before == page.locator("residual-sim .live-picture").inner_html()
    before = page.locator("decay-chart .live-picture").inner_html()
    drawn = page.evaluate("(([e]) => e.draw(1.5, 5000)[0])([document.querySelector('decay-chart')])")
    assert before == page.evaluate(
        "(html) => { const t = document.createElement('div'); t.innerHTML = html; return t.innerHTML; }", drawn
    )


@pytest.mark.parametrize(
    ("name", "boxes"),
    [("只有残差", (True, False, False)), ("再加写回缩放", (True, True, True)), ("什么都不加", (False, False, False))],
)
def test_scenario_buttons(show: Open, name: str, boxes: tuple[bool, bool, bool]) -> None:
    """A scenario's button sets the boxes and shows the lesson's readings."""
    page = show()
    button = page.get_by_role("button", name=name, exact=True)
    button.click()
    expect_simulator(page, Setting(residual=boxes[0], norm=boxes[1], scale=boxes[2]))
    expect(button).to_have_attribute("aria-pressed", "true")
    assert boxes == tuple(
        page.locator("residual-sim input[type=checkbox]").evaluate_all("(all) => all.map((e) => e.checked)")
    )


def test_links_in_the_text_set_it(show: Open) -> None:
    """A scenario link works by mouse and by Enter, without loading the page again, and leaves a sharable address."""
    page = show()
    page.evaluate("window.stayed = true")
    page.get_by_role("link", name="只有残差").click()
    expect_simulator(page, Setting(residual=True))
    query(page, "sim", "32_1_7_r")
    page.get_by_role("link", name="都加").focus()
    page.keyboard.press("Enter")
    expect_simulator(page, Setting(residual=True, norm=True, scale=True))
    page.evaluate("for (const link of document.links) link.href = link.href")  # as instant navigation does
    page.get_by_role("link", name="衰减").click()
    expect(reading(page, "decay-chart")).to_contain_text("100 步之后")
    query(page, "sim", "32_1_7_rns")
    assert page.evaluate("window.stayed")


def test_controls_by_keyboard(show: Open) -> None:
    """Arrow keys move the sliders, Space ticks a box, Enter takes a seed."""
    page = show()
    page.get_by_label("子层数 N").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_label("初始化尺度").focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_label("写回乘").focus()
    page.keyboard.press("Space")
    page.get_by_label("种子", exact=True).fill("12")
    page.keyboard.press("Enter")
    expect_simulator(page, Setting(n=33, gain=0.95, seed=12, residual=True, norm=True, scale=True))
    query(page, "sim", "33_0.95_12_rns")
    page.get_by_role("button", name="下一个种子").press("Enter")
    expect_simulator(page, Setting(n=33, gain=0.95, seed=13, residual=True, norm=True, scale=True))


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("128_3_7_r", Setting(n=128, gain=3.0, seed=7, residual=True)),
        ("1_0.25_0_0", Setting(n=1, gain=0.25, seed=0)),
        ("128_3_4294967295_rn", Setting(n=128, gain=3.0, seed=4294967295, residual=True, norm=True)),
        ("128_0.25_7_s", Setting(n=128, gain=0.25, scale=True)),
        ("64_1.5_7_ns", Setting(n=64, gain=1.5, norm=True, scale=True)),
    ],
)
def test_address_sets_it(show: Open, text: str, setting: Setting) -> None:
    """A shared address brings the state back, at the extremes too."""
    page = show(f"?sim={text}")
    expect_simulator(page, setting)
    if setting.scale and not setting.residual:
        expect(reading(page, "residual-sim")).to_contain_text("只有配着残差才有意义")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "0_1_7_r",
        "129_1_7_r",
        "32_9_7_r",
        "32_1_99999999999_r",
        "32_1_7_q",
        "32__7_r",
        "32_1.1.1_7_r",
        "%00",
        "[object Object]",
    ],
)
def test_nonsense_in_the_address_is_ignored(show: Open, text: str) -> None:
    """What is no state leaves the default."""
    expect_simulator(
        show(f"?sim={text}&lab={text}&decay={text}&flow={text}&mates={text}"), Setting(residual=True, norm=True)
    )


@pytest.mark.parametrize("text", ["abc", "-1", "4294967296", "", "1.5", "1e3", "７７"])
def test_seed_is_explained(show: Open, text: str) -> None:
    """A seed that is none is named and the last one kept; full-width digits are digits."""
    page = show()
    field = page.get_by_label("种子", exact=True)
    field.fill(text)
    field.press("Enter")
    error = page.locator("residual-sim .live-error")
    if text == "７７":
        expect_simulator(page, Setting(seed=77, residual=True, norm=True))
        expect(error).to_be_empty()
        return
    if text == "":
        field.blur()
    expect(error).to_contain_text(f"种子「{text}」不能用：要 0 到 4,294,967,295 的整数。先沿用 7。")
    expect(field).to_have_attribute("aria-invalid", "true")
    page.get_by_label("写回乘").check()
    expect_simulator(page, Setting(residual=True, norm=True, scale=True))


def test_recorded_band_only_where_it_was_recorded(show: Open) -> None:
    """The seed band and its sentence appear at the recorded depth and gain only."""
    page = show()
    band, line = page.locator("residual-sim path.plot-band"), reading(page, "residual-sim")
    expect(band).to_have_count(2)
    page.get_by_role("button", name="只有残差").click()
    expect(band).to_have_count(2)
    expect(line).to_contain_text(re.compile(r"在记录的 40 个种子里，种子 7 的梯度比高过 \d+% 的种子"))
    page.get_by_role("button", name="下一个种子").click()
    expect(line).to_contain_text("记录的 40 个种子：梯度比的中位数")
    drag(page.get_by_label("子层数 N"), 33)
    expect(band).to_have_count(0)
    expect(line).not_to_contain_text("记录的")


def test_layers_in_a_table(show: Open) -> None:
    """The fold of numbers follows the state while it is open."""
    page = show()
    page.locator("residual-sim summary", has_text="逐层的数").click()
    rows = page.locator("residual-sim details").last.locator("tbody tr")
    expect(rows).to_have_count(33)
    drag(page.get_by_label("子层数 N"), 2)
    expect(rows).to_have_count(3)
    found = simulate(Setting(n=2, residual=True, norm=True))
    expect(rows.nth(2)).to_contain_text(format_number(found.rms_curve[2], ".4g"))
    expect(rows.nth(1)).to_contain_text(format_number(found.gradient_curve[1], ".4g"))


def test_a_change_is_drawn_within_a_frame(show: Open) -> None:
    """With weights there, computing and drawing N = 128 takes less than 16 ms of script (median of many)."""
    page = show("?sim=128_1_7_rn")
    expect_simulator(page, Setting(n=128, residual=True, norm=True))
    times = page.evaluate(
        """() => {
             const sim = document.querySelector("residual-sim");
             const times = [];
             for (let i = 0; i < 60; i++) {
               const start = performance.now();
               sim.go({ gain: i % 2 ? 1 : 1.05, boxes: i % 4 < 2 ? "rn" : "r" });
               sim.offsetHeight;
               times.push(performance.now() - start);
             }
             return times.slice(20).sort((a, b) => a - b);
           }"""
    )
    assert times[len(times) // 2] < FRAME


def test_weights_are_drawn_once(show: Open) -> None:
    """Depth, gain and boxes never draw weights again; a new seed does, once."""
    page = show("?sim=128_1_7_rn")
    counts = page.evaluate(
        """() => {
             const z = course.residual.draw(7), sim = document.querySelector("residual-sim");
             sim.go({ n: 5, gain: 3, boxes: "0" });
             const same = course.residual.draw(7) === z;
             sim.go({ seed: 8 });
             return [same, course.residual.draw(8) === course.residual.draw(8)];
           }"""
    )
    assert counts == [True, True]
