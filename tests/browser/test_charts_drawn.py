"""Charts in a real Chromium: drawn once, fitted wherever they are shown, in the palette of the moment, and on paper."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from course_build.charts.render import render
from course_build.diagram import Box, Branch, Diagram, End, Stack
from course_build.diagram import render as render_diagram
from course_build.figures import FigureDef, chart, diagram, ink
from course_build.ledger import collecting
from course_build.mathml.render import block, inline
from course_build.site import assets
from tests.browser.conftest import Reader, Site
from tests.browser.serving import bound, serving

ROOT = Path(__file__).resolve().parents[2]
STEPS = [10 * i for i in range(200)]
LOSS = {
    run: [start + 5 * math.exp(-s / 600) + 0.1 * math.sin(s) for s in STEPS]
    for run, start in (("pre", 3.3), ("post", 3.6))
}
NORM = {run: [1.5 + 0.5 * math.cos(s / 50) + i for s in STEPS] for i, run in enumerate(LOSS)}


def declared(name: str, **more: Any) -> FigureDef:
    """Return a chart's declaration."""
    with collecting() as registry:
        chart(name, **{"title": f"图 {name}", "summary": "说明", "x": "步", "y": "损失"} | more)(lambda: None)
    found: FigureDef = registry.figures[0]
    return found


def figure(scripts: dict[str, str], definition: FigureDef, data: list[dict[str, Any]], values: dict[str, Any]) -> str:
    """Return a chart as the page shows it."""
    drawn = render(definition, {"data": data}, values, {})
    if drawn.script:
        scripts.update([drawn.script])
    name = definition.id
    return (
        f'<figure class="chart" id="{name}"><figcaption id="{name}-title">{definition.title}</figcaption>'
        f'<p id="{name}-summary">{definition.summary}</p><div class="chart-body">{drawn.html}</div></figure>'
    )


def body(scripts: dict[str, str]) -> str:
    """Return the charts of the test page: one at once, one in a fold, one far below."""
    line = [
        {"x": STEPS, "y": LOSS[run], "name": name, "line": {"color": ink(run)}}
        for run, name in (("pre", "甲"), ("post", "乙"))
    ]
    training = [
        {"x": STEPS, "y": values[run], "name": run, "line": {"color": ink(run)}, "meta": {"run": run, "metric": metric}}
        for metric, values in (("loss", LOSS), ("norm", NORM))
        for run in values
    ]
    inputs = {"steps": STEPS, "loss": LOSS, "norm": NORM}
    controls = declared(
        "t.train", controls="runs metric smoothing log", metrics={"loss": "训练损失", "norm": "梯度范数"}
    )
    bar = [
        {
            "type": "bar",
            "x": ["甲", "乙"],
            "y": [1.5, 2.5],
            "error_y": {"array": [0.1, 0.2]},
            "marker": {"color": ink("pre")},
        }
    ]
    with collecting() as registry:
        diagram("t.dia", title="放法", summary="说")(lambda: None)
    stack = Diagram(Stack("Pre-Norm", [End("x"), Branch([Box("RMSNorm", ink="rmsnorm")]), End("y")], "pre"))
    folded = figure(scripts, declared("t.fold"), bar, {"v": [1.5, 2.5], "e": [0.1, 0.2]})
    root, tall = inline(r"\sqrt{x}y"), block(r"\sqrt{\frac{a}{b}}").mathml
    return "".join(
        [
            figure(scripts, declared("t.line", log="y"), line, inputs),
            f"<details id=fold><summary>折叠</summary>{folded}</details>",
            figure(scripts, controls, training, inputs),
            f'<figure class="diagram">{render_diagram(registry.figures[0], stack)}</figure>',
            f'<p id="root">{root}</p><p>{tall}</p>',
            '<div style="height:4000px"></div>',
            figure(scripts, declared("t.far"), line[:1], inputs),
        ]
    )


def whole(text: str) -> str:
    """Return a page in the theme's frame."""
    return (
        '<!doctype html><html lang="zh" class="no-js"><head><meta charset="utf-8"><title>图</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,">'
        '<link rel="stylesheet" href="assets/course/course.css">'
        "<style>body { background: var(--c-paper) }</style></head>"
        '<body data-md-color-scheme="default"><script>document.documentElement.className = "js"</script>'
        f'<main><article class="md-typeset"><h1>图</h1>{text}</article></main>'
        '<script src="assets/course/course.js" defer></script></body></html>'
    )


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Serve a page of charts with the real scripts and styles."""
    folder = tmp_path_factory.mktemp("charts")
    scripts: dict[str, str] = {}
    text = body(scripts)
    course = SimpleNamespace(root=ROOT, docs=ROOT / "docs", store=None, scripts=scripts)
    assets.publish(course, folder)  # type: ignore[arg-type]
    (folder / "index.html").write_text(whole(text), encoding="utf-8")
    with bound() as (server, url), serving(server, folder):
        yield Site(url, folder)


def canvas(page: Page, name: str) -> Any:
    """Return the locator of a chart's canvas."""
    return page.locator(f'[id="{name}"] .chart-canvas')


def drawn(page: Page, name: str) -> None:
    """Wait until a chart is drawn."""
    expect(canvas(page, name)).to_have_class(DRAWN)


def width(page: Page, name: str) -> tuple[int, int]:
    """Return the widths of the picture and of its place."""
    found = canvas(page, name).evaluate(
        "c => [Number(c.querySelector('.main-svg').getAttribute('width')), c.offsetWidth]"
    )
    return found[0], found[1]


def stroke(page: Page, name: str) -> str:
    """Return the colour of a chart's first line."""
    return str(canvas(page, name).evaluate("c => getComputedStyle(c.querySelector('.lines path')).stroke"))


DRAWN = re.compile(r"\bis-drawn\b")
LINE = """document.querySelector('[id="t.line"] .lines path')"""
PICTURES = """[...document.querySelectorAll('.chart-canvas')].map((c) => {
  const svg = c.querySelector('.main-svg');
  return svg ? Number(svg.getAttribute('width')) : 0;
})"""
TAGGED = """() => {
  const line = { color: 'ink:pre' };
  const trace = (name) => ({ type: 'scatter', x: ['<i>a</i>', 'b'], y: [1, 2], name, line });
  const figure = { data: [trace('<b>甲</b>'), trace('乙 & 丙')], layout: { xaxis: { title: {} } } };
  const style = getComputedStyle(document.body);
  const look = course.chartLook(figure, { width: 800, height: 300, light: true, style });
  return [look.data, look.layout];
}"""
REPLACED = """() => {
  for (const figure of document.querySelectorAll('.chart')) figure.replaceWith(figure.cloneNode(true));
  course.unmountCharts(document);
  course.mountCharts(document);
}"""


def test_names_are_text(reader: Reader, charts: Site) -> None:
    """Plotly reads tags in names: a name from data is shown as it is written."""
    page = reader.open(charts)
    canvas(page, "t.far").scroll_into_view_if_needed()
    drawn(page, "t.far")
    data, layout = page.evaluate(TAGGED)
    assert [trace["name"] for trace in data] == ["&lt;b>甲&lt;/b>", "乙 &amp; 丙"]
    assert data[0]["x"] == ["&lt;i>a&lt;/i>", "b"]
    assert [label["text"] for label in layout["annotations"]] == ["&lt;b>甲&lt;/b>", "乙 &amp; 丙"]


def test_the_library_comes_once_and_only_near_charts_are_drawn(reader: Reader, charts: Site) -> None:
    """One request for plotly.js; the chart far below waits until the reader comes near."""
    asked: list[str] = []
    reader.page.on("request", lambda request: asked.append(request.url))
    page = reader.open(charts)
    drawn(page, "t.line")
    expect(canvas(page, "t.far")).not_to_have_class(DRAWN)
    canvas(page, "t.far").scroll_into_view_if_needed()
    drawn(page, "t.far")
    page.evaluate("course.mountCharts(document)")
    assert [url.rsplit("/", 1)[1] for url in asked].count("plotly.js") == 1
    assert (
        page.locator(".chart-canvas.is-drawn .plot-container").count() == page.locator(".chart-canvas.is-drawn").count()
    )


def test_a_chart_is_drawn_from_the_disk_too(reader: Reader, charts: Site) -> None:
    """file://: no fetch, no module; the data script of a large chart is found beside the scripts."""
    page = reader.open_file(charts)
    drawn(page, "t.line")
    canvas(page, "t.train").scroll_into_view_if_needed()
    drawn(page, "t.train")
    assert page.locator('[data-src^="charts/"]').count() >= 1


def test_a_chart_in_a_fold_waits_and_then_fits(reader: Reader, charts: Site) -> None:
    """Nothing is drawn in a hidden box; opened, it is as wide as its place."""
    page = reader.open(charts)
    drawn(page, "t.line")
    assert page.evaluate("document.querySelector('#fold .main-svg')") is None
    page.locator("#fold > summary").click()
    drawn(page, "t.fold")
    picture, place = width(page, "t.fold")
    assert picture == place > 300


def test_a_chart_follows_the_width(reader: Reader, charts: Site) -> None:
    """Narrower and wider again; on a phone the page is not wider than the screen."""
    page = reader.open(charts)
    drawn(page, "t.line")
    for screen in (375, 900):
        page.set_viewport_size({"width": screen, "height": 800})
        page.wait_for_function(
            "() => { const c = document.querySelector('[id=\"t.line\"] .chart-canvas');"
            " return Number(c.querySelector('.main-svg').getAttribute('width')) === c.offsetWidth }"
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= screen


def test_a_chart_follows_the_palette_without_reload(reader: Reader, charts: Site) -> None:
    """Night and day: the line has the palette's ink both times."""
    page = reader.open(charts)
    drawn(page, "t.line")
    day = stroke(page, "t.line")
    page.evaluate("document.body.dataset.mdColorScheme = 'slate'")
    page.wait_for_function(f"getComputedStyle({LINE}).stroke !== '{day}'")
    night = page.evaluate("getComputedStyle(document.body).getPropertyValue('--ink-pre').trim()")
    red, green, blue = (int(night[i : i + 2], 16) for i in (1, 3, 5))
    assert stroke(page, "t.line") == f"rgb({red}, {green}, {blue})"
    page.evaluate("document.body.dataset.mdColorScheme = 'default'")
    page.wait_for_function(f"getComputedStyle({LINE}).stroke === '{day}'")


def test_paper_is_light_fitted_and_complete(reader: Reader, charts: Site) -> None:
    """In print also the chart in a closed fold and the far one are drawn, light, not wider than an A4 page."""
    page = reader.open(charts)
    drawn(page, "t.line")
    day = stroke(page, "t.line")
    page.evaluate("document.body.dataset.mdColorScheme = 'slate'")
    page.wait_for_function("document.querySelector('[id=\"t.train\"] .chart-canvas').matches('.is-drawn')")
    noted = f"window.seen = {PICTURES}; window.ink = getComputedStyle({LINE}).stroke"
    page.evaluate(f"addEventListener('beforeprint', () => {{ {noted} }})")
    page.pdf(format="A4")
    seen = page.evaluate("window.seen")
    assert len(seen) == 4
    assert all(0 < picture <= 645 for picture in seen)
    assert page.evaluate("window.ink") == day
    page.wait_for_function(f"getComputedStyle({LINE}).stroke !== '{day}'")
    picture, place = width(page, "t.line")
    assert picture == place


def test_controls_choose_what_is_shown(reader: Reader, charts: Site) -> None:
    """Metric, runs, smoothing and axis by mouse; the line below says what is shown; default comes back."""
    page = reader.open(charts)
    canvas(page, "t.train").scroll_into_view_if_needed()
    drawn(page, "t.train")
    box = page.locator('[id="t.train"]')
    state, lines = box.locator(".chart-state"), box.locator(".scatterlayer .trace")
    expect(state).to_have_text("显示训练损失：「pre」「post」；不平滑。")
    expect(lines).to_have_count(2)
    box.get_by_label("post").uncheck()
    expect(lines).to_have_count(1)
    box.get_by_label("指标").select_option("norm")
    box.get_by_label("平滑").select_option("25")
    box.get_by_label("对数轴").check()
    expect(state).to_have_text("显示梯度范数（对数轴）：「pre」；相邻 25 点平均。")
    expect(box.locator(".chart-axis")).to_have_text("梯度范数（对数轴）")
    expect(lines).to_have_count(2)  # the raw line stays faintly behind the smooth one
    box.get_by_role("button", name="恢复默认").click()
    expect(state).to_have_text("显示训练损失：「pre」「post」；不平滑。")


def test_controls_by_keyboard(reader: Reader, charts: Site) -> None:
    """Tab reaches each control, space and arrows work them."""
    page = reader.open(charts)
    canvas(page, "t.train").scroll_into_view_if_needed()
    drawn(page, "t.train")
    box = page.locator('[id="t.train"]')
    box.get_by_label("指标").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(box.locator(".chart-state")).to_have_text("显示梯度范数：「post」；不平滑。")
    spoken = page.evaluate("document.querySelector('[role=status]').textContent")
    assert spoken.strip() == "显示梯度范数：「post」；不平滑。"


def test_nothing_is_left_after_twenty_visits(reader: Reader, charts: Site) -> None:
    """Leaving a page frees its charts; coming back draws them again, once."""
    page = reader.open(charts)
    drawn(page, "t.line")
    for _ in range(20):
        page.evaluate(REPLACED)
    page.wait_for_function("document.querySelector('[id=\"t.line\"] .main-svg')")
    drawn(page, "t.line")
    assert canvas(page, "t.line").locator(".plot-container").count() == 1
    assert page.locator('[id="t.train"] .chart-controls').count() <= 1
    assert page.locator("script[src$='plotly.js']").count() == 1


def test_without_the_library_the_table_is_open(read: Callable[..., Reader], charts: Site) -> None:
    """A library that cannot be loaded leaves the data."""
    visitor = read()
    visitor.context.route("**/plotly.js", lambda route: route.fulfill(status=404, body=""))
    page = visitor.open(charts)
    expect(page.locator('[id="t.line"] .data-table')).to_be_visible()
    expect(canvas(page, "t.line")).to_be_hidden()
    visitor.faults.clear()  # the browser complains, and says so on the console: that is wanted


def test_without_scripts_the_table_is_there(read: Callable[..., Reader], charts: Site) -> None:
    """No empty box; the fold of the data opens by itself."""
    visitor = read(java_script_enabled=False)
    page = visitor.page
    page.goto(charts.url + "index.html")
    expect(canvas(page, "t.line")).to_be_hidden()
    page.locator('[id="t.line"] .chart-data > summary').click()
    expect(page.locator('[id="t.line"] .data-table')).to_be_visible()


@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("screen", [1440, 375])
def test_charts_are_for_everyone(read: Callable[..., Reader], charts: Site, scheme: str, screen: int) -> None:
    """Axe finds nothing on charts, controls, diagrams and formulas, in both palettes, on desk and phone."""
    page = read(viewport={"width": screen, "height": 900}).open(charts)
    page.evaluate(f"document.body.dataset.mdColorScheme = '{scheme}'")
    page.locator("#fold > summary").click()
    for name in ("t.line", "t.fold", "t.train"):
        canvas(page, name).scroll_into_view_if_needed()
        drawn(page, name)
    page.wait_for_timeout(300)
    answer = Axe().run(page)
    assert answer.violations_count == 0, answer.generate_report()


def test_a_root_leaves_no_air(reader: Reader, charts: Site) -> None:
    """The box of a root ends where its content ends (Chromium reserves the widest variant of the glyph)."""
    page = reader.open(charts)
    page.evaluate("document.fonts.load('20px \"Course Math\"', '√')")
    page.wait_for_function("document.fonts.check('20px \"Course Math\"', '√')")
    air = page.evaluate(
        "() => { const r = document.querySelector('#root msqrt');"
        " return r.getBoundingClientRect().right - r.lastElementChild.getBoundingClientRect().right }"
    )
    assert abs(air) < 1
