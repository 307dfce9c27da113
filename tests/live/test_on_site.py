"""The live parts in the lesson itself: after a direct load, after instant navigation there and back, from disk."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from experiments.residual import Setting
from tests.browser.conftest import ROOT, Site, build
from tests.browser.serving import bound, serving
from tests.live.reading import expect_simulator, last_row, press, query, reading

LESSON = "c4/03-normalization/index.html"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Build and serve the real site."""
    folder = tmp_path_factory.mktemp("site") / "site"
    with bound() as (server, url):
        build(ROOT / "mkdocs.yml", folder, url)
        with serving(server, folder):
            yield Site(url, folder)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Return a page whose errors fail the test."""
    context = browser.new_context(viewport={"width": 1300, "height": 900})
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    yield page
    context.close()
    assert faults == []


def use_all(page: Page) -> None:
    """Drive every component of the lesson."""
    expect_simulator(page, Setting(residual=True, norm=True))
    page.get_by_role("link", name="只有残差").click()
    expect_simulator(page, Setting(residual=True))
    expect(reading(page, "residual-sim")).to_contain_text("梯度比 20.4，残差流 RMS 6.3。")
    press(page, "整体 ×3")
    expect(last_row(page).locator(".is-same")).to_have_count(2)
    page.get_by_label("之后只衰减的步数").focus()
    page.keyboard.press("End")
    expect(reading(page, "decay-chart")).to_contain_text("20,000 步之后")
    page.locator("data-flow summary", has_text="输出头").focus()
    page.keyboard.press("Enter")
    expect(page.locator("data-flow details[open]")).to_contain_text("248,320")
    use_the_rest(page)


def use_the_rest(page: Page) -> None:
    """Drive what the generator brings: tabs with the batch-mate table, formula, number card, training chart."""
    page.locator(".tabbed-labels label", has_text="失败").click()
    mates = page.locator("batch-mates").first
    mates.get_by_label("服务器又宕机了").focus()
    page.keyboard.press("Space")
    expect(mates.locator("tbody tr:not([hidden])")).to_have_count(4)
    mates.get_by_label("都看").check()
    expect(mates.locator("tbody tr:not([hidden])")).to_have_count(6)

    terms = page.locator('[id="norm.formula"] .formula-legend button')
    terms.nth(1).click()
    expect(terms.nth(1)).to_have_attribute("aria-expanded", "true")
    terms.nth(2).focus()
    page.keyboard.press("Enter")
    expect(terms.nth(2)).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")

    number, card = page.locator('article .num[data-id="anchor.norm.main"]').first, page.locator("#course-card")
    number.click()
    expect(card).to_contain_text("(64 × 2 + 1) × 5,120")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    page.keyboard.press("Enter")
    expect(card).to_be_visible()
    page.keyboard.press("Escape")
    expect(number).to_be_focused()

    training = page.locator('[id="norm.chart.training"]')
    training.scroll_into_view_if_needed()
    state = training.locator(".chart-state")
    before = state.inner_text()
    training.get_by_label("对数轴").focus()
    page.keyboard.press("Space")
    expect(state).to_contain_text("对数轴")
    training.get_by_role("button", name="恢复默认").click()
    expect(state).to_have_text(before)


def test_direct_load(site: Site, page: Page) -> None:
    """Loaded by its address, every part works."""
    page.goto(site.url + LESSON)
    use_all(page)
    query(page, "sim", "32_1_7_r")


def test_after_instant_navigation_and_back(site: Site, page: Page) -> None:
    """Reached by a link without a new load, left and reached again, every part works and nothing is there twice."""
    page.goto(site.url + "index.html")
    page.evaluate("window.stayed = true")
    page.locator(f'a[href$="{LESSON}"]').first.click()
    use_all(page)
    page.locator('a[href$="promises.html"]').first.click()
    expect(page.locator("residual-sim")).to_have_count(0)
    page.locator(f'a[href$="{LESSON}"]').first.click()
    use_all(page)
    expect(page.locator("residual-sim .sim-scenarios")).to_have_count(1)
    assert page.evaluate("window.stayed")


def test_from_disk(site: Site, page: Page) -> None:
    """From the disk, without any server, every part works."""
    page.goto((site.folder / LESSON).as_uri())
    use_all(page)


def test_drawn_live_is_what_python_drew(site: Site, page: Page) -> None:
    """The lesson's default pictures are the markup that the browser draws for the same state."""
    page.goto(site.url + LESSON)
    page.wait_for_selector("residual-sim.is-live")
    same = page.evaluate(
        """() => {
             const sim = document.querySelector("residual-sim");
             const before = sim.querySelector(".live-picture").innerHTML;
             sim.draw();
             const after = sim.querySelector(".live-picture").innerHTML;
             return [before === after, sim.querySelector(".live-reading").innerText];
           }"""
    )
    assert same[0]
    page.reload()
    assert reading(page, "residual-sim").inner_text() == same[1]
