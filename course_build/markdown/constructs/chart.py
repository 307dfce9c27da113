"""`/// chart | id`: a Plotly figure from charts.py with its title, summary and data table; the body is its scope."""

from __future__ import annotations

from course_build.errors import CourseError
from course_build.markdown.construct import Block, Construct
from course_build.markdown.elements import child, put


def expand(block: Block) -> None:
    """Place the figure; title and summary are parsed as prose, so their numbers are checked like any other."""
    body = block.take_body()
    put(block.element, "figure", class_="chart", id=block.argument)
    try:
        definition, chart = block.course.figures.chart(block.argument)
    except CourseError as error:
        block.fail_with(error)
        return
    block.draws(definition)
    name = block.argument
    stands = block.place(definition)
    child(block.element, "figcaption", definition.title, class_="chart-title", data_stands=stands, id=f"{name}-title")
    child(block.element, "p", definition.summary, class_="chart-summary", data_stands=stands, id=f"{name}-summary")
    child(block.element, "div", block.stash(chart.html), class_="chart-body")
    with block.page.standing(stands):
        for text in chart.texts:
            block.course.closed_world.plain(text, block.page, block.line)
    if chart.script:
        block.course.scripts.update([chart.script])
    if body:
        scope = child(block.element, "div", class_="chart-scope")
        scope.extend(body)


CONSTRUCT = Construct("chart", __doc__, expand)
