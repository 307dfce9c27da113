"""For everyone: axe on every page and in what opens, motion, focus, no slanted Chinese, descriptions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, Reader, Site

STATES: dict[str, dict[str, Any]] = {
    "desk light": {"color_scheme": "light"},
    "desk dark": {"color_scheme": "dark"},
    "phone light": {"color_scheme": "light", "viewport": PHONE, "has_touch": True},
    "phone dark": {"color_scheme": "dark", "viewport": PHONE, "has_touch": True},
}
RULES = {"rules": {"target-size": {"enabled": True}}}
NUMBER = '.md-content .num[data-id="norm.params"]'


MOVING = """
[...document.querySelectorAll("article *, .card, .card *")].filter((node) => {
  const style = getComputedStyle(node);
  return style.animationName !== "none" || parseFloat(style.transitionDuration) > 0;
}).length
"""
BARE = """
(() => {
  const node = document.activeElement, style = getComputedStyle(node);
  const seen = style.outlineStyle === "solid" && parseFloat(style.outlineWidth) >= 2;
  return seen || node === document.body || node.matches(".tabbed-set > input") ? "" : node.outerHTML.slice(0, 90);
})()
"""
SLANTED = """
[...document.querySelectorAll("body *")]
  .filter((node) => !node.closest("math, svg") && getComputedStyle(node).fontStyle !== "normal")
  .map((node) => node.outerHTML.slice(0, 80))
"""


SHORTEN = """
most => document.querySelectorAll("tbody").forEach(body => [...body.rows].slice(most).forEach(row => row.remove()))
"""
ROWS = 30  # of a table; the rows of the ledger are hundreds, written by one function


def violations(page: Page) -> list[str]:
    """Return what axe finds, one line for each element; long tables are cut, axe takes minutes for the ledger."""
    page.evaluate(SHORTEN, ROWS)
    answer = Axe().run(page, options=RULES).response
    return [
        f"{page.url.rpartition('/')[2]} {fault['id']}: {' '.join(node['target'][-1:])} {node['html'][:120]}"
        for fault in answer["violations"]
        for node in fault["nodes"]
    ]


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_on_any_page(read: Callable[..., Reader], site: Site, state: str) -> None:
    """No violation in light, dark, on a desk and on a phone."""
    reader = read(**STATES[state], reduced_motion="reduce")
    found: list[str] = []
    for path in site.pages:
        found += violations(reader.open(site, path))
    assert found == []


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_in_what_opens(read: Callable[..., Reader], demo: Site, state: str) -> None:
    """Card, check, folds, search and menu are clean too while they are open."""
    page = read(**STATES[state], reduced_motion="reduce").open(demo, "parts.html")
    page.evaluate("document.querySelectorAll('details').forEach(fold => (fold.open = true))")
    page.click(NUMBER)
    expect(page.locator("#course-card")).to_be_visible()
    found = violations(page)
    page.keyboard.press("Escape")
    page.locator(".check > button").first.click()
    found += violations(page)
    page.keyboard.press("Escape")
    page.evaluate("document.getElementById('__search').click()")
    page.locator(".md-search__input").fill("归一化")
    page.keyboard.press("Shift")  # Material listens to keys
    page.wait_for_selector(".md-search-result__item")
    assert found + violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_published_files(read: Callable[..., Reader], course: Site, scheme: str) -> None:
    """One file of each type: readable in both palettes, on a phone too, and a linked line is lit."""
    page = read(viewport=PHONE, color_scheme=scheme).page
    found: list[str] = []
    for path in {Path(path).suffixes[-2]: path for path in course.sources}.values():
        page.goto(f"{course.url}{path}#L2")
        found += violations(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert found == []


def test_nothing_moves_under_reduced_motion(read: Callable[..., Reader], demo: Site) -> None:
    """With prefers-reduced-motion no element has a transition or an animation, the card opens at once."""
    page = read(reduced_motion="reduce").open(demo, "parts.html")
    page.click(NUMBER)
    assert page.evaluate(MOVING) == 0


def test_focus_is_always_visible(reader: Reader, demo: Site) -> None:
    """Whatever Tab reaches in the text has an outline of two pixels, or stands for an input that has one."""
    page = reader.open(demo, "parts.html")
    page.focus("h1 + p + h2 .headerlink")
    bare: list[str] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        bare.append(page.evaluate(BARE))
    assert [node for node in bare if node] == []


def test_chinese_is_never_slanted(reader: Reader, site: Site) -> None:
    """No element of a page is italic, except in formulas."""
    for path in site.pages:
        assert reader.open(site, path).evaluate(SLANTED) == [], path


def test_every_page_says_what_it_is(reader: Reader, site: Site) -> None:
    """Language, title, description, favicon; no canonical link to a loopback address."""
    for path in site.pages:
        page = reader.open(site, path)
        assert page.evaluate("document.documentElement.lang") == "zh"
        assert page.title()
        assert len(page.get_attribute("meta[name=description]", "content") or "") >= 10, path
        assert (page.get_attribute("link[rel=icon]", "href") or "").endswith(".svg")
        expect(page.locator("link[rel=canonical]")).to_have_count(0)
