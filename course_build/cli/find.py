"""`course find 660480`: every number that prints so, and every place where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from course_build.cli.terminal import PROBLEMS, Answer, json_option, project, say

if TYPE_CHECKING:
    from course_build.facts.record import Record
    from course_build.site.course import Course


@click.command()
@click.argument("number")
@json_option
@click.pass_context
def command(context: click.Context, number: str, as_json: bool) -> None:
    """Find the ids of numbers that print so, and the pages, declarations and claims that use them.

    Exit 1 when there is none. A negative number goes behind `--`: course find -- -1.069.
    """
    from course_build.site.reading import read_site

    root = project(context)
    with Answer(as_json) as answer:
        course, _ = read_site(root)
        found = [_found(course, record) for record in course.ledger.records.values() if prints(record, number)]
        literals = [
            {"place": f"{each.path}:{each.line}", "why": each.why}
            for page in course.pages.values()
            for each in page.literals
            if bare(each.text) == bare(number)
        ]
        answer.data |= {"found": found, "literals": literals}
        if not as_json:
            _print(number, answer.data)
    if not found and not literals:
        raise click.exceptions.Exit(PROBLEMS)


def bare(text: str) -> str:
    """Return a number without grouping, with the plain minus, without blanks."""
    return text.replace(",", "").replace("−", "-").replace(" ", "").replace("\u202f", "").lower()


def prints(record: Record, number: str) -> bool:
    """Tell whether a record prints as `number`, has it as its value, or holds it in its vector."""
    wanted = bare(number)
    if bare(record.text) == wanted:
        return True
    values = record.value if isinstance(record.value, list) else [record.value]
    try:
        value = float(wanted.removesuffix("%")) / (100 if wanted.endswith("%") else 1)
    except ValueError:
        return False
    return any(isinstance(each, int | float) and not isinstance(each, bool) and each == value for each in values)


def _found(course: Course, record: Record) -> dict[str, Any]:
    pages = course.pages.values()
    uses = [f"{use.path}:{use.line}" for page in pages for use in page.uses if use.id == record.id]
    drawn = [f"{use.path}:{use.line}" for page in pages for use in page.drawn if use.id == record.id]
    inputs = [
        each.id
        for each in course.ledger.records.values()
        if any(argument.fact == record.id for argument in each.arguments)
    ]
    return {
        "id": record.id,
        "text": record.text,
        "unit": record.unit,
        "title": record.title,
        "code": f"{record.path}:{record.line}",
        "uses": list(dict.fromkeys(uses)),
        "drawn": list(dict.fromkeys(drawn)),
        "feeds": inputs,
        "claims": claims_of(course, {record.id}),
    }


def claims_of(course: Course, ids: set[str]) -> list[str]:
    """Return the claims whose expression names one of `ids`."""
    from course_build.expr import parse

    found = []
    for name, claim in course.ledger.claims.items():
        try:
            names = set(parse(claim.expression).names)
        except ValueError:
            continue
        if names & ids:
            found.append(name)
    return found


def _print(number: str, data: dict[str, Any]) -> None:
    for each in data["found"]:
        say(f"{each['id']} = {each['text']} {each['unit']}  {each['title']}", "bold")
        say(f"  declared {each['code']}")
        for key, word in (("uses", "shown"), ("drawn", "drawn"), ("feeds", "input of"), ("claims", "claim")):
            for place in each[key]:
                say(f"  {word} {place}")
    for each in data["literals"]:
        say(f"declared literal {each['place']}: {each['why']}")
    if not data["found"] and not data["literals"]:
        say(f"no number prints as {number}")
