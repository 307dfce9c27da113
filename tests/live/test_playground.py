"""The playground: what changed is said, undone, copied; what is no number is explained."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.live.reading import Open, last_row, press, query, reading


def test_log_marks_what_changed_and_ticks_the_tasks(show: Open) -> None:
    """×3 leaves both alone, +2 only LayerNorm, an edit both change; each ticks its task."""
    page = show()
    done = page.locator("norm-lab li.is-done")
    press(page, "整体 ×3")
    expect(last_row(page).locator(".is-same")).to_have_count(2)
    expect(last_row(page)).to_contain_text("[3, 6, 9, 18]")
    expect(done).to_have_count(1)
    press(page, "整体 +2")
    expect(last_row(page).locator("td").nth(2).locator(".is-same")).to_have_count(1)
    expect(last_row(page).locator("td").nth(3).locator(".is-changed")).to_have_count(1)
    expect(done).to_have_count(2)
    field = page.get_by_label("x 的第 2 维")
    field.fill("-7.5")
    field.press("Enter")
    expect(last_row(page)).to_contain_text("第 2 维改成 −7.5")
    expect(done).to_have_count(3)
    expect(reading(page, "norm-lab")).to_contain_text("RMSNorm 输出的长度是 2.000（√4）")


def test_published_outputs(show: Open) -> None:
    """+2 on [1, 2, 3, 6] gives the worked example of the text."""
    page = show()
    press(page, "整体 +2")
    expect(last_row(page)).to_contain_text("[0.562, 0.749, 0.937, 1.499]")
    expect(last_row(page)).to_contain_text("[−1.069, −0.535, 0, 1.604]")


def test_undo_clear_reset(show: Open) -> None:
    """Undo takes one step back, clear keeps the vector, reset brings the start back; the address follows."""
    page = show()
    undo = page.get_by_role("button", name="撤销")
    expect(undo).to_be_disabled()
    press(page, "整体 ×3")
    press(page, "取负")
    query(page, "lab", "-3_-6_-9_-18")
    undo.click()
    query(page, "lab", "3_6_9_18")
    press(page, "清空记录")
    expect(page.locator("norm-lab tbody tr")).to_have_count(1)
    expect(last_row(page)).to_contain_text("[3, 6, 9, 18]")
    press(page, "重置")
    query(page, "lab", None)
    expect(page.locator("norm-lab li.is-done")).to_have_count(0)


def test_copy(show: Open) -> None:
    """The log is copied as text with tabs."""
    page = show(permissions=["clipboard-read", "clipboard-write"])
    press(page, "整体 ×3")
    press(page, "复制记录")
    expect(page.get_by_role("button", name="已复制")).to_be_visible()
    if page.evaluate("isSecureContext"):
        assert "整体 ×3\t[3, 6, 9, 18]" in page.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize(
    ("text", "why"), [("abc", "不是数"), ("", "空着"), ("1e999", "超出双精度"), ("1,5", "不是数"), ("NaN", "不是数")]
)
def test_no_number_is_explained(show: Open, text: str, why: str) -> None:
    """What is no number is named, marked, and leaves the vector as it was."""
    page = show()
    field = page.get_by_label("x 的第 1 维")
    field.fill(text)
    field.blur()
    expect(page.locator("norm-lab .live-error")).to_contain_text(why)
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator("norm-lab tbody tr")).to_have_count(1)
    press(page, "整体 +2")
    expect(field).to_have_value("3")
    expect(field).to_have_attribute("aria-invalid", "false")


@pytest.mark.parametrize(
    ("text", "value"), [("１２", "12"), ("−3", "-3"), (" 4 ", "4"), ("1e20", "100000000000000000000"), ("-0", "0")]
)
def test_numbers_as_people_write_them(show: Open, text: str, value: str) -> None:
    """Full-width digits, the real minus sign and powers of ten are numbers; minus zero is zero."""
    page = show()
    field = page.get_by_label("x 的第 1 维")
    field.fill(text)
    field.press("Enter")
    expect(field).to_have_value(value)


def test_zero_huge_and_tiny(show: Open) -> None:
    """A zero vector, a constant one, and sizes at the ends of the doubles are explained, and nothing is NaN."""
    page = show("?lab=1e308_-1e308_0_1")
    expect(last_row(page)).to_contain_text("[1.414, −1.414, 0.000, 0.000]")
    expect(reading(page, "norm-lab")).to_contain_text("输入大到这个地步")
    press(page, "整体 ×3")
    expect(page.locator("norm-lab .live-error")).to_contain_text("超出双精度")
    press(page, "全部归零")
    expect(reading(page, "norm-lab")).to_contain_text("0 ÷ 0 没有意义")
    expect(last_row(page)).to_contain_text("—")
    press(page, "整体 +2")
    expect(reading(page, "norm-lab")).to_contain_text("各维相等")
    for _ in range(340):
        page.evaluate("document.querySelectorAll('norm-lab button')[3].click()")
    expect(reading(page, "norm-lab")).to_contain_text("整行是 0")
    assert "NaN" not in page.locator("norm-lab").inner_text()
