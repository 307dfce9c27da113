"""The number card and the inline check, by mouse, by keyboard and on a phone."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import Reader, Site

NUMBER = '.md-content .num[data-id="norm.params"]'
CARD = "#course-card"


def top_of(page: Page, selector: str) -> float:
    """Return where an element stands in the window."""
    return float(page.eval_on_selector(selector, "node => node.getBoundingClientRect().top"))


def test_click_opens_the_card_without_moving_a_line(reader: Reader, demo: Site) -> None:
    """The card shows value, derivation, inputs and kind; the text below stays where it was."""
    page = reader.open(demo, "parts.html")
    before = top_of(page, "#start"), page.evaluate("document.documentElement.scrollHeight")
    page.click(NUMBER)
    card = page.locator(CARD)
    inputs = ("anchor-model.json", "/text_config/num_hidden_layers", "anchor.d")
    for text in ("主路归一化的参数", "660,480", "(64 × 2 + 1) × 5,120", *inputs, "计算"):
        expect(card).to_contain_text(text)
    expect(card.locator(".legend .is-this")).to_have_text("= 计算")
    assert before == (top_of(page, "#start"), page.evaluate("document.documentElement.scrollHeight"))
    assert page.url.endswith("parts.html")


def test_card_stands_beside_its_number_inside_the_window(reader: Reader, demo: Site) -> None:
    """Every card of the page lies within the window and does not cover its number."""
    page = reader.open(demo, "parts.html")
    for number in page.locator('.md-content .num[data-id="anchor.d"]:visible').all():
        number.scroll_into_view_if_needed()
        number.click()
        card, place = page.locator(CARD).bounding_box(), number.bounding_box()
        assert card
        assert place
        assert card["x"] >= 0
        assert card["x"] + card["width"] <= 1440
        assert card["y"] >= place["y"] + place["height"] - 4 or card["y"] + card["height"] <= place["y"] + 8
        page.keyboard.press("Escape")


def test_keyboard_opens_reads_and_returns(reader: Reader, demo: Site) -> None:
    """Enter and Space open; Escape closes and gives the focus back; Tab out of the card goes on in the text."""
    page = reader.open(demo, "parts.html")
    number = page.locator(NUMBER)
    for key in ("Enter", " "):
        number.focus()
        page.keyboard.press(key)
        expect(page.locator(CARD)).to_be_focused()
        expect(number).to_have_attribute("aria-expanded", "true")
        page.keyboard.press("Escape")
        expect(page.locator(CARD)).to_have_count(0)
        expect(number).to_be_focused()
        expect(number).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Enter")
    page.locator(f"{CARD} a").last.focus()
    page.keyboard.press("Tab")
    expect(page.locator(CARD)).to_have_count(0)
    expect(page.locator('.md-content .num[data-id="anchor.total"]')).to_be_focused()


def test_card_is_a_named_dialog(reader: Reader, demo: Site) -> None:
    """A screen reader hears a dialog with the number's title."""
    page = reader.open(demo, "parts.html")
    page.click(NUMBER)
    expect(page.get_by_role("dialog", name="主路归一化的参数")).to_be_visible()


def test_click_outside_and_second_click_close(reader: Reader, demo: Site) -> None:
    """A click anywhere else closes, so does a second click on the number, so does the cross."""
    page = reader.open(demo, "parts.html")
    for elsewhere in ("h1", NUMBER, ".card-close"):
        page.click(NUMBER)
        expect(page.locator(CARD)).to_have_count(1)
        page.click(elsewhere, position={"x": 8, "y": 8})
        expect(page.locator(CARD)).to_have_count(0)


def test_a_number_inside_a_card_opens_in_its_place(reader: Reader, demo: Site) -> None:
    """An input that is a number itself opens its own card; Escape still returns to the first number."""
    page = reader.open(demo, "parts.html")
    page.click(NUMBER)
    page.click(f'{CARD} a[data-id="anchor.d"]')
    expect(page.locator(CARD)).to_contain_text("隐藏维")
    page.keyboard.press("Escape")
    expect(page.locator(NUMBER)).to_be_focused()


def test_link_to_the_ledger_still_works(reader: Reader, demo: Site) -> None:
    """Ctrl-click opens the ledger row in a new tab; a number without a card is a plain link."""
    page = reader.open(demo, "parts.html")
    with reader.context.expect_page() as opened:
        page.click(NUMBER, modifiers=["ControlOrMeta"])
    assert opened.value.url.endswith("ledger.html#norm.params")
    expect(page.locator(CARD)).to_have_count(0)
    page.click('.md-content .num[data-id="norm.directions"]')
    page.wait_for_url("**/ledger.html#norm.directions")


def test_phone_shows_a_sheet_and_keeps_the_number_in_sight(read: Callable[..., Reader], demo: Site) -> None:
    """At 375 px the card is a sheet along the lower edge, and the number stays visible above it."""
    reader = read(viewport={"width": 375, "height": 740}, has_touch=True, reduced_motion="reduce")
    page = reader.open(demo, "parts.html")
    page.locator(NUMBER).tap()
    card = page.locator(CARD).bounding_box()
    assert card
    assert (round(card["x"]), round(card["width"]), round(card["y"] + card["height"])) == (0, 375, 740)
    place = page.locator(NUMBER).bounding_box()
    assert place
    assert place["y"] + place["height"] <= card["y"]
    assert page.evaluate("document.documentElement.scrollWidth") == 375


def test_inline_check_opens_with_the_values_put_in(reader: Reader, demo: Site) -> None:
    """The mark opens the check by mouse and by keyboard and closes it with Escape."""
    page = reader.open(demo, "parts.html")
    mark = page.locator(".check > button").first
    mark.click()
    expect(page.locator(CARD)).to_contain_text("20.4 > 3.5 > 0.97")
    page.keyboard.press("Escape")
    expect(mark).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="核对：成立")).to_be_visible()


def test_numbers_are_links_without_javascript(read: Callable[..., Reader], demo: Site) -> None:
    """Without JavaScript a number leads to its row."""
    reader = read(java_script_enabled=False)
    reader.page.goto(f"{demo.url}parts.html")
    reader.page.click(NUMBER)
    reader.page.wait_for_url("**/ledger.html#norm.params")
