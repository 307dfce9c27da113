"""Live components: docs/live/NAME.js draws in the browser, docs/live/NAME.py renders the default state here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_build.errors import CourseError, Problem, nearest
from course_build.facts.loading import author_problem
from course_build.facts.record import Record, show
from course_build.files.source import load_text
from course_build.markdown.elements import LEDGER, literal_html, number_html
from course_build.markdown.state import Literal, PageState, Use

if TYPE_CHECKING:
    from course_build.site.course import Course


@dataclass
class Live:
    """What a component's Python twin may ask for while it renders; every number comes from the ledger."""

    course: Course
    page: PageState
    line: int
    options: dict[str, Any]

    def _record(self, name: str) -> Record:
        record = self.course.ledger.record(name)
        self.page.uses.append(Use(record.id, self.page.url, self.page.path, self.line))
        return record

    def value(self, name: str) -> Any:
        """Return a ledger value; the page counts as using it."""
        return self._record(name).value

    def text(self, name: str, spec: str | None = None) -> str:
        """Return a ledger number as plain text."""
        record = self._record(name)
        return show(record.value, spec) if spec else record.text

    def number(self, name: str, spec: str | None = None) -> str:
        """Return a ledger number as HTML."""
        record = self._record(name)
        text = show(record.value, spec) if spec else record.text
        return number_html(record, text, self.page.relative(f"{LEDGER}#{record.id}"))

    def literal(self, text: str, why: str) -> str:
        """Return a declared literal as HTML; it is counted and listed like the author's own."""
        self.page.literals.append(Literal(text, "constructed", why, self.page.path, self.line))
        return literal_html(text, why)


def render(course: Course, name: str, live: Live) -> str:
    """Return `<NAME class="live" data-state=…>fallback</NAME>`.

    Raises:
        CourseError: no such component, an unknown id, or its code raised.
    """
    folder = course.docs / "live"
    path = folder / f"{name.replace('-', '_')}.py"
    if not path.is_file():
        known = [file.stem.replace("_", "-") for file in folder.glob("*.py")]
        raise CourseError(Problem("", 0, f"no live component {name!r} in {folder.name}/{nearest(name, known)}"))
    relative = path.relative_to(course.root).as_posix()
    try:
        namespace = course.live_modules.get(relative)
        if namespace is None:
            namespace = _execute(path, course.root)
            course.live_modules[relative] = namespace
        fallback, state = namespace["fallback"](live), namespace["data"](live)
    except CourseError:
        raise
    except (Exception, SystemExit) as error:  # the author's own code
        raise CourseError(author_problem(error, course.root, relative)) from None
    with live.page.standing(f"{relative}:0"):
        course.closed_world.html(fallback, live.page, live.line)
    data = escape(json.dumps(state, ensure_ascii=False, sort_keys=True, allow_nan=False))
    return f'<{name} class="live" data-state="{data}">{fallback}</{name}>'


def _execute(path: Path, root: Path) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": f"docs.live.{path.stem}", "__file__": str(path)}
    exec(compile(load_text(path, root), str(path), "exec", dont_inherit=True), namespace)
    return namespace
