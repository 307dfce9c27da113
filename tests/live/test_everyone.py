"""For everyone: without JavaScript, from disk, on paper, by screen reader, on a phone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from experiments.residual import Setting
from tests import livepages
from tests.live.reading import BLOCKS, LINKS, Open, drag, expect_simulator, press, reading


def test_without_javascript(show: Open) -> None:
    """Everything that Python knows is there: pictures, readings, tables, states; no dead control."""
    page = show(java_script_enabled=False)
    expect(page.locator(".live input, .live button, .live select")).to_have_count(0)
    expect(reading(page, "residual-sim")).to_contain_text("梯度比 3.5，残差流 RMS 4.3。")
    expect(page.locator("residual-sim .live-state")).to_be_visible()
    expect(page.locator("residual-sim .plot")).to_have_count(2)
    page.locator("residual-sim summary").click()
    expect(page.locator("residual-sim details td").first).to_contain_text("20.4")
    expect(page.locator("norm-lab tbody tr")).to_have_count(3)
    page.locator("data-flow summary", has_text="FFN").click()
    expect(page.locator("data-flow details[open]")).to_contain_text("17,408")


def test_from_disk(browser: Browser, tmp_path: Path) -> None:
    """From file:// the components live as well."""
    (tmp_path / "page.html").write_text(livepages.page(BLOCKS, LINKS), encoding="utf-8")
    page = browser.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    page.goto((tmp_path / "page.html").as_uri() + "?sim=64_1_7_r")
    expect_simulator(page, Setting(n=64, residual=True))
    page.get_by_role("link", name="都加").click()
    expect_simulator(page, Setting(residual=True, norm=True, scale=True))
    page.locator("norm-lab").get_by_role("button", name="复制记录").click()
    expect(page.locator("norm-lab").get_by_role("button", name=re.compile("已复制|浏览器不让复制"))).to_be_visible()
    page.close()
    assert faults == []


def test_print_states_the_state(show: Open) -> None:
    """On paper the controls are gone, the state is said, folds are open."""
    page = show("?sim=64_1.5_7_r&decay=2_300")
    expect(page.locator("residual-sim .live-state")).not_to_be_in_viewport()
    page.emulate_media(media="print")
    expect(page.locator("residual-sim .live-state")).to_contain_text(
        "N = 64，初始化尺度 1.50，种子 7；残差开，RMSNorm关，写回缩放关。"
    )
    assert page.locator("residual-sim .live-state").bounding_box()["height"] > 10  # type: ignore[index]
    expect(page.locator("decay-chart .live-state")).to_contain_text("推到 2.00，之后只衰减 300 步")
    expect(page.locator("residual-sim .live-controls").first).to_be_hidden()
    expect(page.locator("data-flow details:not([open])")).to_have_count(0)
    expect(page.locator("residual-sim details").last.locator("tbody tr")).to_have_count(65)


@pytest.mark.parametrize("width", [375, 1000])
@pytest.mark.parametrize("scheme", ["default", "slate"])
def test_no_violation_of_accessibility(show: Open, width: int, scheme: str) -> None:
    """Axe finds nothing, in light and dark, on desk and phone, also after use; nothing is wider than the phone."""
    from axe_playwright_python.sync_playwright import Axe

    page = show("?sim=64_1.5_7_r", viewport={"width": width, "height": 800})
    page.evaluate("(s) => document.body.setAttribute('data-md-color-scheme', s)", scheme)
    press(page, "整体 ×3")
    press(page, "整体 +2")
    page.get_by_label("x 的第 1 维").fill("abc")
    page.get_by_label("x 的第 1 维").blur()
    page.locator("residual-sim summary", has_text="逐层的数").click()
    page.locator("data-flow summary", has_text="FFN").click()
    found = Axe().run(page, options={"resultTypes": ["violations"]})
    assert [(v["id"], [n["html"][:120] for n in v["nodes"]]) for v in found.response["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_targets_are_large_enough(show: Open) -> None:
    """Every control is at least 24 px high and wide, on a phone too."""
    page = show(viewport={"width": 375, "height": 800}, has_touch=True)
    small = page.locator(".live :is(button, summary, input[type=range], input[type=text], select, label)").evaluate_all(
        """(all) => all.map((e) => [e.textContent || e.ariaLabel, e.getBoundingClientRect()])
                       .filter(([, r]) => r.height < 24 || r.width < 24)
                       .map(([text, r]) => [text, r.width, r.height])"""
    )
    assert small == []


def test_readings_are_live_regions(show: Open) -> None:
    """Each component's reading announces itself; each slider says its value with text."""
    page = show()
    expect(page.locator(".live-reading[role=status]")).to_have_count(5)
    drag(page.get_by_label("初始化尺度"), 1.5)
    expect(page.get_by_label("初始化尺度")).to_have_attribute("aria-valuetext", "1.50")


def test_leaving_and_coming_back(show: Open) -> None:
    """Taken off the page and put back, an element is still one element and still works."""
    page = show()
    page.evaluate(
        """() => {
             const sim = document.querySelector("residual-sim"), place = sim.parentElement;
             sim.remove();
             place.append(sim);
           }"""
    )
    expect(page.locator("residual-sim .sim-scenarios")).to_have_count(1)
    page.get_by_role("button", name="只有残差").click()
    expect_simulator(page, Setting(residual=True))


def test_broken_state_leaves_the_fallback(show: Open) -> None:
    """An element whose state cannot be read stays as Python rendered it, and says so in the console only."""
    page = show()
    page.evaluate(
        """() => {
             console.error = () => {};
             const copy = document.createElement("div");
             copy.innerHTML = '<decay-chart class="live" data-state="{"><p class="live-reading">原样</p></decay-chart>';
             document.body.append(copy);
           }"""
    )
    expect(page.locator("decay-chart").last).to_have_text("原样")
