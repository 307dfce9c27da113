"""A declared chart, drawn: its figure as quiet JSON for the browser, and its data table.

The JSON holds what the author decided (data, names, inks); the look (fonts, rules, margins, labels at line
ends) is web/charts.js's, which knows the width of the column and the palette of the moment.  No template, no
random id, no base64: the same figure gives the same bytes, and a reviewer can read the numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from course_build.charts.plotted import canonical_ink, ground, plain, walk
from course_build.charts.pool import Pool, is_number
from course_build.charts.series import data_table, is_edge
from course_build.errors import CourseError, Problem, nearest
from course_build.figures import FigureDef
from course_build.strings import TEXT
from course_build.value import format_number

LINES = 4  # more cannot be told apart, nor labelled at their ends
INLINE = 10_000  # bytes of JSON in the page; more lies in a script of its own
BARS_LABELLED = 12
FOLDER = "charts"  # of the data scripts, beside the site's own scripts
TYPES = ("scatter", "bar", "pie")  # what the basic bundle of plotly.js draws
LAYOUT = ("xaxis", "yaxis", "barmode", "bargap", "bargroupgap", "shapes", "annotations")
AXIS = ("range", "tickvals", "ticktext", "tickmode", "dtick", "tick0", "nticks", "rangemode", "categoryorder",
        "categoryarray", "zeroline", "showticklabels", "autorange")  # fmt: skip
_DEFAULT_INKS = ("ink:accent", "ink:warm", "ink:cool", "ink:grey")
_TEXT_KEYS = ("name", "text", "labels", "ticktext", "hovertext", "hovertemplate", "texttemplate", "x", "y")


@dataclass(frozen=True)
class Chart:
    """A chart ready for its page."""

    html: str  # controls, canvas, key, data table
    script: tuple[str, str] | None  # (path beside the site's scripts, text), when the data is large
    texts: tuple[str, ...]  # words in the picture, to be checked for typed numerals


def render(
    definition: FigureDef,
    returned: Any,
    values: Mapping[str, Any],
    ids: Mapping[str, str],
    place: tuple[str, int] = ("", 0),
) -> Chart:
    """Return the HTML of a chart.

    The page gives its caption the id `ID-title` and its summary `ID-summary`: they name the canvas.

    Args:
        definition: what `@chart` declared.
        returned: what its function returned: a plotly Figure, or {"data": […], "layout": {…}}.
        values, ids: of its inputs, by parameter.
        place: path and line for problems.

    Raises:
        CourseError: every fault of the figure: unknown trace type, foreign colour, undeclared number.
    """
    try:
        figure = _figure(plain(returned))
        pool = Pool.of(plain(values), ids)
    except ValueError as error:
        raise CourseError(Problem(*place, f"chart {definition.id}: {error}")) from None
    faults = [*_faults(figure, definition), *ground(figure, pool)]
    if not faults:
        _inks(figure, faults)
    if faults:
        raise CourseError(Problem(*place, f"chart {definition.id}: {fault}") for fault in faults)
    texts = tuple(_texts(figure, definition))
    _finish(figure, definition)
    text = _json({**figure, "rules": {"x": definition.x_format, "y": definition.y_format}})
    script = _script(definition.id, text) if len(text) > INLINE else None
    html = _html(definition, figure, text, script[0] if script else "")
    return Chart(html, script, texts)


def _figure(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("data"), list) or not value["data"]:
        raise ValueError("the function must return a plotly Figure or {'data': [trace, …]}, with a trace")
    layout = value.get("layout") or {}
    layout.pop("template", None)
    return {"data": value["data"], "layout": layout}


def _faults(figure: dict[str, Any], definition: FigureDef) -> list[str]:
    """Return what the page cannot show."""
    found = []
    for index, trace in enumerate(figure["data"]):
        found += _trace_faults(index, trace, definition, alone=len(figure["data"]) == 1)
    for key, value in figure["layout"].items():
        if key not in LAYOUT:
            found.append(f"layout.{key} is the page's; leave it out{nearest(key, LAYOUT)}")
        elif key.endswith("axis"):
            foreign = [part for part in value if part not in AXIS]
            found += [f"layout.{key}.{part} is the page's (title, log: @chart); leave it out" for part in foreign]
    lines = [trace for trace in figure["data"] if _is_line(trace) and trace.get("visible", True) is True]
    for metric in sorted({_meta(trace, "metric") for trace in lines}):
        count = sum(_meta(trace, "metric") == metric for trace in lines)
        if count > LINES:
            found.append(f"{count} lines at once, at most {LINES} are told apart; visible='legendonly' hides one")
    return found


def _trace_faults(index: int, trace: dict[str, Any], definition: FigureDef, *, alone: bool) -> list[str]:
    """Return a foreign type, a missing name, zeros on a logarithmic axis, a missing mark for the controls."""
    found = []
    kind = trace.setdefault("type", "scatter")
    if kind not in TYPES:
        found.append(f"trace {index} is a {kind!r}; only {', '.join(TYPES)} are drawn")
    if not trace.get("name") and kind != "pie" and not alone and not is_edge(trace):
        found.append(f"trace {index} has no name; table and labels need one")
    for axis in definition.log:
        low = [item for item in trace.get(axis) or [] if is_number(item) and item <= 0]
        if low:
            found.append(f"trace {index}: {axis} holds {low[0]!r}, which a logarithmic axis cannot show")
    for control, key in (("runs", "run"), ("metric", "metric")):
        if control in definition.controls and not _meta(trace, key):
            found.append(f"trace {index}: controls={control!r} needs meta={{{key!r}: …}} in every trace")
    return found


def _is_line(trace: Mapping[str, Any]) -> bool:
    """Edges of bands and dashed companions (theory beside its curve) are not counted."""
    drawn = trace["type"] == "scatter" and "lines" in trace.get("mode", "lines") and not is_edge(trace)
    return drawn and (trace.get("line") or {}).get("dash", "solid") == "solid"


def _meta(trace: Mapping[str, Any], key: str) -> str:
    meta = trace.get("meta")
    return str(meta.get(key, "")) if isinstance(meta, dict) else ""


def _inks(figure: dict[str, Any], faults: list[str]) -> None:
    """Turn every colour into `ink:NAME`; a trace without one gets the next default."""
    for index, trace in enumerate(figure["data"]):
        if trace["type"] != "pie":
            part = trace.setdefault("marker" if trace["type"] == "bar" else "line", {})
            own = part.get("color") or (trace.get("marker") or {}).get("color")
            part["color"] = own or _DEFAULT_INKS[index % len(_DEFAULT_INKS)]
        elif not (trace.get("marker") or {}).get("colors"):
            count = len(trace.get("values") or [])
            trace.setdefault("marker", {})["colors"] = [_DEFAULT_INKS[i % 4] for i in range(count)]
    _recolor(figure, "", faults)


def _recolor(value: Any, path: str, faults: list[str]) -> None:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in list(items):
        inside = f"{path}.{key}" if path else str(key)
        if isinstance(key, str) and (key.endswith("color") or key == "colors"):
            try:
                value[key] = [canonical_ink(c) for c in item] if isinstance(item, list) else canonical_ink(str(item))
            except ValueError as error:
                faults.append(f"{inside}: {error}")
        else:
            _recolor(item, inside, faults)


def _finish(figure: dict[str, Any], definition: FigureDef) -> None:
    """Name the axes; write values on bars, above the whiskers of a single row, not on grouped ones with whiskers."""
    for axis, name in (("x", definition.x), ("y", definition.y)):
        settings = figure["layout"].setdefault(f"{axis}axis", {})
        settings["title"] = {"text": name + ("（对数轴）" if axis in definition.log and "对数" not in name else "")}
        if axis in definition.log:
            settings["type"] = "log"
    rows = sum(trace["type"] == "bar" for trace in figure["data"])
    stacked = figure["layout"].get("barmode") in ("stack", "relative")
    for trace in figure["data"]:
        along = "x" if trace.get("orientation") == "h" else "y"
        numbers = trace.get(along) or []
        whiskers = f"error_{along}" in trace
        crowded = len(numbers) > BARS_LABELLED or stacked or (whiskers and rows > 1)
        if trace["type"] == "bar" and "text" not in trace and not crowded:
            rule = definition.x_format if along == "x" else definition.y_format
            trace["text"] = ["" if item is None else format_number(item, rule) for item in numbers]
            trace["textposition"] = "none" if whiskers else "outside"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _script(name: str, text: str) -> tuple[str, str]:
    path = f"{FOLDER}/{name}.{hashlib.sha256(text.encode()).hexdigest()[:12]}.js"
    safe = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return path, f"course.chartData({json.dumps(path)}, {safe});\n"


def _html(definition: FigureDef, figure: dict[str, Any], text: str, script: str) -> str:
    name = escape(definition.id)
    more = f'data-src="{escape(script)}"' if script else f'data-figure="{escape(text)}"'
    if definition.metrics:
        more += f' data-metrics="{escape(_json(list(definition.metrics.items())))}"'
    if definition.controls:
        more += f' data-controls="{" ".join(definition.controls)}"'
    table = data_table(definition, figure["data"])
    return (
        f'<div class="chart-canvas" style="--chart-height:{definition.height}px" {more}'
        f' role="img" aria-labelledby="{name}-title" aria-describedby="{name}-summary"></div>'
        f'<details class="chart-data"><summary>{TEXT["chart.data"]}</summary>{table}</details>'
    )


def _texts(figure: dict[str, Any], definition: FigureDef) -> list[str]:
    """Return every word a reader sees in the picture, once."""
    found = [definition.x, definition.y, *definition.metrics.values()]
    for _, key, value in walk(figure):
        if key in _TEXT_KEYS:
            found.extend(item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str))
    return list(dict.fromkeys(text for text in found if text))
