"""`/// generated | ledger`: a table of the whole course (ledger, evidence, promises) or the legend of kinds."""

from __future__ import annotations

from course_build.evidence import Kind
from course_build.markdown.construct import Block, Construct
from course_build.markdown.elements import badge, child, put
from course_build.strings import LEGEND

WHOLE_COURSE = ("ledger", "evidence", "promises", "syntax")


def placeholder(name: str) -> str:
    """Return what stands in a page until every page has been read."""
    return f"<!--course:{name}-->"


def expand(block: Block) -> None:
    """Leave a placeholder, or write the legend at once."""
    block.take_body()
    if block.argument == "legend":
        put(block.element, "dl", class_="legend")
        for kind in Kind:
            row = child(block.element, "div")
            badge(child(child(row, "dt"), "span"), kind)
            child(row, "dd", LEGEND[kind])
    elif block.argument in WHOLE_COURSE:
        put(
            block.element,
            "div",
            block.stash(placeholder(block.argument)),
            class_=f"generated generated-{block.argument}",
        )
    else:
        put(block.element, "div")
        block.fail(f"generated: unknown table {block.argument!r}, one of legend, {', '.join(WHOLE_COURSE)}")


CONSTRUCT = Construct("generated", __doc__, expand)
