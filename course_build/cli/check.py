"""`course check`: everything that a reader could find wrong, before a reader does; runs nothing slow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from course_build.cli.anchor import origin_problem
from course_build.cli.terminal import Answer, json_option, project, report, say
from course_build.errors import CourseError, Gravity, Problem

if TYPE_CHECKING:
    from course_build.facts.moves import Change, Move
    from course_build.site.course import Course

MAX_TOLD = 3  # inputs that are named as the reason of a move


@click.command()
@json_option
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List stale runs, moved numbers, false claims, broken promises, typed numerals and dead links.

    Trains nothing and writes no site. Exit 1 when anything is found.
    """
    from course_build.site.reading import read_site

    root = project(context)
    with Answer(as_json) as answer:
        course, warnings = read_site(root)
        found = [*course.problems, *warnings, *_claims(course)]
        found += [*course.lost, *_moved(course), *_runs(course)]
        if swapped := origin_problem(root):
            found.append(swapped)
        answer.problems.extend(dict.fromkeys(found))
        answer.data |= _summary(course)
        report(course.store.notices)  # a cache that cannot be written costs time, it is nothing a reader finds
        if not as_json:
            _print(course)


def _claims(course: Course) -> Iterator[Problem]:
    """Yield claims that are false though no page states them, that nothing could falsify, or with a typed tolerance."""
    stated = {use.id for page in course.pages.values() for use in page.claims}
    for name, claim in course.ledger.claims.items():
        place = course.ledger.relative(claim.filename)
        for text in _wrong(course, claim.expression, name, claim.law, name in stated):
            yield Problem(place, claim.line, f"claim {name}: {text}")
    for use in (use for page in course.pages.values() for use in page.claims if not use.id):
        for text in _wrong(course, use.expression, "", "", True):
            yield Problem(use.path, use.line, f"check: {text}")


def _wrong(course: Course, expression: str, name: str, law: str, stated: bool) -> list[str]:
    """Return what is wrong with a claim; that it is false only when no page `stated` it and so says it already."""
    from course_build.expr import claims
    from course_build.facts.evaluate import DependencyError

    try:
        verdict = claims.evaluate_claim(expression, lambda id: course.ledger.record(id).value)
        wrong = claims.typed_tolerances(expression)
        if verdict.true and (empty := course.falsifier.judge(expression, name, law).empty):
            wrong.append(empty)
        if not verdict.true and not stated:
            wrong.append(f"false: {verdict.told}")
    except DependencyError:
        return []  # why there is no number is a problem of its own
    except (claims.ClaimError, CourseError) as error:
        return [str(error)]
    return wrong


def _moved(course: Course) -> Iterator[Problem]:
    """Yield a notice for each number that is not what the lock says."""
    from course_build.facts.lock import LOCK

    committed, problems = course.lock
    yield from problems
    if committed is None:
        if not problems:
            yield Problem(LOCK, 0, "there is no lock yet: course lock", Gravity.NOTICE)
        return
    by_cause: dict[str, list[Move]] = {}  # by text: a value that moved may be a list
    for move in course.moves.all():
        by_cause.setdefault("; ".join(map(str, move.why)), []).append(move)
    for together in by_cause.values():
        for text in _told(together, together[0].why):
            yield Problem(LOCK, 0, text, Gravity.NOTICE)


def _told(together: list[Move], why: tuple[Change, ...]) -> Iterator[str]:
    """Yield a line for each number that moved for one reason; the reason stands in the first."""
    more = f"; and {len(why) - MAX_TOLD} more inputs" if len(why) > MAX_TOLD else ""
    cause = f" ({'; '.join(map(str, why[:MAX_TOLD]))}{more})" if why else ""
    first, *others = together
    with_it = f"; with it {len(others)} more" if why and others else ""
    yield f"{first}{cause}; `course lock` accepts it{with_it}"
    yield from map(str, others)


def _runs(course: Course) -> Iterator[Problem]:
    """Yield what is wrong with recorded runs, also with those that no page uses."""
    from course_build.recording.plans import all_plans, check_presets
    from course_build.recording.runs import check_outcomes, load_run, state_of

    root = course.root
    yield from check_presets(root)
    try:
        plans = list(course.ledger.ground.plans.values()) or all_plans(root)  # none: a recipe is broken, and says so
        for wanted in plans:
            state = state_of(root, wanted)
            problem = state.problem or (load_run(root, state.name).problem if state.state != "fresh" else None)
            if problem:
                yield problem
        yield from check_outcomes(root, plans)
    except CourseError as error:
        yield from error.problems


def _summary(course: Course) -> dict[str, object]:
    literals = [each for page in course.pages.values() for each in page.literals]
    return {
        "numbers": len(course.ledger.records),
        "claims": len(course.ledger.claims),
        "pages": len(course.pages),
        "literals": [
            {"text": each.text, "kind": each.kind, "why": each.why, "place": f"{each.path}:{each.line}"}
            for each in literals
        ],
    }


def _print(course: Course) -> None:
    literals = [each for page in course.pages.values() for each in page.literals]
    for each in literals:
        say(f"declared literal {each.text} ({each.kind}): {each.why}  {each.path}:{each.line}", "dim")
    say(
        f"{len(course.pages)} pages, {len(course.ledger.records)} numbers, {len(course.ledger.claims)} claims, "
        f"{len(literals)} declared literals"
    )
