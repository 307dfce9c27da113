"""What can go wrong, as data: a problem has a place, a sentence and a gravity.

CourseError             a user's mistake; carries every problem found so far, never a traceback
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

LONGEST = 800  # characters of a line


class Gravity(Enum):
    """How a build treats a problem (architecture: severities)."""

    ERROR = "error"  # exit 1 in build and check, old site untouched
    DRAFT = "draft"  # exit 1 too, but COURSE_DRAFT=1 marks it in the page instead
    NOTICE = "notice"  # a warning in build, exit 1 in check


def printable(text: str) -> str:
    """Return `text` for one line of a terminal: control characters escaped, the middle of a very long one left out."""
    if len(text) > LONGEST:
        text = f"{text[: LONGEST * 3 // 4]} … {text[-LONGEST // 4 :]}"
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that is wrong, at one place."""

    path: str  # POSIX, relative to the project
    line: int  # 1-based; 0 when the whole file is meant
    text: str  # "what is wrong (value seen), what would be right"
    gravity: Gravity = field(default=Gravity.ERROR, compare=False)
    needed_by: str = field(default="", compare=False)  # what cannot be made because of it

    def __post_init__(self) -> None:
        text = " ".join(self.text.split()) if "\n" in self.text else self.text
        object.__setattr__(self, "text", printable(text))
        object.__setattr__(self, "path", printable(self.path))

    def __str__(self) -> str:
        text = f"{self.text} (needed by {self.needed_by})" if self.needed_by else self.text
        if not self.path:  # a problem on its way to the place that it belongs to
            return text
        return f"{self.path}:{self.line}: {text}" if self.line else f"{self.path}: {text}"


class CourseError(Exception):
    """Problems that stop the work at hand; all of them at once."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `; nearest: X` when something known looks like `name`, else the empty string."""
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"; nearest: {found[0]}" if found else ""
