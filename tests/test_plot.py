"""Static line charts: the same text in Python and in the browser, and readable in every range."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest

from course_build.plot import log_ticks, plot, tick_text, whole_ticks, y_range
from tests.jsrun import run_js

PLOT = "course_build/web/plot.js"


def spec(**changes: Any) -> dict[str, Any]:
    """Return a small chart's spec."""
    base: dict[str, Any] = {
        "label": "曲线 <一> & \"二\" 'x'",
        "title": "RMS（对数轴）",
        "height": 200,
        "x": [0, 1, 2, 3],
        "xname": "子层",
        "y": [0.5, 10],
        "log": True,
        "lines": [
            {"y": [1, 2, None, 4.5], "ink": "ink-a", "name": "本网络"},
            {"y": [1, 1.5, 2, 4.4], "ink": "ink-b", "name": "理论"},
        ],
        "bands": [{"low": [1, 0.9, None, 3], "high": [1, 2, None, 6], "ink": "ink-a"}],
    }
    return base | changes


SPECS = [
    spec(),
    spec(side="left"),
    spec(bands=[], marks=[{"y": 1, "name": "一"}, {"y": 2}]),
    spec(lines=[{"y": [1e-290, 1e-100, 1, 3], "ink": "a", "name": "小"}], bands=[]),
    spec(lines=[{"y": [1, 1e5, 1e16, 1e33], "ink": "a"}], bands=[]),
    spec(lines=[{"y": [None, None, None, None], "ink": "a", "name": "空"}], bands=[]),
    spec(
        log=False,
        y=[0, 1.5],
        ticks=[0, 0.5, 1, 1.5],
        lines=[{"y": [1.5, 1.1, 0.7, 0.335], "ink": "a", "name": "g"}],
        bands=[],
    ),
    spec(x=[0, 0, 0, 0], lines=[{"y": [1, 1, 1, 1], "ink": "a", "name": "g"}], bands=[]),
    spec(x=[0, 43, 86, 128]),
    spec(lines=[{"y": [1, 2, 3, 0.51 + i / 100], "ink": f"i{i}", "name": f"线{i}"} for i in range(5)]),
]


def test_browser_draws_the_same_text() -> None:
    """Every chart is the same HTML, character for character."""
    drawn = run_js([PLOT], "(specs) => specs.map((spec) => course.plot(spec))", SPECS)
    assert [plot(s) for s in SPECS] == drawn


@pytest.mark.parametrize("n", range(1, 129))
def test_whole_ticks_are_few_and_end_inside(n: int) -> None:
    """Every depth has two to six ticks from 0 to at most N."""
    ticks = whole_ticks(n)
    assert ticks[0] == 0
    assert ticks[-1] <= n
    assert 2 <= len(ticks) <= 6


@pytest.mark.parametrize(("low", "high"), [(0.5, 10), (0.5, 50), (0.1, 1e16), (1e-290, 10), (0.01, 10), (1, 10)])
def test_log_ticks_are_few(low: float, high: float) -> None:
    """A logarithmic axis has at least two and at most eight names, all on the axis."""
    ticks = log_ticks(low, high)
    assert 2 <= len(ticks) <= 8
    assert all(low * 0.99 <= t <= high * 1.01 for t in ticks)


def test_tick_names() -> None:
    """Ticks are plain near 1 and powers of ten far from it."""
    assert [tick_text(t) for t in (0, 0.5, 0.001, 1000, 1e4, 1e-4, 1e-290)] == [
        "0",
        "0.5",
        "0.001",
        "1000",
        "10⁴",
        "10⁻⁴",
        "10⁻²⁹⁰",
    ]


def test_axis_keeps_what_must_be_on_it() -> None:
    """An axis is widened by whole decades only where a curve leaves it."""
    assert y_range([0.5, 10], [[1, 2], [None, 9]], log=True) == (0.5, 10)
    assert y_range([0.5, 10], [[0.3, 2]], log=True) == (0.1, 10)
    assert y_range([0.5, 10], [[1, 11]], log=True) == (0.5, 100)
    assert y_range([0, 1.5], [[2.75]], log=False) == (0, 2.75)


def test_names_stand_apart_and_inside() -> None:
    """Names of lines with nearly equal ends keep a line's distance and stay within the area."""
    tops = [float(t) for t in re.findall(r'plot-name [^"]*" style="top:([-\d.]+)px', plot(SPECS[-1]))]
    assert len(tops) == 5
    assert all(b - a >= 16.9 for a, b in pairwise(tops))
    assert max(tops) <= 200


def test_text_is_escaped() -> None:
    """What a caller passes lands as text, in attributes too."""
    assert "曲线 &lt;一&gt; &amp; &quot;二&quot; &#x27;x&#x27;" in plot(spec())
