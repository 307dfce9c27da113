"""`/// table | id`: a table that a function in charts.py makes; its cells are Markdown with `[[ids]]`."""

from __future__ import annotations

import re

from course_build.errors import CourseError
from course_build.markdown.construct import Block, Construct
from course_build.markdown.elements import child, put

_NUMBER = re.compile(r"\[\[([A-Za-z][\w.]*)(?::[^\]]*)?\]\]")


def expand(block: Block) -> None:
    """Build the rows; inline Markdown in the cells is parsed with the page."""
    body = block.take_body()
    put(block.element, "figure", class_="table", id=block.argument)
    try:
        definition, table = block.course.figures.table(block.argument)
    except CourseError as error:
        block.fail_with(error)
        return
    block.draws(definition)
    title = definition.title
    stands = block.place(definition)
    if title:
        child(block.element, "figcaption", title, class_="chart-title", data_stands=stands)
    scroll = child(block.element, "div", class_="scroll", tabindex="0", role="region", data_stands=stands)
    scroll.set("aria-label", title or block.argument)
    grid = child(scroll, "table")
    head = child(child(grid, "thead"), "tr")
    numbers = [all(_is_number(block, row[column]) for row in table.rows) for column in range(len(table.head))]
    for cell, number in zip(table.head, numbers, strict=True):
        child(head, "th", cell, scope="col", **({"class": "is-number"} if number else {}))
    rows = child(grid, "tbody")
    for row in table.rows:
        line = child(rows, "tr")
        for index, cell in enumerate(row):
            more = {"scope": "row"} if not index else {"class": "is-number"} if numbers[index] else {}
            child(line, "td" if index else "th", cell, **more)
    if body:
        caption = child(block.element, "div", class_="chart-scope")
        caption.extend(body)


def _is_number(block: Block, cell: str) -> bool:
    """Return whether a cell is nothing but a number of the ledger (or empty): such a column is set flush right."""
    found = _NUMBER.fullmatch(cell.strip())
    record = block.course.ledger.records.get(found[1]) if found else None
    value = record.value if record else None
    return not cell.strip() or (isinstance(value, int | float) and not isinstance(value, bool))


CONSTRUCT = Construct("table", __doc__, expand)
