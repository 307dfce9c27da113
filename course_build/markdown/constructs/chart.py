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
        chart = block.course.chart(block.argument, block.page)
    except CourseError as error:
        block.fail_with(error)
        return
    child(block.element, "figcaption", chart.title, class_="chart-title")
    if chart.summary:
        child(block.element, "p", chart.summary, class_="chart-summary")
    child(block.element, "div", block.stash(chart.html))
    if body:
        scope = child(block.element, "div", class_="chart-scope")
        scope.extend(body)


CONSTRUCT = Construct("chart", __doc__, expand)
