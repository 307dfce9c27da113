"""Search: numbers however they are typed, no zero-width characters in what is shown, by keyboard and from the disk."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Reader, Site

FIELD = ".md-search__input"
FOUND = ".md-search-result mark"


def search(page: Page, text: str) -> None:
    """Type into the search field; Material listens to keys, so one is pressed."""
    page.evaluate("document.getElementById('__search').checked || document.getElementById('__search').click()")
    page.fill(FIELD, text)
    page.keyboard.press("Shift")


@pytest.mark.parametrize(("typed", "shown"), [("660480", "660,480"), ("-1.069", "−1.069"), ("残差流", "残差")])
def test_a_number_is_found_however_it_is_typed(reader: Reader, demo: Site, typed: str, shown: str) -> None:
    """Without its thousands separators, with ASCII minus: the text's form is found and marked."""
    page = reader.open(demo)
    search(page, typed)
    expect(page.locator(FOUND).first).to_contain_text(shown)
    expect(page.locator(FIELD)).to_have_js_property("value", page.evaluate("typed => course.asSet(typed)", typed))


def test_only_numbers_are_rewritten(reader: Reader, demo: Site) -> None:
    """Years, decimals, words with hyphens and grouped numbers stay as typed."""
    page = reader.open(demo)
    for typed in ("2019", "1910.07467", "Pre-Norm", "660,480", "GPT-2", "x -y"):
        assert page.evaluate("typed => course.asSet(typed)", typed) == typed
    assert page.evaluate("course.asSet('-5120 12345')") == "−5,120 12,345"


def test_results_hold_no_zero_width_spaces(reader: Reader, demo: Site) -> None:
    """What is shown can be copied: the separator of the index is not in it."""
    page = reader.open(demo)
    search(page, "归一化")
    page.wait_for_selector(".md-search-result__item")
    assert "\u200b" not in page.inner_text(".md-search-result")
    assert "\u200b" in (demo.folder / "search" / "search_index.json").read_text(encoding="utf-8").encode().decode(
        "unicode_escape"
    )


def test_keyboard_leads_to_the_result(reader: Reader, demo: Site) -> None:
    """Arrow down and Enter open the first result; the search field is empty on the new page only when left so."""
    page = reader.open(demo)
    search(page, "零中心")
    page.wait_for_selector(".md-search-result__item")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/parts.html*")


def test_search_works_without_a_server(read: Callable[..., Reader], course: Site) -> None:
    """From the disk the index is a script and the worker a frame: the real site finds its words."""
    page = read().open_file(course)
    page.wait_for_timeout(300)
    search(page, "残差流")
    expect(page.locator(FOUND).first).to_be_visible()
