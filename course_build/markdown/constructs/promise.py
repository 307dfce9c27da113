"""`/// promise | id` with `to: c8/02`: the body defers something; the site lists it until that lesson keeps it."""

from __future__ import annotations

import re
from typing import Any

from course_build.markdown.construct import Block, Construct
from course_build.markdown.elements import child, put
from course_build.strings import TEXT, lesson_name


def target(value: Any) -> str:
    """Accept a course part or a lesson in it: c3, c8/02."""
    if not isinstance(value, str) or not re.fullmatch(r"c\d+(/\d+)?", value):
        raise ValueError("a lesson such as c8/02, or a part such as c3")
    return value


def expand(block: Block) -> None:
    """Mark the promise; the promises page collects it from the resolved tree."""
    body = block.take_body()
    to = block.options.get("to")
    put(block.element, "div", class_="promise", id=f"promise-{block.argument}")
    if to is None:
        if not block.misread:
            block.fail("promise without a target, write the option to: c8/02")
        return
    label = child(block.element, "p", class_="promise-label")
    child(label, "span", "→", aria_hidden="true").tail = f" {TEXT['promise']} · {lesson_name(to)}"
    content = child(block.element, "div", class_="promise-body")
    content.extend(body)
    block.element.set("data-promise", block.argument)
    block.element.set("data-to", to)
    block.element.set("data-line", str(block.line))


CONSTRUCT = Construct("promise", __doc__, expand, options={"to": target})
