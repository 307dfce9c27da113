"""Live parts start one by one when the browser is idle or the reader near, at once when an address or paper asks."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Reader, Site

LESSON = "c4/03-normalization/index.html"
FAR = "decay-chart"
ALL = "!document.querySelector('.live:not(.is-live)')"
STILL = "window.requestIdleCallback = () => 0"  # a browser that is never idle
LOADED = """
document.addEventListener("DOMContentLoaded", () => setTimeout(() => {
  window.atOnce = document.querySelectorAll(".live.is-live").length;
}))
"""


def lesson(reader: Reader, course: Site, tail: str = "") -> Page:
    """Open the lesson in a browser that is never idle."""
    reader.page.add_init_script(STILL)
    return reader.open(course, LESSON + tail)


def test_nothing_starts_with_the_page_and_everything_soon_after(reader: Reader, course: Site) -> None:
    """No part holds up the first picture; without scrolling all are there for whoever lists the controls."""
    reader.page.add_init_script(LOADED)
    page = reader.open(course, LESSON)
    page.wait_for_function(ALL)
    assert page.evaluate("atOnce") == 0


def test_a_part_starts_when_it_is_near(reader: Reader, course: Site) -> None:
    """Far from the window it stands as Python wrote it; scrolled near, it runs however busy the browser is."""
    page = lesson(reader, course)
    part = page.locator(FAR)
    expect(part.locator("input")).to_have_count(0)
    part.scroll_into_view_if_needed()
    expect(part.locator("input").first).to_be_visible()


def test_an_address_starts_what_it_speaks_of(reader: Reader, course: Site) -> None:
    """The part whose state stands in the query at once; with a fragment all, so that no jump lands beside its goal."""
    page = lesson(reader, course)
    key = page.locator(FAR).evaluate("live => live.data.key")
    page = reader.open(course, f"{LESSON}?{key}=1.5,5000")
    expect(page.locator(f"{FAR}.is-live")).to_have_count(1)
    assert not page.evaluate(ALL)
    assert reader.open(course, f"{LESSON}#faq").evaluate(ALL)


def test_a_jump_within_the_page_lands_at_its_goal(reader: Reader, course: Site) -> None:
    """A link of the contents: the parts above start, and the heading stands in the window."""
    page = lesson(reader, course)
    page.locator('.md-nav--secondary a[href$="#faq"]').first.click()
    page.wait_for_function(ALL)
    page.wait_for_timeout(400)
    expect(page.locator("#faq")).to_be_in_viewport()


def test_paper_shows_every_part(reader: Reader, course: Site) -> None:
    """Printed from the top of the page, the last part has started too."""
    page = lesson(reader, course)
    page.emulate_media(media="print")
    page.wait_for_function(ALL)
