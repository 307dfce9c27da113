"""`course lock`: accept the numbers as they are now."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from course_build.cli.explain import keep_parts
from course_build.cli.terminal import Answer, json_option, project, say

if TYPE_CHECKING:
    from course_build.site.course import Course


@click.command()
@json_option
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """Write docs/ledger.json from the numbers as they are now; refused while a fact cannot be evaluated."""
    from course_build.errors import CourseError, Gravity
    from course_build.facts import lock
    from course_build.facts.moves import moves
    from course_build.site.course import Course

    root = project(context)
    with Answer(as_json) as answer:
        course = Course.read(root)
        ledger = course.ledger
        grave = [each for each in ledger.problems if each.gravity is Gravity.ERROR]
        if grave:
            say(f"refused, {lock.LOCK} is unchanged", "red")
            raise CourseError(grave)
        old = lock.read(root)
        moved = moves(old, ledger) if old else []
        lock.write(root, lock.snapshot(ledger, _falsified(course)))
        keep_parts(ledger.store, ledger.records)
        answer.data |= {
            "numbers": len(ledger.records),
            "moved": [each.data for each in moved],
        }
        for move in moved if not as_json else ():
            say(str(move))
        if not as_json:
            say(f"{lock.LOCK}: {len(ledger.records)} numbers, {len(moved)} moved")


def _falsified(course: Course) -> dict[str, Mapping[str, Any]]:
    """Return, for each claim, the changes that make it false; `check` says what is wrong with the others."""
    from course_build.errors import CourseError
    from course_build.expr.claims import ClaimError

    found: dict[str, Mapping[str, Any]] = {}
    for name, claim in course.ledger.claims.items():
        with suppress(CourseError, ClaimError):
            if row := course.falsifier.row(claim):
                found[name] = row
    return found
