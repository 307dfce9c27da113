"""What the conversion of one page leaves behind: uses of numbers, links, promises, literals, problems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from course_build.errors import CourseError, Gravity, Problem

if TYPE_CHECKING:
    from course_build.site.course import Course


@dataclass(frozen=True)
class Use:
    """One place where a page shows a ledger number."""

    id: str
    page: str  # URL of the page
    path: str  # Markdown source, relative to the project
    line: int


@dataclass(frozen=True)
class Literal:
    """A numeral that the author declared on purpose."""

    text: str
    kind: str
    why: str
    path: str
    line: int


@dataclass(frozen=True)
class Promise:
    """A sentence that defers something to another lesson."""

    id: str
    target: str
    text: str
    page: str
    path: str
    line: int


@dataclass(frozen=True)
class Keep:
    """A lesson's word that it keeps a promise."""

    id: str
    lesson: str
    path: str
    line: int


@dataclass(frozen=True)
class ClaimUse:
    """One place where a page states a claim or makes an inline check."""

    id: str  # "" for an inline expression
    expression: str
    filled: str
    true: bool
    page: str
    path: str
    line: int


@dataclass(frozen=True)
class Lost:
    """One place of a page that cannot be filled, because something that it stands on is wrong elsewhere."""

    what: str  # the id or check that was asked for
    line: int
    cause: Problem


@dataclass
class PageState:
    """One page while and after it is converted."""

    path: str  # Markdown source, relative to the project
    url: str  # relative to the site's root
    offset: int = 0  # lines of front matter before the text that Markdown sees
    uses: list[Use] = field(default_factory=list)
    drawn: list[Use] = field(default_factory=list)  # numbers that figures are drawn from
    literals: list[Literal] = field(default_factory=list)
    promises: list[Promise] = field(default_factory=list)
    keeps: list[Keep] = field(default_factory=list)
    claims: list[ClaimUse] = field(default_factory=list)
    citations: set[str] = field(default_factory=set)
    links: list[tuple[int, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)  # chart data files the page needs
    elsewhere: str = ""  # "path:line" while a text is read that stands in another file

    @property
    def lesson(self) -> str:
        """Return the lesson a page belongs to, e.g. `c4/03`: folder and the number that its name begins with."""
        parts = self.url.split("/")
        return f"{parts[0]}/{parts[1].split('-')[0]}" if len(parts) > 2 else ""

    def relative(self, url: str) -> str:
        """Return a site URL as seen from this page."""
        return "../" * self.url.count("/") + url

    def complain(self, line: int, text: str, gravity: Gravity = Gravity.ERROR) -> Problem:
        """Note a problem of this page; return it."""
        path, _, number = self.elsewhere.rpartition(":")
        problem = Problem(path, int(number), text, gravity) if path else Problem(self.path, line, text, gravity)
        self.problems.append(problem)
        return problem

    @contextmanager
    def standing(self, place: str) -> Iterator[None]:
        """Say that what is read in this block stands at `place` ("path:line"; "" changes nothing)."""
        before, self.elsewhere = self.elsewhere, place or self.elsewhere
        try:
            yield
        finally:
            self.elsewhere = before

    def suffer(self, line: int, what: str, error: CourseError) -> None:
        """Note what a lower layer found wrong: at its own place if it has one, else at this line."""
        for problem in error.problems:
            if problem.path:  # perhaps reported where it arose; the course tells each once
                self.problems.append(problem)
                self.lost.append(Lost(what, line, problem))
            else:  # its line, if any, counts from this one
                self.complain(line + problem.line, problem.text, problem.gravity)


@dataclass
class Held:
    """What is taken out of a page's text before it is parsed, by line; one for each conversion.

    The course is opened when a page is converted, not before: MkDocs builds the extension once while it validates
    its configuration, when no plugin has run.
    """

    open_course: Callable[[], Course]
    math: dict[int, str] = field(default_factory=dict)  # display formulas
    options: dict[int, dict[str, Any]] = field(default_factory=dict)  # options of blocks
    stashed: set[str] = field(default_factory=set)  # placeholders of HTML that the generator wrote itself
    misread: set[int] = field(default_factory=set)  # blocks whose options were reported
    source: list[str] = field(default_factory=list)  # the lines that Markdown saw

    def line_of(self, html: str, after: int) -> int:
        """Return the line where a piece of raw HTML begins, at or behind the line `after` of the page."""
        first = html.strip().partition("\n")[0].rstrip()
        offset = self.page.offset
        found = (n for n, text in enumerate(self.source, 1) if n + offset >= after and first in text)
        return next(found, max(after - offset, 1)) + offset

    @cached_property
    def course(self) -> Course:
        """Return the course that the page belongs to."""
        return self.open_course()

    @property
    def page(self) -> PageState:
        """Return the page that is being converted."""
        return self.course.page
