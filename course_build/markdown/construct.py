"""What a block construct is: a name, an argument, options with their checks, and how it expands."""

from __future__ import annotations

import xml.etree.ElementTree as etree
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from course_build.errors import CourseError, Gravity
from course_build.markdown.elements import child
from course_build.markdown.elements import problem as mark
from course_build.markdown.references import References
from course_build.markdown.state import Held, PageState, Use

if TYPE_CHECKING:
    from course_build.figures import FigureDef
    from course_build.site.course import Course

Check = Callable[[Any], Any]  # returns the value or raises ValueError("what would be right")


@dataclass(frozen=True)
class Construct:
    """The spec of one block; the author's reference page is generated from it."""

    name: str
    doc: str
    expand: Callable[[Block], None]
    argument: bool = True  # whether `| argument` is required; otherwise it is forbidden
    options: dict[str, Check] = field(default_factory=dict)


@dataclass
class Block:
    """One block on one page, about to be expanded."""

    element: etree.Element  # its children are the parsed body
    argument: str
    options: dict[str, Any]
    misread: bool  # an option was wrong, and is reported
    line: int
    held: Held
    references: References
    stash: Callable[[str], str]  # keeps HTML of ours out of the parser's way; returns a placeholder

    @property
    def course(self) -> Course:
        """Return the course."""
        return self.held.course

    @property
    def page(self) -> PageState:
        """Return the page the block stands on."""
        return self.held.page

    def fail(self, text: str, gravity: Gravity = Gravity.ERROR) -> None:
        """Report a problem and put a mark in the block's place."""
        problem = self.page.complain(self.line, text, gravity)
        mark(child(self.element, "p"), str(problem))

    def draws(self, definition: FigureDef) -> None:
        """Note the ledger's numbers that a figure of this block is drawn from."""
        page = self.page
        page.drawn += [Use(n, page.url, page.path, self.line) for n in self.course.figures.numbers(definition)]

    def fail_with(self, error: CourseError, line: int = 0) -> None:
        """Report the problems of a lower layer at this block's line, unless they have a place of their own."""
        before = len(self.page.problems)
        self.page.suffer(line or self.line, self.argument, error)
        for problem in self.page.problems[before:]:
            mark(child(self.element, "p"), str(problem))

    def place(self, definition: FigureDef) -> str:
        """Return "path:line" of a figure's declaration: there stand its title, its summary and its words."""
        return f"{self.course.ledger.relative(definition.filename)}:{definition.line}"

    def take_body(self) -> list[etree.Element]:
        """Remove the parsed body from the element and return it."""
        body = list(self.element)
        for item in body:
            self.element.remove(item)
        return body


def text_option(value: Any) -> str:
    """Accept a non-empty string (or a number, as text)."""
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
        raise ValueError("a text")
    return str(value)


def one_of(*choices: str) -> Check:
    """Accept one of a few words."""

    def check(value: Any) -> str:
        if value not in choices:
            raise ValueError("one of " + ", ".join(choices))
        return str(value)

    return check


def yes_or_no(value: Any) -> bool:
    """Accept true or false."""
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value
