"""`/// keeps | id`: this lesson keeps a promise that an earlier one made."""

from __future__ import annotations

from course_build.markdown.construct import Block, Construct
from course_build.markdown.elements import child, put
from course_build.markdown.state import Keep
from course_build.strings import TEXT


def expand(block: Block) -> None:
    """Note the kept promise."""
    body = block.take_body()
    put(block.element, "div", class_="keeps", id=f"keeps-{block.argument}")
    label = child(block.element, "p", class_="promise-label")
    child(label, "span", "✓", aria_hidden="true").tail = f" {TEXT['keeps']}"
    block.element.extend(body)
    block.page.keeps.append(Keep(block.argument, block.page.lesson, block.page.path, block.line))


CONSTRUCT = Construct("keeps", __doc__, expand)
