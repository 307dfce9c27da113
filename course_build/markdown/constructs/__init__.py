"""The blocks of the author's language: one module each, a spec with its own doc string."""

from __future__ import annotations

from course_build.markdown.construct import Construct
from course_build.markdown.constructs import (
    aside,
    chart,
    claim,
    diagram,
    evolution,
    formula,
    generated,
    keeps,
    lab,
    live,
    myth,
    promise,
    table,
)

CONSTRUCTS: dict[str, Construct] = {
    module.CONSTRUCT.name: module.CONSTRUCT
    for module in (
        aside, chart, claim, diagram, evolution, formula, generated, keeps, lab, live, myth, promise, table,
    )
}  # fmt: skip
