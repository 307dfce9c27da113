"""The data table of a chart: what the picture shows, for whom it is not seen or not enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from course_build.charts.pool import is_number
from course_build.figures import FigureDef
from course_build.strings import TEXT
from course_build.value import format_number

ROWS = 33  # longer series are thinned evenly: first and last stay
_GAP = "—"


@dataclass(frozen=True)
class Series:
    """One trace (or the two edges of a band) as a column."""

    name: str
    places: list[str]
    cells: list[str]


def is_edge(trace: Mapping[str, Any]) -> bool:
    """Return whether the trace is an edge of a band: a line that is not drawn."""
    line = trace.get("line") or {}
    return trace["type"] == "scatter" and line.get("width") == 0 and "markers" not in trace.get("mode", "")


def data_table(definition: FigureDef, traces: list[dict[str, Any]]) -> str:
    """Return one table for each metric (one in all for charts without metrics)."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for trace in traces:
        meta = trace.get("meta")
        groups.setdefault(str(meta.get("metric", "")) if isinstance(meta, dict) else "", []).append(trace)
    return "".join(
        _table(definition, group, definition.metrics.get(metric, metric)) for metric, group in groups.items()
    )


def _table(definition: FigureDef, traces: list[dict[str, Any]], metric: str) -> str:
    """Series on the same positions stand side by side; others follow each other, named in column one."""
    columns = _columns(definition, traces)
    flat = traces[0].get("orientation") == "h"
    place, value = (definition.y, definition.x) if flat else (definition.x, definition.y)
    if all(column.places == columns[0].places for column in columns):
        heads = [place or TEXT["chart.item"], *(column.name or value or TEXT["chart.value"] for column in columns)]
        rows = list(zip(columns[0].places, *(column.cells for column in columns), strict=True))
        kept = _thin(rows, ROWS)
    else:
        heads = ["", place or TEXT["chart.item"], metric or value or TEXT["chart.value"]]
        rows, kept = [], []
        for column in columns:
            own = [(column.name, *pair) for pair in zip(column.places, column.cells, strict=True)]
            rows += own
            kept += _thin(own, ROWS // len(columns) + 2)
    return _html(metric, heads, kept, thinned=len(kept) < len(rows))


def _columns(definition: FigureDef, traces: list[dict[str, Any]]) -> list[Series]:
    """Turn traces into columns; two edges become one, named after the next named trace."""
    columns = []
    waiting: dict[str, Any] | None = None
    for index, trace in enumerate(traces):
        cells = _cells(trace, definition)
        if is_edge(trace) and waiting is None:
            waiting = trace
            continue
        name = str(trace.get("name") or "")
        if waiting is not None and is_edge(trace):
            low = _cells(waiting, definition)
            cells = [f"{a} – {b}" for a, b in zip(low, cells, strict=True)]
            owner = next((str(t["name"]) for t in traces[index:] if t.get("name")), "")
            name, waiting = (name or TEXT["chart.band"].format(owner)), None
        rule = definition.y_format if trace.get("orientation") == "h" else definition.x_format
        columns.append(Series(name, _shown(_positions(trace), rule), cells))
    return columns


def _positions(trace: Mapping[str, Any]) -> list[Any]:
    if trace["type"] == "pie":
        return list(trace.get("labels") or [])
    given = trace.get("y" if trace.get("orientation") == "h" else "x")
    return list(given) if given else list(range(len(_values(trace))))


def _values(trace: Mapping[str, Any]) -> list[Any]:
    key = "values" if trace["type"] == "pie" else "x" if trace.get("orientation") == "h" else "y"
    return list(trace.get(key) or [])


def _cells(trace: Mapping[str, Any], definition: FigureDef) -> list[str]:
    """Return the values as text, with `± error` or `（+above，−below）`."""
    flat = trace.get("orientation") == "h"
    rule = definition.x_format if flat else definition.y_format
    error = trace.get("error_x" if flat else "error_y") or {}
    above, below = error.get("array") or [], error.get("arrayminus") or []
    cells = _shown(_values(trace), rule)
    for index, cell in enumerate(cells):
        if cell == _GAP or index >= len(above) or not is_number(above[index]):
            continue
        up = format_number(above[index], rule)
        cells[index] = f"{cell} ± {up}"
        if index < len(below) and is_number(below[index]) and below[index] != above[index]:
            cells[index] = f"{cell}（+{up}，−{format_number(below[index], rule)}）"
    return cells


def _shown(values: list[Any], rule: str) -> list[str]:
    """Numbers by the display rule, texts as they are, gaps as a dash."""
    return [_GAP if v is None else format_number(v, rule) if is_number(v) else str(v) for v in values]


def _thin(rows: list[Any], limit: int) -> list[Any]:
    """Return at most `limit` rows, evenly spaced, with the first and the last."""
    if len(rows) <= limit:
        return rows
    last = len(rows) - 1
    return [rows[i * last // (limit - 1)] for i in range(limit)]


def _html(metric: str, heads: list[str], rows: list[tuple[str, ...]], *, thinned: bool) -> str:
    caption = f"<caption>{escape(metric)}</caption>" if metric else ""
    note = f'<p class="chart-thinned">{TEXT["chart.thinned"]}</p>' if thinned else ""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    table = f'<table class="data-table">{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f'{note}<div class="scroll">{table}</div>'
