"""`/// table | id`: a table that a function in charts.py makes; its cells are Markdown with `[[ids]]`."""

from __future__ import annotations

from course_build.errors import CourseError
from course_build.markdown.construct import Block, Construct
from course_build.markdown.elements import child, put


def expand(block: Block) -> None:
    """Build the rows; inline Markdown in the cells is parsed with the page."""
    body = block.take_body()
    put(block.element, "figure", class_="table", id=block.argument)
    try:
        title, table = block.course.figures.table(block.argument)
    except CourseError as error:
        block.fail_with(error)
        return
    if title:
        child(block.element, "figcaption", title, class_="chart-title")
    scroll = child(block.element, "div", class_="scroll", tabindex="0", role="region")
    scroll.set("aria-label", title or block.argument)
    grid = child(scroll, "table")
    head = child(child(grid, "thead"), "tr")
    for cell in table.head:
        child(head, "th", cell, scope="col")
    rows = child(grid, "tbody")
    for row in table.rows:
        line = child(rows, "tr")
        for index, cell in enumerate(row):
            child(line, "td" if index else "th", cell, **({} if index else {"scope": "row"}))
    if body:
        caption = child(block.element, "div", class_="chart-scope")
        caption.extend(body)


CONSTRUCT = Construct("table", __doc__, expand)
