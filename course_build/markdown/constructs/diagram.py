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
        definition, html = block.course.figures.diagram(block.argument)
    except CourseError as error:
        block.fail_with(error)
        return
    block.draws(definition)
    stands = block.place(definition)
    child(block.element, "figcaption", definition.title, class_="chart-title", data_stands=stands)
    child(block.element, "p", definition.summary, class_="chart-summary", data_stands=stands)
    with block.page.standing(stands):
        block.course.closed_world.html(html, block.page, block.line)
    child(block.element, "div", block.stash(html), class_="diagram-canvas")
    if body:
        caption = child(block.element, "div", class_="chart-scope")
        caption.extend(body)


CONSTRUCT = Construct("diagram", __doc__, expand)
