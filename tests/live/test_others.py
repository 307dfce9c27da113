"""Batch mates, decay and the data-flow map."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from course_build.value import format_number
from experiments import decay
from tests.live.reading import Open, drag, query, reading


def test_batch_mates(show: Open) -> None:
    """Choosing a sentence keeps its rows and says what changed; the two tables do not share a state."""
    page = show()
    first, second = page.locator("batch-mates").first, page.locator("batch-mates").last
    rows = "tbody tr:not([hidden])"
    expect(first.locator(rows)).to_have_count(6)
    first.get_by_label("服务器又宕机了").check()
    expect(first.locator(rows)).to_have_count(4)
    expect(second.locator(rows)).to_have_count(6)
    expect(first.locator(".live-reading")).to_contain_text("同批换成「服务器又宕机了」：BatchNorm 后的「苹果」变成 [")
    query(page, "mates", "b")
    second.get_by_label("今天天气很好").focus()
    page.keyboard.press("Space")
    expect(second.locator(".live-reading")).to_contain_text("RMSNorm 后的「苹果」没变，LayerNorm 后的「苹果」没变")
    query(page, "mates-both", "a")
    first.get_by_label("都看").check()
    expect(first.locator(rows)).to_have_count(6)
    query(page, "mates", None)


@pytest.mark.parametrize(("gain", "steps"), [(2.75, 20000), (0, 100), (1, 5000), (1.5, 0)])
def test_decay(show: Open, gain: float, steps: int) -> None:
    """The sliders give Python's exact powers."""
    page = show()
    drag(page.get_by_label("训练把增益推到"), gain)
    drag(page.get_by_label("之后只衰减的步数"), steps)
    line = reading(page, "decay-chart")
    ends = [f(gain, steps, 3e-3, 0.1) for f in (decay.stored_gain, decay.zero_centered_gain)]
    stored, centered = (format_number(end, ".3f") for end in ends)
    expect(line).to_contain_text(f"{format_number(steps)} 步之后，标准写法的增益是 {stored}，零中心写法是 {centered}。")
    query(page, "decay", f"{gain:g}_{steps}")
    page.locator("decay-chart").get_by_role("button", name="重置").click()
    expect(line).to_contain_text("5,000 步之后，标准写法的增益是 0.335，零中心写法是 1.112。")
    query(page, "decay", None)


def test_data_flow(show: Open) -> None:
    """A stage opens by click and by key, one at a time; Escape closes; the address keeps it."""
    page = show()
    open_stages = page.locator("data-flow details[open]")
    page.locator("data-flow summary", has_text="嵌入").click()
    expect(open_stages).to_contain_text("248,320")
    page.locator("data-flow summary", has_text="注意力").focus()
    page.keyboard.press("Enter")
    expect(open_stages).to_have_count(1)
    expect(open_stages).to_contain_text("48 层是 Gated DeltaNet")
    query(page, "flow", "attention")
    page.keyboard.press("Escape")
    expect(open_stages).to_have_count(0)
    query(page, "flow", None)
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    expect(show("?flow=ffn").locator("data-flow details[open]")).to_contain_text("17,408")
