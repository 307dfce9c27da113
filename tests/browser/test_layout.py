"""The page on every screen: the phone, the margin, the measure, tables that scroll or turn into cards."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, Reader, Site

BOXES = ".scroll, .table-scroll, .md-typeset__scrollwrap, .math-display, .formula-math, pre > code"
UNREACHED = """
(boxes) => boxes
  .filter((box) => box.checkVisibility({ contentVisibilityAuto: true }) && box.scrollWidth > box.clientWidth + 1)
  .filter((box) => box.tabIndex !== 0 || !box.getAttribute("aria-label"))
  .map((box) => box.outerHTML.slice(0, 90))
"""
BROKEN = """
() => {
  const range = document.createRange(), found = [], last = new Map();
  const texts = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode, parent = node.parentElement;
    if (!parent.checkVisibility() || parent.closest(".visually-hidden, .note-body, .chart-canvas")) continue;
    const block = parent.closest("p, li, td, th, dd, figcaption, summary, h1, h2, h3, div");
    for (let i = 0; i < node.data.length; i++) {
      range.setStart(node, i);
      range.setEnd(node, i + 1);
      const box = range.getBoundingClientRect();
      if (!box.width || /\\s/.test(node.data[i])) continue;
      const before = last.get(block);
      const begins = before && box.top > before.top + 12 && box.left < before.left;
      if (begins && /[，。、；：！？）」』》％…·✓✗]/.test(node.data[i])) found.push(block.textContent.slice(0, 40));
      last.set(block, box);
    }
  }
  return found;
}
"""
TEXT = "#question + p"


def test_no_page_is_wider_than_the_phone(read: Callable[..., Reader], site: Site) -> None:
    """At 375 px and at 320 px nothing scrolls sideways but boxes that scroll inside themselves."""
    for width in (375, 320):
        reader = read(viewport={"width": width, "height": 740}, has_touch=True)
        wide = {
            path: measured
            for path in site.pages
            if (measured := reader.open(site, path).evaluate("document.documentElement.scrollWidth")) > width
        }
        assert wide == {}


def test_boxes_that_scroll_can_be_reached_and_have_a_name(read: Callable[..., Reader], site: Site) -> None:
    """A table or formula that is wider than the phone takes the focus and says what it is; its first column stays."""
    reader = read(viewport=PHONE, has_touch=True)
    for path in site.pages:
        page = reader.open(site, path)
        page.wait_for_timeout(60)
        assert page.eval_on_selector_all(BOXES, UNREACHED) == [], path


def test_first_column_stays_while_a_table_scrolls(read: Callable[..., Reader], demo: Site) -> None:
    """Scrolled to its end, a wide table still shows its first column."""
    page = read(viewport=PHONE, has_touch=True).open(demo, "parts.html")
    box = page.locator(".tabbed-block .md-typeset__scrollwrap").first
    box.evaluate("box => (box.scrollLeft = box.scrollWidth)")
    cell = box.locator("tbody tr").first.locator("td").first
    left = "node => node.getBoundingClientRect().left"
    assert abs(cell.evaluate(left) - box.evaluate(left)) < 2
    assert box.evaluate("box => box.scrollLeft") > 20


def test_a_generation_is_a_card_on_the_phone(read: Callable[..., Reader], demo: Site) -> None:
    """The evolution table reads generation by generation, each cell under the name of its part."""
    page = read(viewport=PHONE, has_touch=True).open(demo, "parts.html")
    tops = page.eval_on_selector_all(
        ".evolution-table thead th:not(:first-child), .evolution-table td",
        "cells => cells.map(cell => [cell.getBoundingClientRect().top, cell.cellIndex, cell.tagName])",
    )
    inorder = sorted(tops)
    assert [column for _, column, _ in inorder] == sorted(column for _, column, _ in tops)
    assert [tag for _, _, tag in inorder][:4] == ["TH", "TD", "TD", "TD"]
    label = page.locator(".evolution-table td").first
    assert label.evaluate("cell => getComputedStyle(cell, '::before').content") == '"FFN"'


def test_margin_notes_stand_beside_the_text_and_fold_in_place(read: Callable[..., Reader], demo: Site) -> None:
    """At 1,220 px notes stand right of the column; narrower, they stand in it, and citations keep their mark only."""
    page = read(viewport={"width": 1235, "height": 800}).open(demo, "parts.html")
    right = "node => node.getBoundingClientRect().right"
    for note in (".margin-note", ".promise", ".note-body"):
        left = page.locator(note).first.evaluate("note => note.getBoundingClientRect().left")
        assert left > page.locator(TEXT).evaluate(right)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1235
    page.set_viewport_size({"width": 1100, "height": 800})
    assert page.locator(".margin-note").first.evaluate(right) <= page.locator(TEXT).evaluate(right) + 1
    expect(page.locator(".note-body").first).to_be_hidden()


@pytest.mark.parametrize("width", [1235, 1440, 1920])
def test_a_line_holds_36_to_40_characters(read: Callable[..., Reader], demo: Site, width: int) -> None:
    """The column is 36 to 40 Han characters of 17 px on a line height of 1.85."""
    page = read(viewport={"width": width, "height": 900}).open(demo, "parts.html")
    size, height, room = page.eval_on_selector(
        TEXT,
        "p => [parseFloat(getComputedStyle(p).fontSize), parseFloat(getComputedStyle(p).lineHeight), p.clientWidth]",
    )
    assert size == 17
    assert abs(height / size - 1.85) < 0.01
    assert 36 <= room / size <= 40.05


@pytest.mark.parametrize("width", [1280, 820, 375, 340])
def test_no_line_begins_with_a_stop(read: Callable[..., Reader], course: Site, width: int) -> None:
    """After a formula, a number or a tick too, at any width."""
    reader = read(viewport={"width": width, "height": 900})
    for path in course.pages:
        if path != "ledger.html":
            assert reader.open(course, path).evaluate(BROKEN) == [], path


def test_a_column_of_numbers_is_flush_right(reader: Reader, course: Site) -> None:
    """Head and cells end at one edge; words and vectors stay flush left."""
    page = reader.open(course, "parameters.html")
    ends = page.eval_on_selector_all(
        "table:has(.is-number)",
        "all => all.map(table => [...table.rows].map(row => row.cells[1]).filter(c => c.matches('.is-number'))"
        ".map(c => getComputedStyle(c).textAlign))",
    )
    assert any(column for column in ends)
    assert {align for column in ends for align in column} == {"end"}


def test_nothing_is_wider_than_the_paper(read: Callable[..., Reader], course: Site) -> None:
    """On the text width of an A4 page no table, tab or fold reaches over the edge, drawn charts or not."""
    reader = read(viewport={"width": 660, "height": 900})
    for path in course.pages:
        page = reader.open(course, path)
        page.emulate_media(media="print")
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth") <= 660, path
        page.emulate_media(media="screen")
