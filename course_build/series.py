"""The data table of a chart: what the picture shows, for whom it is not seen or not enough."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from course_build.figures import FigureDef
from course_build.pool import is_number
from course_build.value import format_number

_GAP = "—"
ROWS = 33  # longer series are thinned evenly: first and last stay
_THINNED = "数据较多，表中等距取样，首尾保留；图中画的是全部。"

Column = tuple[str, list[Any], Mapping[str, Any]]  # head, values, error bars ({} = none)


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
    """Traces on the same positions stand side by side; others follow each other, named in column one."""
    caption = f"<caption>{escape(metric)}</caption>" if metric else ""
    positions = [_positions(trace) for trace in traces]
    if all(position == positions[0] for position in positions):
        heads = [_axis(definition, traces[0]), *(_name(trace, definition) for trace in traces)]
        columns = [_cells(trace, definition) for trace in traces]
        rows = [
            [cell, *(column[i] for column in columns)]
            for i, cell in enumerate(_shown(positions[0], _position_rule(definition, traces[0])))
        ]
        return _html(caption, heads, rows)
    heads = ["", _axis(definition, traces[0]), definition.y]
    rows, thinned = [], False
    for trace, position in zip(traces, positions, strict=True):
        places = _shown(position, _position_rule(definition, trace))
        kept = _thin(list(zip(places, _cells(trace, definition), strict=True)), ROWS // len(traces) + 2)
        thinned = thinned or len(kept) < len(places)
        rows += [[_name(trace, definition), *pair] for pair in kept]
    return _html(caption, heads, rows, thinned=thinned)


def _horizontal(trace: Mapping[str, Any]) -> bool:
    return trace.get("orientation") == "h"


def _positions(trace: Mapping[str, Any]) -> list[Any]:
    if trace["type"] == "pie":
        return list(trace.get("labels") or [])
    given = trace.get("y" if _horizontal(trace) else "x")
    return list(given) if given else list(range(len(_values(trace))))


def _values(trace: Mapping[str, Any]) -> list[Any]:
    key = "values" if trace["type"] == "pie" else "x" if _horizontal(trace) else "y"
    return list(trace.get(key) or [])


def _axis(definition: FigureDef, trace: Mapping[str, Any]) -> str:
    return (definition.y if _horizontal(trace) else definition.x) or "项"


def _name(trace: Mapping[str, Any], definition: FigureDef) -> str:
    return str(trace.get("name") or (definition.x if _horizontal(trace) else definition.y) or "值")


def _position_rule(definition: FigureDef, trace: Mapping[str, Any]) -> str:
    return definition.y_format if _horizontal(trace) else definition.x_format


def _cells(trace: Mapping[str, Any], definition: FigureDef) -> list[str]:
    """Return the values as text, with `± error` or `+above −below`."""
    rule = definition.x_format if _horizontal(trace) else definition.y_format
    error = trace.get("error_x" if _horizontal(trace) else "error_y") or {}
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


def _html(caption: str, heads: list[str], rows: list[list[str]], *, thinned: bool = False) -> str:
    kept = _thin(rows, ROWS) if not thinned else rows
    note = f'<p class="chart-thinned">{_THINNED}</p>' if thinned or len(kept) < len(rows) else ""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in kept
    )
    table = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'{note}<div class="chart-table">{table}</div>'
