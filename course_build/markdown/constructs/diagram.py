"""`/// diagram | id`: a block diagram from charts.py, drawn as SVG; the body is its caption."""

from __future__ import annotations

from course_build.errors import CourseError
from course_build.markdown.construct import Block, Construct
from course_build.markdown.elements import child, put


def expand(block: Block) -> None:
    """Place the drawing."""
    body = block.take_body()
    put(block.element, "figure", class_="diagram", id=block.argument)
    try:
        svg = block.course.figures.diagram(block.argument)
    except CourseError as error:
        block.fail_with(error)
        return
    block.course.closed_world.html(svg, block.page, block.line)
    child(block.element, "div", block.stash(svg), class_="diagram-canvas")
    if body:
        caption = child(block.element, "figcaption", class_="chart-scope")
        caption.extend(body)


CONSTRUCT = Construct("diagram", __doc__, expand)
