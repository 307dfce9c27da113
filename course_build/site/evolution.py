"""The evolution table's data: parts x generations, each cell what it did and what stopped it (卡在)."""

from __future__ import annotations

from typing import Any

from course_build.errors import CourseError, Problem, nearest
from course_build.files.source import Source


def read(source: Source, name: str) -> dict[str, Any]:
    """Return one table, checked.

    Shape: {NAME: {title, corner, generations: [{id, title, who}],
    parts: [{id, title, cells: {GENERATION: {did, stuck}}}]}}

    Raises:
        CourseError: unknown table, missing key, or a cell of a generation that does not exist.
    """
    tables = source.read("", dict)
    if name not in tables:
        raise CourseError(Problem(source.path, 0, f"no evolution table {name!r}{nearest(name, tables)}"))
    table = source.reader(f"/{name}")
    generations: list[dict[str, Any]] = [
        {key: table.read(f"/generations/{index}/{key}", str) for key in ("id", "title", "who")}
        | {"stands": _place(source, f"/{name}/generations/{index}")}
        for index in range(len(table.read("/generations", list)))
    ]
    known = [generation["id"] for generation in generations]
    parts = [_part(source, f"/{name}/parts/{index}", known) for index in range(len(table.read("/parts", list)))]
    return {
        "title": table.read("/title", str),
        "corner": table.read("/corner", str),
        "stands": _place(source, f"/{name}/title"),
        "generations": generations,
        "parts": parts,
    }


def _place(source: Source, pointer: str) -> str:
    """Return "path:line" of a text, for what is wrong in it."""
    return f"{source.path}:{source.line(pointer)}"


def _part(source: Source, pointer: str, known: list[str]) -> dict[str, Any]:
    cells = source.read(pointer + "/cells", dict)
    for generation, cell in cells.items():
        where = f"{pointer}/cells/{generation}"
        if generation not in known:
            raise CourseError(source.problem(where, f"no generation {generation!r}{nearest(generation, known)}"))
        if not isinstance(cell, dict) or not set(cell) <= {"did", "stuck"} or "did" not in cell:
            raise CourseError(source.problem(where, f"a cell is {{did: …, stuck: …}} (seen {cell!r})"))
    return {
        "id": source.read(pointer + "/id", str),
        "title": source.read(pointer + "/title", str),
        "cells": {
            generation: {**cell, "stands": _place(source, f"{pointer}/cells/{generation}/did")}
            for generation, cell in cells.items()
        },
        "stands": _place(source, f"{pointer}/title"),
    }
