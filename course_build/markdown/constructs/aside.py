"""`/// aside`: a note in the margin; on a narrow page it stands in place."""

from __future__ import annotations

from course_build.markdown.construct import Block, Construct
from course_build.markdown.elements import put


def expand(block: Block) -> None:
    """Wrap the body in an <aside>."""
    body = block.take_body()
    put(block.element, "aside", class_="margin-note")
    block.element.extend(body)


CONSTRUCT = Construct("aside", __doc__, expand, argument=False)
