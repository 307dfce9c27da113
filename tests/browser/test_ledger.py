"""The ledger: folds that open for the row that an address names, a filter, everything on paper; cards weigh little."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, Reader, Site

ROW = "norm.rms.rms"
FIELD = ".ledger-filter input"
SHOWN = ".ledger tbody tr:visible"
IN_SIGHT = """
id => {
  const { top, bottom } = document.getElementById(id).getBoundingClientRect();
  const head = document.getElementById(id).closest("details").querySelector("summary").getBoundingClientRect();
  return top >= head.bottom - 1 && bottom <= innerHeight;
}
"""


def rows(page: Page) -> int:
    """Return how many rows are shown."""
    return page.locator(SHOWN).count()


def test_it_is_short_until_it_is_asked(reader: Reader, course: Site) -> None:
    """All folds are closed at first: a page, not three hundred thousand pixels."""
    page = reader.open(course, "ledger.html")
    assert page.evaluate("document.documentElement.scrollHeight") < 2000
    assert rows(page) == 0


@pytest.mark.parametrize("way", ["server", "disk", "no script", "phone"])
def test_an_address_opens_the_fold_of_its_row(read: Callable[..., Reader], course: Site, way: str) -> None:
    """With and without JavaScript, from a server and from the disk, the row is in sight below its fold's head."""
    options: dict[str, dict[str, Any]] = {"no script": {"java_script_enabled": False}, "phone": {"viewport": PHONE}}
    reader = read(**options.get(way, {}))
    address = (course.folder / "ledger.html").as_uri() if way == "disk" else f"{course.url}ledger.html"
    reader.page.goto(f"{address}#{ROW}")
    expect(reader.page.locator(f'[id="{ROW}"]')).to_be_in_viewport()
    if way != "no script":
        reader.page.wait_for_function(IN_SIGHT, arg=ROW)


def test_a_number_of_the_lesson_leads_to_its_row(read: Callable[..., Reader], course: Site) -> None:
    """Without JavaScript every number is a link to a row that is there."""
    page = read(java_script_enabled=False).page
    page.goto(f"{course.url}c4/03-normalization/index.html")
    links = page.eval_on_selector_all("a.num", "all => [...new Set(all.map(a => a.hash.slice(1)))]")
    page.goto(f"{course.url}ledger.html")
    assert set(links) <= set(page.eval_on_selector_all(".ledger tr[id]", "rows => rows.map(row => row.id)"))


def test_the_filter_finds_numbers_and_words(reader: Reader, course: Site) -> None:
    """By keyboard: every row shown holds the words, the status says how many, an emptied field restores the folds."""
    page = reader.open(course, "ledger.html")
    page.keyboard.press("Tab")
    page.focus(FIELD)
    page.keyboard.type("660480 计算")
    status = page.locator(".ledger-filter [role=status]")
    expect(status).to_contain_text("个符合")
    assert 1 <= rows(page) <= 20
    assert all("660,480" in text for text in page.locator(SHOWN).all_inner_texts())
    assert f"有 {rows(page)} 个符合" in status.inner_text()
    page.fill(FIELD, "没有这样的数")
    expect(status).to_contain_text("有 0 个")
    page.fill(FIELD, "")
    expect(status).to_have_text("")
    assert rows(page) == 0
    expect(page.locator(".ledger-group:visible")).to_have_count(page.locator(".ledger-group").count())


def test_a_link_to_a_row_that_is_filtered_out_shows_it(reader: Reader, course: Site) -> None:
    """Links inside the ledger work whatever the filter hides."""
    page = reader.open(course, "ledger.html")
    page.fill(FIELD, ROW)
    page.locator(f'[id="{ROW}"] .inputs a[href*="#norm."]').first.click()
    page.wait_for_function(IN_SIGHT, arg=page.evaluate("location.hash.slice(1)"))
    expect(page.locator(FIELD)).to_have_value("")


@pytest.mark.parametrize("script", [True, False])
def test_paper_shows_every_row(read: Callable[..., Reader], course: Site, script: bool) -> None:
    """Closed folds are open on paper, with and without JavaScript."""
    page = read(java_script_enabled=script).page
    page.goto(f"{course.url}ledger.html")
    page.emulate_media(media="print")
    page.wait_for_timeout(200)
    heights = [row.bounding_box() for row in page.locator(".ledger-group tbody tr:last-child").all()]
    assert all(box and box["height"] > 10 for box in heights)


def test_cards_weigh_little_beside_the_text(course: Site) -> None:
    """The cards of a page are a table of facts, not HTML: what they share is written once."""
    html = (course.folder / "c4/03-normalization/index.html").read_text(encoding="utf-8")
    start = html.index('<template id="course-cards">')
    cards = html[start : html.index("</template>", start)]
    assert len(cards.encode()) < 0.3 * len(html.encode())
    table = json.loads(cards[cards.index(">") + 1 :].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    assert len(table["cards"]) > 300
    assert len(table["leaves"]) == len({json.dumps(leaf) for leaf in table["leaves"]})
