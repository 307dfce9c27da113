"""`/// live | name`: a live component; inside it stands what Python rendered, the body is its scope (口径)."""

from __future__ import annotations

from course_build.errors import CourseError
from course_build.markdown.construct import Block, Construct, text_option
from course_build.markdown.elements import child, put


def expand(block: Block) -> None:
    """Place the component with its fallback."""
    body = block.take_body()
    identity = block.options.get("key", block.argument)  # the key under which its state stands in the query string
    put(block.element, "figure", class_="live-frame", id=f"live-{identity}")
    try:
        html = block.course.live(block.argument, block.options, block.page, block.line)
    except CourseError as error:
        block.fail_with(error)
        return
    child(block.element, "div", block.stash(html))
    if body:
        scope = child(block.element, "div", class_="chart-scope")
        scope.extend(body)


CONSTRUCT = Construct("live", __doc__, expand, options={"*": text_option})
