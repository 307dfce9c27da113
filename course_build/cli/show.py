"""`course show ID`: one number with everything it stands on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from course_build.cli.terminal import Answer, json_option, project, say

if TYPE_CHECKING:
    from course_build.facts.evaluate import Ledger
    from course_build.facts.record import Record


@click.command()
@click.argument("name", metavar="ID")
@json_option
@click.pass_context
def command(context: click.Context, name: str, as_json: bool) -> None:
    """Show a number's value, derivation, kind, inputs, code line and key; of a claim, its check."""
    root = project(context)
    with Answer(as_json) as answer:
        ledger = declared(root)
        if name in ledger.claims:
            answer.data |= _claim(ledger, name)
        elif name in ledger.facts and isinstance(ledger.fact_value(name).value, dict):
            members = [each for key, each in sorted(ledger.records.items()) if key.startswith(f"{name}.")]
            answer.data |= {"id": name, "members": [as_data(each) for each in members]}
        else:
            answer.data |= as_data(ledger.record(name))
        if not as_json:
            _print(answer.data)


def declared(root: Path) -> Ledger:
    """Return the ledger with everything declared and nothing evaluated; CourseError when a file is broken."""
    from course_build.errors import CourseError
    from course_build.facts.evaluate import Ledger
    from course_build.keys.store import FOLDER, Store

    ledger = Ledger(root, Store(root / FOLDER))
    ledger.load(root / "docs")
    if not ledger.facts and ledger.problems:
        raise CourseError(ledger.problems)
    return ledger


def as_data(record: Record) -> dict[str, Any]:
    """Return a record for JSON."""
    return {
        "id": record.id,
        "value": record.value,
        "text": record.text,
        "unit": record.unit,
        "title": record.title,
        "kind": record.kind.value,
        "derivation": record.derivation,
        "checked": record.checked,
        "inputs": [
            {"name": each.name, "text": each.text, "fact": each.fact, "leaves": [leaf.where for leaf in each.leaves]}
            for each in record.arguments
        ],
        "leaves": [{"where": leaf.where, "value": leaf.value, "kind": leaf.kind.value} for leaf in record.leaves],
        "code": f"{record.path}:{record.line}",
        "key": record.key,
    }


def _claim(ledger: Ledger, name: str) -> dict[str, Any]:
    from course_build.site.course import Course

    claim = ledger.claims[name]
    verdict = Course(ledger.root, ledger.root / "docs", ledger, ledger.store).judge(name)
    return {
        "id": name,
        "claim": claim.title,
        "expression": claim.expression,
        "filled": verdict.filled,
        "true": verdict.true,
        "code": f"{ledger.relative(claim.filename)}:{claim.line}",
    }


def _print(data: dict[str, Any]) -> None:
    if "members" in data:
        for each in data["members"]:
            say(f"{each['id']} = {each['text']} {each['unit']}  ({each['kind']})  {each['title']}")
        return
    if "claim" in data:
        say(f"{data['id']}: {data['claim']}", "bold")
        say(f"{'true' if data['true'] else 'FALSE'}: {data['filled']}   [{data['expression']}]")
        say(data["code"])
        return
    say(f"{data['id']} = {data['text']} {data['unit']}", "bold")
    say(f"{data['title']} ({data['kind']})")
    if data["derivation"]:
        say(f"  {data['derivation']}" + (f" = {data['text']}" if data["checked"] else ""))
    for each in data["inputs"]:
        origin = each["fact"] or ", ".join(each["leaves"])
        say(f"  {each['name']}" + (f" = {each['text']}" if each["text"] else "") + f"   {origin}")
    say(f"  code {data['code']}   key {data['key']}")
