"""Small courses made for a test: files in a folder, read or built like any other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import markdown

from course_build.site.course import Course

FACTS = """
from course_build.ledger import claim, fact, ref, source

data = source("docs/data.json")


@fact("toy.sum", title="a 与 b 之和", how="{a} + {b}")
def total(a=data.at("/a"), b=data.at("/b")):
    return a + b


@fact("toy.double", title="和加上它自己", how="{s} × 2")
def double(s=ref("toy.sum")):
    return s * 2
"""


def course(root: Path, files: Mapping[str, str] | None = None, **data: Any) -> Course:
    """Write a course (facts toy.sum = a + b and toy.double) and read it."""
    write(
        root,
        {"docs/facts.py": FACTS, "docs/data.json": json.dumps({"a": 2, "b": 3, **data}), **(files or {})},
    )
    return Course.read(root)


def write(root: Path, files: Mapping[str, str]) -> None:
    """Write files below root."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def convert(course: Course, text: str, *, path: str = "docs/index.md", url: str = "index.html", offset: int = 0) -> str:
    """Convert one page; its state is course.page."""
    course.begin(path, url, offset)
    md = markdown.Markdown(
        extensions=[
            "attr_list",
            "def_list",
            "footnotes",
            "md_in_html",
            "tables",
            "toc",
            "pymdownx.highlight",
            "pymdownx.inlinehilite",
            "pymdownx.superfences",
            "course_build.markdown",
        ],
        extension_configs={"course_build.markdown": {"course": course}},
    )
    return md.convert(text)


def problems(course: Course) -> list[tuple[int, str]]:
    """Return (line, text) of the last page's problems."""
    return [(problem.line, problem.text) for problem in course.page.problems]
