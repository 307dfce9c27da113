"""What the terminal is told: what was recomputed and why, what is wrong, which numbers moved."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from course_build import lock
from course_build.errors import CourseError, Gravity, Problem

if TYPE_CHECKING:
    from course_build.course import Course


class Report:
    """Remembers the last build, so that `serve` can say what an edit moved."""

    def __init__(self) -> None:
        self.warnings = 0
        self._before: dict[str, Any] | None = None

    def count_warnings(self) -> None:
        """Count MkDocs' own warnings: with --strict it aborts only after the site was exchanged."""
        logger = logging.getLogger("mkdocs")
        for handler in [handler for handler in logger.handlers if isinstance(handler, _Counter)]:
            logger.removeHandler(handler)
        self.warnings = 0
        logger.addHandler(_Counter(self))

    def facts(self, course: Course) -> None:
        """Say what moved since the last build of this process, one line each."""
        if self._before is not None:
            for move in lock.moves(self._before, course.ledger):
                why = f" because {'; '.join(move.why)}" if move.why else ""
                click.echo(f"course: {move.id}: {move.old} -> {move.new}{why}", err=True)
        self._before = lock.snapshot(course.ledger)

    def problems(self, problems: Iterable[Problem]) -> None:
        """Print every problem, one line each."""
        for problem in problems:
            colour = "red" if problem.gravity is Gravity.ERROR else "yellow"
            click.secho(str(problem), fg=colour, err=True)

    def moves(self, course: Course) -> None:
        """Warn of numbers that are not what the lock says."""
        try:
            committed = lock.read(course.root)
        except CourseError as error:
            self.problems(error.problems)
            return
        moved = lock.moves(committed, course.ledger) if committed is not None else []
        if moved:
            click.secho(f"{lock.LOCK}: {len(moved)} numbers moved (course diff lists them, course lock accepts them):", fg="yellow", err=True)
        for move in moved[:20]:
            click.echo(f"  {move.id}: {move.old} -> {move.new}", err=True)


class _Counter(logging.Handler):
    """Counts warnings and errors of MkDocs."""

    def __init__(self, report: Report) -> None:
        super().__init__(logging.WARNING)
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        self._report.warnings += 1
