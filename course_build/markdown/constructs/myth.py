"""`/// myth | 一句流行的错话`: the sentence with ✗, the body is the correction."""

from __future__ import annotations

from course_build.markdown.construct import Block, Construct
from course_build.markdown.elements import child, put
from course_build.strings import TEXT


def expand(block: Block) -> None:
    """Set the wrong sentence above its correction."""
    body = block.take_body()
    put(block.element, "div", class_="myth")
    wrong = child(block.element, "p", class_="myth-wrong")
    child(wrong, "span", "✗", class_="myth-mark", role="img", aria_label=TEXT["myth"]).tail = f" {block.argument}"
    block.element.extend(body)


CONSTRUCT = Construct("myth", __doc__, expand)
