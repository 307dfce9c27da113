"""Small line charts as HTML and SVG text: what stands in a live component before, and without, JavaScript.

The area has a fixed height in px and the container's width: the SVG is stretched in x only (strokes keep their
width), and every word is HTML placed in % and px, so it stays legible on a phone and in print.
`web/plot.js` makes the same text, character for character.

    plot(spec) with
      label      what a screen reader says: the picture in one sentence
      title      the axis' name and unit, with 对数轴 where it is one
      height     of the area in px
      x          positions of the points
      xname      name of the x axis
      y          [lowest, highest] value that must be on the axis
      log        whether y is logarithmic
      ticks      values to be named on a linear axis; a logarithmic one finds its own
      side       where the lines' names stand: "right" at their last points, "left" at their first
      lines      [{y, ink, name}]: ink is a class, name may be missing; None in y leaves a gap
      bands      [{low, high, ink}]
      marks      [{y, name}]: horizontal lines with a meaning
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from itertools import pairwise
from typing import Any

WIDE = 1000  # units of the area's width
GAP = 17  # px between the names of two lines
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Curve = Sequence[float | None]


def plot(spec: dict[str, Any]) -> str:
    """Return the chart's HTML."""
    height, xs, lines, bands = spec["height"], spec["x"], spec["lines"], spec.get("bands", [])
    log = bool(spec.get("log"))
    low, high = y_range(
        spec["y"], [*(line["y"] for line in lines), *(b[k] for b in bands for k in ("low", "high"))], log
    )
    across = _scale(xs[0], xs[-1], WIDE, log=False, down=False)
    down = _scale(low, high, height, log=log, down=True)
    ticks = log_ticks(low, high) if log else spec["ticks"]
    parts = [f'<path class="plot-rule" d="M0 {at(down(t))}H{WIDE}"/>' for t in ticks]
    parts += [f'<path class="plot-band {b["ink"]}" d="{_area(xs, b["low"], b["high"], across, down)}"/>' for b in bands]
    parts += [f'<path class="plot-mark" d="M0 {at(down(m["y"]))}H{WIDE}"/>' for m in spec.get("marks", [])]
    parts += [f'<path class="plot-line {line["ink"]}" d="{_path(xs, line["y"], across, down)}"/>' for line in lines]
    svg = f'<svg viewBox="0 0 {WIDE} {height}" preserveAspectRatio="none" aria-hidden="true">{"".join(parts)}</svg>'
    ys = "".join(f'<span class="plot-tick ticks" style="top:{at(down(t))}px">{tick_text(t)}</span>' for t in ticks)
    x_ticks = whole_ticks(xs[-1])
    below = "".join(f'<span class="plot-tick ticks" style="left:{at(across(t) / 10)}%">{t}</span>' for t in x_ticks)
    side = spec.get("side", "right")
    return (
        f'<div class="plot plot-{side}" role="img" aria-label="{escape(spec["label"])}">'
        f'<div class="plot-title">{escape(spec["title"])}</div>'
        f'<div class="plot-area" style="height:{height}px">{svg}{ys}{_names(spec, down, side)}</div>'
        f'<div class="plot-x">{below}<span class="plot-xname">{escape(spec["xname"])}</span></div></div>'
    )


def y_range(must: Sequence[float], curves: Sequence[Curve], log: bool) -> tuple[float, float]:
    """Return the axis: `must`, widened to whole decades (log) or to the extreme value where a curve leaves it."""
    low, high = must
    values = [v for curve in curves for v in curve if v is not None]
    least, most = min([low, *values]), max([high, *values])
    if not log:
        return least, most
    low = low if least >= low else _decade(math.floor(math.log10(least)))
    high = high if most <= high else _decade(math.ceil(math.log10(most)))
    return low, high


def log_ticks(low: float, high: float) -> list[float]:
    """Return 1, 2, 5 a decade where there are few decades, else powers of ten with equal steps."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if math.log10(high) - math.log10(low) > 2.2:
        step = max(1, math.ceil((last - first) / 5))
        return [_decade(e) for e in range(first, last + 1, step)]
    fine = [m * _decade(e) for e in range(first - 1, last + 1) for m in (1, 2, 5)]
    return [t for t in fine if low * 0.999 <= t <= high * 1.001]


def whole_ticks(last: int) -> list[int]:
    """Return 0 and about four more whole numbers with a step of 1, 2 or 5 times a power of ten."""
    unit = 1
    while True:
        for m in (1, 2, 5):
            if unit * m * 5 >= last:
                return list(range(0, last + 1, unit * m))
        unit *= 10


def tick_text(value: float) -> str:
    """Return a tick's name: plain from 0.001 to 1,000, else a power of ten (whose factor is always 1)."""
    if value == 0 or 0.00099 < value < 1001:
        return f"{value:.4g}"
    return "10" + str(round(math.log10(value))).translate(SUPERSCRIPT)


def at(value: float) -> str:
    """Return a coordinate to a tenth; halves go up, as in JavaScript."""
    return f"{math.floor(value * 10 + 0.5) / 10:.6g}"


def _decade(exponent: int) -> float:
    """Return 10^exponent as its literal (a product of tens would differ in the last bits)."""
    return float(f"1e{exponent}")


def _scale(first: float, last: float, size: float, *, log: bool, down: bool) -> Callable[[float], float]:
    """Return value -> coordinate in 0..size; `down` because SVG's y grows downwards."""
    change: Callable[[float], float] = math.log10 if log else float
    a, b = change(first), change(last)

    def place(value: float) -> float:
        share = (change(value) - a) / ((b - a) or 1)
        return (1 - share) * size if down else share * size

    return place


def _path(xs: Sequence[float], ys: Curve, across: Callable[[float], float], down: Callable[[float], float]) -> str:
    text, pen = [], "M"
    for x, y in zip(xs, ys, strict=True):
        if y is None:
            pen = "M"
            continue
        text.append(f"{pen}{at(across(x))} {at(down(y))}")
        pen = "L"
    return "".join(text)


def _area(
    xs: Sequence[float], low: Curve, high: Curve, across: Callable[[float], float], down: Callable[[float], float]
) -> str:
    """Return the outline of a band where it has both edges."""
    known = [i for i in range(len(xs)) if low[i] is not None and high[i] is not None]
    if len(known) < 2:
        return ""
    there = _path([xs[i] for i in known], [high[i] for i in known], across, down)
    back = _path([xs[i] for i in reversed(known)], [low[i] for i in reversed(known)], across, down)
    return f"{there}L{back[1:]}Z"


def _names(spec: dict[str, Any], down: Callable[[float], float], side: str) -> str:
    """Return the names of lines and marks at their ends, moved apart where they would overlap."""
    named = []
    for item in [*spec["lines"], *spec.get("marks", [])]:
        ys = item["y"] if isinstance(item["y"], list) else [item["y"]]
        known = [y for y in ys if y is not None]
        if item.get("name") and known:
            named.append([down(known[0] if side == "left" else known[-1]), item.get("ink", "plot-grey"), item["name"]])
    named.sort(key=lambda entry: entry[0])
    for above, below in pairwise(named):
        below[0] = max(below[0], above[0] + GAP)
    over = max(0, named[-1][0] - spec["height"]) if named else 0
    for index in range(len(named) - 1, -1, -1):
        named[index][0] -= over
        if index:
            over = max(0, named[index - 1][0] + GAP - named[index][0])
    return "".join(
        f'<span class="plot-name {ink}" style="top:{at(y)}px">{escape(name)}</span>' for y, ink, name in named
    )
