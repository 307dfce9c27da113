"""`/// evolution | id`: a table of parts by generations from evolution.yml; option `row` marks this lesson's part."""

from __future__ import annotations

from typing import Any

from course_build.errors import CourseError
from course_build.markdown.construct import Block, Construct, text_option
from course_build.markdown.elements import STANDS, child, put
from course_build.strings import TEXT


def expand(block: Block) -> None:
    """Build the table; every cell is Markdown, its numbers are checked like prose."""
    body = block.take_body()
    put(block.element, "figure", class_="evolution", id=block.argument)
    try:
        data = block.course.evolution(block.argument)
    except CourseError as error:
        block.fail_with(error)
        return
    marked = block.options.get("row", "")
    if marked and marked not in [part["id"] for part in data["parts"]]:
        block.fail(f"evolution {block.argument}: no part {marked!r}, one of {[p['id'] for p in data['parts']]}")
    child(block.element, "figcaption", data["title"], class_="chart-title", data_stands=data["stands"])
    scroll = child(block.element, "div", class_="scroll", tabindex="0", role="region", aria_label=data["title"])
    scroll.set(STANDS, data["stands"])
    table = child(scroll, "table", class_="evolution-table")
    head = child(child(table, "thead"), "tr")
    child(head, "th", data["corner"], scope="col")
    for generation in data["generations"]:
        cell = child(head, "th", generation["title"], scope="col", data_stands=generation["stands"])
        child(cell, "small", generation["who"])
    rows = child(table, "tbody")
    for part in data["parts"]:
        _row(child(rows, "tr", class_="here" if part["id"] == marked else "there"), part, data, marked)
    if body:
        caption = child(block.element, "div", class_="chart-scope")
        caption.extend(body)


def _row(row: Any, part: dict[str, Any], data: dict[str, Any], marked: str) -> None:
    name = child(row, "th", part["title"], scope="row", data_stands=part["stands"])
    if part["id"] == marked:
        child(name, "span", TEXT["evolution.here"], class_="evolution-here")
    for generation in data["generations"]:
        cell = part["cells"].get(generation["id"], {})
        stands = cell.get("stands", part["stands"])
        box = child(row, "td", data_generation=generation["id"], data_part=part["title"], data_stands=stands)
        child(box, "span", generation["title"], class_="evolution-generation", aria_hidden="true")
        child(box, "p", cell.get("did", TEXT["evolution.same"]))
        if "stuck" in cell:
            stuck = child(box, "p", class_="evolution-stuck")
            child(stuck, "span", TEXT["evolution.stuck"], class_="evolution-stuck-label").tail = f" {cell['stuck']}"


CONSTRUCT = Construct("evolution", __doc__, expand, options={"row": text_option})
