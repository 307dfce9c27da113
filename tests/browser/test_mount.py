"""The mount layer: first load, from the disk, instant navigation there and back, palette, folds, tabs, paper."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, READY, Reader, Site

CARD = "#course-card"
NUMBER = '.md-content .num[data-id="norm.params"]'

# Counts what our own scripts attach to things that outlive a page.
COUNT = """
(() => {
  const ours = () => new Error().stack.includes("/assets/course/");
  const live = (window.counted = { listeners: 0, observers: 0 });
  const add = EventTarget.prototype.addEventListener, remove = EventTarget.prototype.removeEventListener;
  const stays = [window, document, document.body];
  const lasting = (target) => stays.includes(target) || target instanceof MediaQueryList;
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    if (lasting(this) && ours()) {
      live.listeners += 1;
      const signal = options && options.signal;
      if (signal) add.call(signal, "abort", () => (live.listeners -= 1));
    }
    return add.call(this, type, listener, options);
  };
  EventTarget.prototype.removeEventListener = function (type, listener, options) {
    if (lasting(this) && ours()) live.listeners -= 1;
    return remove.call(this, type, listener, options);
  };
  for (const name of ["MutationObserver", "ResizeObserver", "IntersectionObserver"]) {
    const Real = window[name];
    window[name] = class extends Real {
      constructor(...given) { super(...given); if (ours()) { this.counted = true; live.observers += 1; } }
      disconnect() { if (this.counted) { this.counted = false; live.observers -= 1; } super.disconnect(); }
    };
  }
})();
"""
# Records every call of mount, with its reason.
WATCH = """
window.seen = [];
course.register("watch", { mount: (root, why) => seen.push(why), unmount: () => seen.push("unmount") });
"""


def go(page: Page, name: str, path: str) -> None:
    """Follow a link of the navigation, the instant way."""
    page.evaluate("window.stays = true")
    page.locator(".md-sidebar--primary .md-nav__link", has_text=name).first.click()
    page.wait_for_url(f"**/{path}")
    page.wait_for_function("() => document.querySelector('h1') && !document.querySelector('[data-md-progress]')")
    assert page.evaluate("window.stays"), "this was no instant navigation: the document was loaded anew"


def test_from_the_disk_everything_is_alive(read: Callable[..., Reader], demo: Site) -> None:
    """On file:// cards, formula and tables work, although instant navigation does not."""
    reader = read()
    page = reader.open_file(demo, "parts.html")
    page.click(NUMBER)
    expect(page.locator(CARD)).to_contain_text("anchor-model.json")
    page.keyboard.press("Escape")
    page.click('figure.formula div[data-term="gain"] button')
    expect(page.locator('figure.formula div[data-term="gain"] dd')).to_be_visible()
    reader.faults[:] = [fault for fault in reader.faults if "search_index" not in fault and "sitemap" not in fault]


def test_instant_navigation_there_and_back(reader: Reader, demo: Site) -> None:
    """A page reached by instant navigation, left and reached again by Back is alive each time."""
    page = reader.open(demo)
    go(page, "全部部件", "parts.html")
    page.click(NUMBER)
    expect(page.locator(CARD)).to_have_count(1)
    page.keyboard.press("Escape")
    go(page, "首页", "index.html")
    expect(page.locator(NUMBER)).to_have_count(0)
    page.go_back()
    page.wait_for_selector(NUMBER)
    page.click(NUMBER)
    expect(page.locator(CARD)).to_have_count(1)
    page.keyboard.press("Escape")
    page.focus("figure.formula .formula-math")
    page.keyboard.press("ArrowRight")
    expect(page.locator("figure.formula .is-at")).to_have_count(1)


def test_an_open_card_goes_with_its_page(reader: Reader, demo: Site) -> None:
    """Following a link of a card closes the card."""
    page = reader.open(demo, "parts.html")
    page.click(NUMBER)
    page.click(f"{CARD} a[href$='ledger.html#norm.params']")
    page.wait_for_url("**/ledger.html#norm.params")
    expect(page.locator(CARD)).to_have_count(0)


def test_twenty_navigations_leak_nothing(reader: Reader, demo: Site) -> None:
    """After twenty instant navigations our scripts hold as many listeners and observers as before."""
    reader.page.add_init_script(COUNT)
    page = reader.open(demo)
    for _ in range(2):
        go(page, "全部部件", "parts.html")
        go(page, "首页", "index.html")
    before = page.evaluate("({ ...counted })")
    assert before["listeners"] > 0
    for _ in range(10):
        go(page, "全部部件", "parts.html")
        page.click(NUMBER)
        go(page, "首页", "index.html")
    assert before == page.evaluate("({ ...counted })")
    assert page.locator("body > .card, body > [role=status]").count() <= 1


def test_each_cause_mounts_once_with_its_reason(reader: Reader, demo: Site) -> None:
    """Load, palette, fold, tab, resize and paper each call the parts; leaving calls unmount."""
    page = reader.open(demo, "parts.html")
    page.evaluate(WATCH)
    assert page.evaluate("seen") == ["load"]
    page.evaluate("seen.length = 0; document.querySelector('#inside-fold').closest('details').open = true")
    page.wait_for_function("seen.length >= 1")
    assert page.evaluate("seen") == ["shown"]
    page.evaluate("seen.length = 0")
    page.locator(".tabbed-labels > label", has_text="失败").click()
    page.wait_for_function("seen.length >= 1")
    assert page.evaluate("seen") == ["shown"]
    page.evaluate("seen.length = 0")
    page.evaluate("document.body.setAttribute('data-md-color-scheme', 'slate')")
    page.wait_for_function("seen.length >= 1")
    assert page.evaluate("seen") == ["palette"]
    page.evaluate("seen.length = 0")
    page.set_viewport_size({"width": 900, "height": 700})
    page.wait_for_function("seen.includes('resize')")
    page.evaluate("seen.length = 0")
    page.emulate_media(media="print")
    page.wait_for_function("seen.length >= 1")
    page.emulate_media(media="screen")
    page.wait_for_function("seen.length >= 2")
    assert page.evaluate("seen") == ["print", "screen"]
    page.set_viewport_size({"width": 1440, "height": 900})
    page.evaluate("seen.length = 0")
    go(page, "首页", "index.html")
    page.wait_for_function("seen.includes('load')")
    left = page.evaluate("seen.filter(why => why !== 'resize')")
    assert left[0] == "unmount"
    assert set(left[1:]) == {"load"}


def test_mounting_again_changes_nothing(reader: Reader, demo: Site) -> None:
    """course.mount() on a page that is mounted leaves its HTML as it is."""
    page = reader.open(demo, "parts.html")
    page.wait_for_timeout(100)
    before = page.inner_html("article")
    page.evaluate("for (let i = 0; i < 3; i++) course.mount()")
    page.wait_for_timeout(100)
    assert before == page.inner_html("article")


def test_a_broken_part_does_not_stop_the_others(reader: Reader, demo: Site) -> None:
    """A part that throws is named in the console; the rest of the page lives."""
    page = reader.open(demo, "parts.html")
    page.evaluate("course.register('broken', { mount() { throw new Error('on purpose'); } }); course.mount()")
    page.click(NUMBER)
    expect(page.locator(CARD)).to_have_count(1)
    assert any("broken failed" in fault for fault in reader.faults)
    reader.faults[:] = [fault for fault in reader.faults if "broken failed" not in fault]


def test_links_open_the_fold_and_the_tab_they_point_into(reader: Reader, demo: Site) -> None:
    """An address that points into a closed fold or a hidden tab shows its target, at load and on a later click."""
    page = reader.open(demo, "parts.html#inside-fold")
    expect(page.locator("#inside-fold")).to_be_in_viewport()
    page.evaluate("location.hash = 'inside-tab'")
    expect(page.locator("#inside-tab")).to_be_in_viewport()


def test_paper_is_light_and_open(read: Callable[..., Reader], demo: Site) -> None:
    """In print from the dark palette: light colours, folds and tabs open, no frame; afterwards all is as before."""
    page = read(color_scheme="dark").open(demo, "parts.html")
    folded = page.locator("details:not([open])").count()
    assert folded > 0
    page.emulate_media(media="print")
    for hidden in ("#inside-fold", "#inside-tab"):
        expect(page.locator(hidden)).to_be_visible()
    expect(page.locator(".md-header")).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.querySelector('#question + p')).color") == "rgb(38, 41, 45)"
    assert page.evaluate("getComputedStyle(document.body).getPropertyValue('--c-paper')") == "#fdfcf9"
    page.emulate_media(media="screen")
    expect(page.locator("details:not([open])")).to_have_count(folded)


def test_a_phone_lays_out_what_is_in_sight_first(read: Callable[..., Reader], demo: Site) -> None:
    """The first load on a phone ends as if laid out at once: same height, nothing skipped; later pages come whole."""
    skipped = """[...document.querySelectorAll('article > *')]
      .filter((node) => getComputedStyle(node).contentVisibility !== 'visible').length"""
    phone = read(viewport=PHONE, has_touch=True)
    phone.page.add_init_script(
        "window.requestIdleCallback = (work) => (window.go ? setTimeout(work) : (window.later = work))"
    )
    phone.page.goto(f"{demo.url}parts.html")
    phone.page.wait_for_function("!!window.later")
    assert phone.page.evaluate(skipped) > 20
    phone.page.evaluate("window.go = true; later()")
    phone.page.wait_for_function(READY)
    assert phone.page.evaluate(skipped) == 0
    height = phone.page.evaluate("document.documentElement.scrollHeight")
    whole = read(viewport=PHONE, has_touch=True).open(demo, "parts.html#faq")
    assert whole.evaluate(skipped) == 0
    assert whole.evaluate("document.documentElement.scrollHeight") == height
    expect(whole.locator("#faq")).to_be_in_viewport()


def test_one_name_in_the_world(read: Callable[..., Reader], demo: Site) -> None:
    """Our scripts add `course` to the window and nothing else."""
    names = "Object.keys(window)"
    bare = read()
    bare.context.route("**/assets/course/*.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    bare.page.goto(f"{demo.url}parts.html")
    without = set(bare.page.evaluate(names))
    assert set(read().open(demo, "parts.html").evaluate(names)) - without == {"course"}
