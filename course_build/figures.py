"""Charts, tables and diagrams as an author declares them, in charts.py beside facts.py.

    @chart("norm.chart.sim", title="残差流随深度", summary="没有归一化，…", x="子层", y="RMS", log="y")
    def sim(depth=ref("norm.sim.depth"), rms=ref("norm.sim.rms")):
        return {"data": [{"x": depth, "y": rms, "name": "无归一化", "line": {"color": ink("none")}}]}

A parameter's default is its declared input, as in a fact.  Declaring draws nothing: `course_build.charts.render` and
`course_build.diagram` draw what the function returns.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from course_build.errors import nearest
from course_build.ledger import ID, registry

Function = TypeVar("Function", bound=Callable[..., Any])

INKS = (
    "pre", "post", "layernorm", "rmsnorm", "residual", "none", "theory",
    "accent", "warm", "cool", "grey", "text",
)  # fmt: skip
CONTROLS = ("runs", "metric", "smoothing", "log")


@dataclass(frozen=True)
class Table:
    """A table whose cells are Markdown: `[[ids]]`, badges and formulas work in them.

    Every row has as many cells as `head`; the first column names the row.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, 1):
            if len(row) != len(self.head):
                raise ValueError(f"table row {number} has {len(row)} cells, the head has {len(self.head)}")


@dataclass(frozen=True)
class FigureDef:
    """A declared figure: `kind` is chart, table or diagram; the function gets its inputs' values."""

    kind: str
    id: str
    function: Callable[..., Any]
    title: str
    summary: str
    filename: str  # absolute, as the interpreter knows it
    line: int
    x: str = ""
    y: str = ""
    log: str = ""
    x_format: str = ""
    y_format: str = ""
    height: int = 340
    controls: tuple[str, ...] = ()
    metrics: Mapping[str, str] = field(default_factory=dict)

    @property
    def inputs(self) -> dict[str, Any]:
        """Return parameter name -> declared input, in the order of the signature."""
        return {p.name: p.default for p in inspect.signature(self.function).parameters.values()}

    @property
    def looks(self) -> dict[str, Any]:
        """Return everything but the function and its place: part of the key of what is drawn."""
        return {key: value for key, value in vars(self).items() if key not in ("function", "filename", "line")}


def chart(
    name: str,
    *,
    title: str,
    summary: str,
    x: str = "",
    y: str = "",
    log: str = "",
    x_format: str = "",
    y_format: str = "",
    height: int = 340,
    controls: str = "",
    metrics: Mapping[str, str] | None = None,
) -> Callable[[Function], Function]:
    """Declare the decorated function as the chart `name`; it returns a plotly Figure or the same as a dict.

    Args:
        name: global id, dotted, lower-case ASCII.
        title: what is drawn.  summary: what a reader who cannot see it must know, in one sentence.
        x, y: names of the axes with their unit.  log: the logarithmic axes, "", "x", "y" or "xy".
        x_format, y_format: display rules (value.py) of the data table and the labels on bars.
        height: of the picture, in CSS pixels.
        controls: of "runs metric smoothing log", for traces that carry meta={"run": …, "metric": …}.
        metrics: metric id in meta -> its name, which is then the y axis; the first one is shown at first.
    """
    if log not in ("", "x", "y", "xy"):
        raise ValueError(f"chart {name}: log={log!r}, one of '', 'x', 'y', 'xy' is right")
    for word in controls.split():
        if word not in CONTROLS:
            raise ValueError(f"chart {name}: unknown control {word!r}{nearest(word, CONTROLS)}")
    if not title or not summary:
        raise ValueError(f"chart {name}: title and summary are read where the picture is not seen; give both")
    more = {
        "x": x, "y": y, "log": log, "x_format": x_format, "y_format": y_format, "height": height,
        "controls": tuple(controls.split()), "metrics": dict(metrics or {}),
    }  # fmt: skip
    return _register("chart", name, title, summary, more)


def table(name: str, *, title: str = "") -> Callable[[Function], Function]:
    """Declare the decorated function as the table `name`; it returns a Table."""
    return _register("table", name, title, "", {})


def diagram(name: str, *, title: str, summary: str) -> Callable[[Function], Function]:
    """Declare the decorated function as the diagram `name`; it returns a diagram.Diagram."""
    return _register("diagram", name, title, summary, {})


def ink(name: str, alpha: float = 1.0) -> str:
    """Return the colour of a method, norm or run; the browser looks it up in the palette of the moment.

    The text is a CSS variable because plotly's validator lets these pass, and no other name of ours.
    """
    if name not in INKS:
        raise ValueError(f"unknown ink {name!r}{nearest(name, INKS)} (inks: {', '.join(INKS)})")
    if not 0 <= alpha <= 1:
        raise ValueError(f"ink {name!r}: alpha {alpha} is not between 0 and 1")
    return f"var(--ink-{name})" if alpha == 1 else f"var(--ink-{name}/{alpha:g})"


def _register(kind: str, name: str, title: str, summary: str, more: dict[str, Any]) -> Callable[[Function], Function]:
    if not ID.fullmatch(name):
        raise ValueError(f"{kind} id {name!r}: use dotted lower-case ASCII such as norm.chart.sim")

    def register(function: Function) -> Function:
        code = function.__code__
        registry().figures.append(
            FigureDef(kind, name, function, title, summary, code.co_filename, code.co_firstlineno, **more)
        )
        return function

    return register
