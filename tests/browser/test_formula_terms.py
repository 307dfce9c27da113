"""The clickable formula, by mouse, touch and keyboard."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Reader, Site

FIGURE = 'figure.formula[id="norm.formula"]'
ORDER = ["y", "x", "root", "ms", "eps", "gain"]


def shown(page: Page) -> list[str]:
    """Return the terms whose explanation is visible."""
    found: list[str] = page.eval_on_selector_all(
        f"{FIGURE} .formula-legend > [data-term]",
        "rows => rows.filter(row => row.querySelector('dd').offsetHeight > 0).map(row => row.dataset.term)",
    )
    return found


def test_every_term_opens_by_mouse_in_formula_and_legend(reader: Reader, demo: Site) -> None:
    """A click on a term or on its button shows its explanation alone and tints both."""
    page = reader.open(demo, "parts.html")
    page.locator(FIGURE).scroll_into_view_if_needed()
    for term in ORDER[1:]:
        box = page.locator(f'{FIGURE} mrow[data-term="{term}"]').bounding_box()
        assert box
        page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] - 3)
        assert shown(page) == [term]
        expect(page.locator(f'{FIGURE} mrow[data-term="{term}"]')).to_have_class("term is-open")
        expect(page.locator(f'{FIGURE} div[data-term="{term}"] button')).to_have_attribute("aria-expanded", "true")
    for term in ORDER:
        page.click(f'{FIGURE} div[data-term="{term}"] button')
        assert shown(page) == [term]


def test_terms_by_touch(read: Callable[..., Reader], demo: Site) -> None:
    """A finger opens a term on a phone."""
    reader = read(viewport={"width": 375, "height": 740}, has_touch=True)
    page = reader.open(demo, "parts.html")
    page.locator(f'{FIGURE} mrow[data-term="gain"]').tap()
    assert shown(page) == ["gain"]


def test_arrow_keys_walk_the_terms(reader: Reader, demo: Site) -> None:
    """Arrows move in reading order and say where, Enter and Space open, Escape closes, and the page does not scroll."""
    page = reader.open(demo, "parts.html")
    page.focus(f"{FIGURE} .formula-math")
    place = page.evaluate("scrollY")
    for number, term in enumerate(ORDER, 1):
        page.keyboard.press("ArrowRight")
        expect(page.locator(f"{FIGURE} .is-at")).to_have_attribute("data-term", term)
        expect(page.locator("body > [role=status]")).to_contain_text(f"第 {number} 项")
    page.keyboard.press("Enter")
    assert shown(page) == ["gain"]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press(" ")
    assert shown(page) == ["eps"]
    expect(page.locator("body > [role=status]")).to_contain_text("防止除以 0")
    page.keyboard.press("Escape")
    assert shown(page) == []
    assert page.evaluate("scrollY") == place


@pytest.mark.parametrize("key", ["Enter", " "])
def test_legend_buttons_by_keyboard(reader: Reader, demo: Site, key: str) -> None:
    """Tab reaches the buttons of the legend in the order of the formula; a key opens, Escape closes."""
    page = reader.open(demo, "parts.html")
    page.focus(f"{FIGURE} .formula-math")
    page.keyboard.press("Tab")
    expect(page.locator(f'{FIGURE} [data-term="y"] button')).to_be_focused()
    page.keyboard.press(key)
    assert shown(page) == []
    page.keyboard.press("Tab")
    expect(page.locator(f'{FIGURE} [data-term="x"] button')).to_be_focused()
    page.keyboard.press(key)
    assert shown(page) == ["x"]
    page.keyboard.press("Escape")
    assert shown(page) == []


def test_one_explanation_is_open_at_first_and_all_without_javascript(read: Callable[..., Reader], demo: Site) -> None:
    """With JavaScript the first term is open; without it, or on paper, every term is explained."""
    page = read().open(demo, "parts.html")
    assert shown(page) == ["y"]
    page.emulate_media(media="print")
    assert shown(page) == ORDER
    plain = read(java_script_enabled=False).page
    plain.goto(f"{demo.url}parts.html")
    for term in ORDER:
        expect(plain.locator(f'{FIGURE} div[data-term="{term}"] dd')).to_be_visible()
