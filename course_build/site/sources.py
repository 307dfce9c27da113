"""Input files and quoted code are published: as they are, and as a page whose lines can be linked."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from course_build.errors import CourseError, Problem
from course_build.site.pages import SOURCES
from course_build.strings import TEXT

if TYPE_CHECKING:
    from course_build.site.course import Course


def publish(course: Course, site: Path) -> None:
    """Write sources/PATH and sources/PATH.html for everything that the ledger or a page refers to.

    Raises:
        CourseError: the site cannot be written.
    """
    for path in sorted(referred(course)):
        target = site / SOURCES / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            data = (course.root / path).read_bytes()
            target.write_bytes(data)
            target.with_name(target.name + ".html").write_bytes(_page(path, data))
        except OSError as error:
            raise CourseError(Problem(path, 0, f"cannot be published: {error.strerror}")) from None


def referred(course: Course) -> set[str]:
    """Return every project file that a record or a page links to."""
    files = set(course.sources)
    for record in course.ledger.records.values():
        files.add(record.path)
        files.update(leaf.path for leaf in record.leaves)
    return files


@lru_cache(maxsize=256)  # under `serve` nearly every file is as it was
def _page(path: str, data: bytes) -> bytes:
    lines = data.decode().splitlines()
    up = "../" * (path.count("/") + 1)
    body = "\n".join(f'<span id="L{number}">{escape(line)}</span>' for number, line in enumerate(lines, 1))
    name = re.sub(r".*/", "", path)
    page = (
        f'<!doctype html>\n<html lang="zh"><head><meta charset="utf-8"><title>{escape(path)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="robots" content="noindex"><link rel="stylesheet" href="{up}assets/course/source.css"></head>'
        f'<body><main><h1>{escape(path)}</h1><p><a href="{escape(name)}">{TEXT["source.raw"]}</a> · '
        f'<a href="{up}{"ledger.html"}">{TEXT["ledger"]}</a></p>'
        f'<pre tabindex="0"><code>{body}</code></pre></main></body></html>\n'
    )
    return page.encode()
