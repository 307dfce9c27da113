"""Charts: quiet deterministic JSON, a closed world of plotted numbers, inks, and the data table."""

import json
import re
from html import unescape
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from course_build.charts.render import INLINE, Chart, render
from course_build.errors import CourseError
from course_build.figures import FigureDef, Table, chart, diagram, ink, table
from course_build.ledger import collecting, ref

DEPTH = [1, 2, 3, 4, 5]
RMS = [1.0, 1.5, 2.25, 3.375, 5.0625]


def define(**more: Any) -> FigureDef:
    """Return the declaration of a chart with the given settings."""
    with collecting() as registry:
        chart("t.chart", **{"title": "题", "summary": "说", "x": "子层", "y": "RMS"} | more)(lambda: None)
    found: FigureDef = registry.figures[0]
    return found


def draw(figure: Any, values: dict[str, Any] | None = None, **more: Any) -> Chart:
    """Render a figure over `depth` and `rms` (or other inputs)."""
    inputs = {"depth": DEPTH, "rms": RMS} if values is None else values
    return render(define(**more), figure, inputs, {"rms": "t.rms"}, ("docs/charts.py", 7))


def line(y: Any = RMS, **more: Any) -> dict[str, Any]:
    """Return one scatter trace."""
    return {"x": DEPTH, "y": y, "name": "残差", **more}


def faults(figure: Any, values: dict[str, Any] | None = None, **more: Any) -> str:
    """Return the sentences of the error that drawing raises."""
    with pytest.raises(CourseError) as caught:
        draw(figure, values, **more)
    assert all((p.path, p.line) == ("docs/charts.py", 7) for p in caught.value.problems)
    return str(caught.value)


def figure_json(drawn: Chart) -> Any:
    """Return the figure that the page carries."""
    found = re.search(r'data-figure="([^"]*)"', drawn.html)
    assert found
    return json.loads(unescape(found[1]))


def test_plotly_and_dict_give_the_same_page() -> None:
    """A go.Figure over numpy arrays and a dict over lists are the same bytes: no template, id or base64."""
    plotly = go.Figure(go.Scatter(x=np.array(DEPTH), y=np.array(RMS), name="残差", line_color=ink("pre")))
    by_hand = {"data": [line(line={"color": ink("pre")})]}
    assert draw(plotly).html == draw(by_hand).html == draw(plotly).html
    assert figure_json(draw(plotly))["data"][0]["y"] == RMS
    assert "bdata" not in draw(plotly).html
    assert "template" not in draw(plotly).html


def test_inks_and_axes_are_in_the_json() -> None:
    """Colours are names, axes carry their Chinese titles, a logarithmic one says so."""
    data = figure_json(draw({"data": [line(line={"color": ink("pre", 0.5)})]}, log="y"))
    assert data["data"][0]["line"]["color"] == "ink:pre/0.5"
    assert data["layout"]["xaxis"]["title"]["text"] == "子层"
    assert data["layout"]["yaxis"] == {"title": {"text": "RMS（对数轴）"}, "type": "log"}
    assert figure_json(draw({"data": [line()]}))["data"][0]["line"]["color"] == "ink:accent"


@pytest.mark.parametrize(
    "y",
    [
        RMS,
        RMS[1:4],
        RMS[::2],
        RMS[::-1],
        [RMS[-1]],
        [RMS[3], RMS[0]],
        [2.0, 2.0, 2.0, 2.0, 2.0],
        np.array(RMS),
        tuple(RMS),
    ],
)
def test_declared_numbers_may_be_plotted(y: Any) -> None:
    """A vector, its slices, picked elements and level lines of single numbers pass."""
    draw({"data": [{"y": y}]}, {"rms": RMS, "limit": 2.0})


@pytest.mark.parametrize(
    ("values", "y"),
    [
        ({"rows": [[1.5, 2.5], [3.5, 4.5]]}, [1.5, 3.5]),
        ({"log": [{"step": 10, "loss": 4.5}, {"step": 20, "loss": None}]}, [4.5, None]),
        ({"member": {"a": {"curve": [7.5, 8.5]}, "b": 9.5}}, [7.5, 8.5]),
        ({"member": {"a": 1.25, "b": 9.5}}, [9.5, 1.25]),
        ({"gap": [1.5, float("nan"), 2.5]}, [1.5, float("nan"), 2.5]),
    ],
)
def test_members_columns_and_gaps_count_as_declared(values: dict[str, Any], y: list[Any]) -> None:
    """Rows, columns, keys of records and members of dicts are inputs; what is not finite is a gap."""
    draw({"data": [{"y": y}]}, values)


@pytest.mark.parametrize(
    ("trace", "said"),
    [
        (line([1.0, 1.5, 2.25, 3.375, 5.1]), "trace 0 '残差': y is no declared input or slice of one"),
        (line([1.0, 1.5, 2.25, 3.375, 5.1]), "(position 4: 5.1, input t.rms has 5.0625)"),
        (line([v * 2 for v in RMS]), "position 0: 2.0, input depth has 1"),
        (line([*RMS, 6.0]), "position 5: 6.0, input t.rms has its end"),
        (line(error_y={"array": [0.1] * 5}), "error_y.array"),
        (line(error_y={"type": "constant", "value": 0.3}), "error_y.value = 0.3"),
        ({"y": RMS, "x": [10, 20, 30, 40, 50]}, "x is no declared input"),
        ({"y": [3, 4, 5]}, ""),
        ({"y": [7, 8, 9]}, "y is no declared input"),
        ({"y": RMS, "x0": 3, "dx": 7}, "dx = 7"),
        ({"type": "pie", "labels": ["甲"], "values": [0.3]}, "values"),
        ({"type": "bar", "x": ["甲"], "y": [0.3]}, "y is no declared"),
        (line(marker={"size": [3.5, 4.5]}), "marker.size"),
    ],
)
def test_other_numbers_are_refused_with_trace_and_position(trace: dict[str, Any], said: str) -> None:
    """What no input explains names the trace, the place and what stands there in the nearest input."""
    if not said:
        draw({"data": [trace]})
        return
    assert said in faults({"data": [trace]})


def test_positions_may_count() -> None:
    """Consecutive whole numbers on the counting axis need no fact, and a level line may span the same axis."""
    draw({"data": [{"x": list(range(5)), "y": RMS, "name": "a"}, {"x": [0, 4], "y": [1.0, 1.0], "name": "b"}]})
    draw({"data": [{"type": "bar", "orientation": "h", "y": [0, 1, 2, 3, 4], "x": RMS}]})
    assert "x is no declared" in faults({"data": [{"x": [0, 2, 4, 6, 8], "y": RMS}]}, {"rms": RMS})


def test_marks_stand_at_declared_numbers() -> None:
    """Shapes and annotations are part of the closed world, unless they are placed on the paper."""
    layout = {"shapes": [{"type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": 1.5, "y1": 1.5}]}
    draw({"data": [line()], "layout": layout})
    layout["shapes"][0]["y0"] = 1.6
    assert "layout.shapes[0].y0 = 1.6" in faults({"data": [line()], "layout": layout})


@pytest.mark.parametrize(
    ("figure", "more", "said"),
    [
        ({"data": []}, {}, "with a trace"),
        (None, {}, "must return"),
        ({"data": [line(type="scattergl")]}, {}, "'scattergl'; only scatter, bar, pie"),
        ({"data": [line(line={"color": "#f00"})]}, {}, "line.color: colour '#f00' does not follow"),
        ({"data": [line(line={"color": "ink:pree"})]}, {}, "nearest: pre"),
        ({"data": [line(), {"x": DEPTH, "y": RMS}]}, {}, "trace 1 has no name"),
        ({"data": [line(name=str(i)) for i in "abcde"]}, {}, "5 lines at once"),
        ({"data": [line()], "layout": {"title": "x"}}, {}, "layout.title is the page's"),
        ({"data": [line()], "layout": {"yaxis": {"type": "log"}}}, {}, "layout.yaxis.type is the page's"),
        ({"data": [line([0, 1.5])]}, {"log": "y"}, "y holds 0"),
        ({"data": [line()]}, {"controls": "runs"}, "needs meta={'run'"),
        ({"data": [line(object())]}, {}, "cannot be drawn"),
    ],
)
def test_what_the_page_cannot_show_is_refused(figure: Any, more: dict[str, Any], said: str) -> None:
    """Types, colours, names, counts, layout and logs that would fail or mislead in the browser."""
    assert said in faults(figure, {"depth": DEPTH, "rms": RMS, "zero": [0, 1.5]}, **more)


def test_dashes_hidden_lines_and_bands_do_not_count_as_lines() -> None:
    """Four curves may have theory and band beside them."""
    curves = [line(name=str(i)) for i in "abcd"]
    dashed = line(name="理论", line={"dash": "dash"})
    edge = {"x": DEPTH, "y": RMS, "line": {"width": 0}}
    draw({"data": [*curves, dashed, line(name="e", visible="legendonly"), edge, {**edge, "fill": "tonexty"}]})


def test_small_figures_are_escaped_attributes() -> None:
    """Quotes and tags in names cannot leave the attribute or the table."""
    name = "</script><b>\"'&"
    html = draw({"data": [line(name=name)]}).html
    assert "<b>" not in html
    assert figure_json(draw({"data": [line(name=name)]}))["data"][0]["name"] == name


def test_large_figures_lie_in_a_script_named_by_content() -> None:
    """Above 10 kB the page holds a path; the script calls course.chartData with the same path."""
    long = [i / 7 for i in range(2000)]
    drawn = draw({"data": [{"y": long}]}, {"long": long})
    assert drawn.script is not None
    path, text = drawn.script
    assert re.fullmatch(r"charts/t\.chart\.[0-9a-f]{12}\.js", path)
    assert f'data-src="{path}"' in drawn.html
    assert len(text) > INLINE > len(drawn.html)
    assert json.loads(text.removeprefix(f'course.chartData("{path}", ').removesuffix(");\n"))["data"][0]["y"] == long


def rows(html: str) -> list[list[str]]:
    """Return the cells of every table row."""
    return [
        [unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", html)
    ]


def test_series_on_the_same_positions_share_a_table() -> None:
    """Columns side by side, numbers by the display rule, a band as one column, a gap as a dash."""
    gap = [1.0, None, 2.25, 1.0, 1.0]
    edge = {"x": DEPTH, "line": {"width": 0}}
    data = [{**edge, "y": RMS}, {**edge, "y": RMS[::-1], "fill": "tonexty"}, line(gap)]
    table = rows(draw({"data": data}, {"depth": DEPTH, "rms": RMS, "gap": gap}, y_format=".2f").html)
    assert table[0] == ["子层", "残差的范围", "残差"]
    assert table[1] == ["1", "1.00 – 5.06", "1.00"]
    assert table[2] == ["2", "1.50 – 3.38", "—"]


def test_series_on_other_positions_follow_each_other() -> None:
    """Different x: the first column names the series."""
    table = rows(draw({"data": [line(), {"x": [2, 3], "y": [1.5, 2.25], "name": "另"}]}).html)
    assert table[0] == ["", "子层", "RMS"]
    assert table[1] == ["残差", "1", "1"]
    assert table[-1] == ["另", "3", "2.25"]


def test_error_bars_are_in_the_table_and_bars_carry_values() -> None:
    """± for whiskers; a bar without them carries its value, formatted by Python."""
    bar = {"type": "bar", "x": ["甲", "乙"], "y": [1.5, 2.25], "name": "损失"}
    whiskers = {**bar, "error_y": {"array": [1.0, 1.5], "arrayminus": [1.0, 1.0]}}
    table = rows(draw({"data": [whiskers]}, y_format=".1f").html)
    assert table[1:] == [["甲", "1.5 ± 1.0"], ["乙", "2.3（+1.5，−1.0）"]]
    assert figure_json(draw({"data": [bar]}, y_format=".1f"))["data"][0]["text"] == ["1.5", "2.3"]
    assert figure_json(draw({"data": [whiskers]}, y_format=".1f"))["data"][0]["textposition"] == "none"
    level = {"x": ["甲", "乙"], "y": [1.5, 1.5], "name": "下限"}
    assert figure_json(draw({"data": [whiskers, level]}))["data"][0]["text"] == ["1.5", "2.25"]
    beside = {**whiskers, "name": "乙"}
    assert "text" not in figure_json(draw({"data": [whiskers, beside]}))["data"][0]


def test_long_series_are_thinned_and_say_so() -> None:
    """33 rows with first and last; the note says that the picture has all."""
    long = [float(i) for i in range(1000)]
    drawn = draw({"data": [{"y": long}]}, {"long": long})
    table = rows(drawn.html)
    assert len(table) == 34
    assert (table[1][0], table[-1][0]) == ("0", "999")
    assert "等距取样" in drawn.html
    assert "等距取样" not in draw({"data": [line()]}).html


def test_each_metric_has_its_table() -> None:
    """A chart with metrics shows one at a time; the tables show all."""
    data = [line(meta={"run": "a", "metric": "loss"}), line(meta={"run": "a", "metric": "norm"})]
    html = draw({"data": data}, controls="runs metric", metrics={"loss": "损失", "norm": "梯度范数"}).html
    assert re.findall(r"<caption>(.*?)</caption>", html) == ["损失", "梯度范数"]
    assert 'data-controls="runs metric"' in html


def test_words_of_the_picture_are_handed_out() -> None:
    """Names, categories and annotations are checked for typed numerals by the caller; our own bar labels are not."""
    bar = {"type": "bar", "x": ["第 1 组", "乙"], "y": [1.5, 2.25], "name": "N = 5"}
    note = {"x": 0, "xref": "paper", "y": 1.5, "text": "上限 7"}
    drawn = draw({"data": [bar], "layout": {"annotations": [note]}})
    assert set(drawn.texts) == {"子层", "RMS", "第 1 组", "乙", "N = 5", "上限 7"}


def test_declaring_collects_and_returns_the_function() -> None:
    """Decorators keep the function usable; ids, logs, controls and inks are checked at once."""
    with collecting() as registry:

        @chart("t.a", title="题", summary="说", log="y")
        def a(rms: Any = ref("t.rms")) -> Any:  # noqa: B008
            return rms

        table("t.b")(lambda: Table(["甲"], [["1"]]))
        diagram("t.c", title="题", summary="说")(lambda: None)
    assert a(3) == 3
    assert [(d.kind, d.id) for d in registry.figures] == [("chart", "t.a"), ("table", "t.b"), ("diagram", "t.c")]
    assert registry.figures[0].inputs == {"rms": ref("t.rms")}
    assert registry.figures[0].looks["log"] == "y"
    for bad in (
        lambda: chart("Bad", title="题", summary="说"),
        lambda: chart("t.a", title="题", summary="说", log="z"),
        lambda: chart("t.a", title="题", summary="说", controls="smooth"),
        lambda: chart("t.a", title="题", summary=""),
        lambda: ink("rms"),
        lambda: ink("pre", 2),
        lambda: Table(["甲", "乙"], [["1"]]),
    ):
        with pytest.raises(ValueError, match=r"t\.a|Bad|ink|row 1"):
            bad()
