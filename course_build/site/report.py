"""What the terminal is told: what was recomputed and why, what is wrong, which numbers moved."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import click

from course_build.errors import Gravity, Problem
from course_build.facts import lock
from course_build.facts.record import Record

if TYPE_CHECKING:
    from course_build.site.course import Course


class Report:
    """Remembers the last build, so that `serve` can say what an edit moved."""

    def __init__(self) -> None:
        self.warnings = 0
        self._before: Mapping[str, Record] = {}
        self._figures: Mapping[str, Mapping[str, str]] = {}

    def count_warnings(self) -> None:
        """Count MkDocs' own warnings: with --strict it aborts only after the site was exchanged."""
        logger = logging.getLogger("mkdocs")
        for handler in [handler for handler in logger.handlers if isinstance(handler, _Counter)]:
            logger.removeHandler(handler)
        self.warnings = 0
        logger.addHandler(_Counter(self))

    def facts(self, course: Course) -> None:
        """Say what was recomputed since the last build of this process and why, one line each."""
        if self._before:
            for record in course.ledger.records.values():
                before = self._before.get(record.id)
                if before is None:
                    click.echo(f"course: {record.id}: new, {record.text}", err=True)
                elif before.key != record.key:
                    moved = f"{before.text} -> {record.text}" if before.text != record.text else f"{record.text} still"
                    click.echo(f"course: {record.id}: {moved} ({'; '.join(why(before, record))})", err=True)
            for name in self._before.keys() - course.ledger.records.keys():
                click.echo(f"course: {name}: gone", err=True)
        self._before = course.ledger.records

    def figures(self, parts: Mapping[str, Mapping[str, str]]) -> None:
        """Say which figures are drawn anew since the last build of this process and why, one line each."""
        for name, made_of in parts.items():
            before = self._figures.get(name, made_of)
            moved = [part for part in {**before, **made_of} if before.get(part) != made_of.get(part)]
            if moved:
                click.echo(f"course: figure {name}: drawn anew ({'; '.join(moved)})", err=True)
        self._figures = {**self._figures, **parts}

    def changes(self, changed: Mapping[str, str]) -> None:
        """Say which files the build is for."""
        for path, how in changed.items():
            ours = path.startswith("course_build/") and path.endswith(".py")
            click.echo(f"course: {path} {how}{'; restart `serve` to use it' if ours else ''}", err=True)

    def problems(self, problems: Iterable[Problem]) -> None:
        """Print every problem, one line each."""
        for problem in problems:
            colour = "red" if problem.gravity is Gravity.ERROR else "yellow"
            click.secho(str(problem), fg=colour, err=True)

    def moves(self, course: Course) -> None:
        """Warn of numbers that are not what the lock says."""
        committed, problems = course.lock
        if committed is None:
            self.problems(problems)
            return
        moved = course.moves.all()
        if moved:
            click.secho(
                f"{lock.LOCK}: {len(moved)} numbers moved (course diff lists them, course lock accepts them):",
                fg="yellow",
                err=True,
            )
        for move in moved[:20]:
            click.echo(f"  {move}", err=True)


def why(before: Record, after: Record) -> list[str]:
    """Return what changed in a record's key: inputs with old and new value and their place, code, display rule."""
    old = {leaf.where: leaf.value for leaf in before.leaves}
    found = [
        f"{leaf.where} {show_short(old[leaf.where])} -> {show_short(leaf.value)}"
        for leaf in after.leaves
        if leaf.where in old and old[leaf.where] != leaf.value
    ]
    parts = [name for name in {**before.parts, **after.parts} if before.parts.get(name) != after.parts.get(name)]
    return found or parts


def show_short(value: object) -> str:
    """Return a value for one line of a terminal."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."


class _Counter(logging.Handler):
    """Counts warnings and errors of MkDocs."""

    def __init__(self, report: Report) -> None:
        super().__init__(logging.WARNING)
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        self._report.warnings += 1
