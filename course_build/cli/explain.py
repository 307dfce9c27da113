"""`course explain ID|RUN`: what changed since the lock, or since the run was recorded, and where."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from course_build.cli.terminal import Answer, json_option, project, say
from course_build.errors import CourseError, Problem, nearest

if TYPE_CHECKING:
    from course_build.facts.record import Record
    from course_build.keys.store import Store
    from course_build.recording.runs import RunState
    from course_build.site.course import Course

Reason = dict[str, Any]  # what, old, new, file, key: null where there is none


@click.command()
@click.argument("name", metavar="ID|RUN")
@json_option
@click.pass_context
def command(context: click.Context, name: str, as_json: bool) -> None:
    """Say which input of a number, claim or run changed: old and new value, file and key."""
    from course_build.recording.runs import status

    root = project(context)
    with Answer(as_json) as answer:
        run = next((state for state in status(root) if state.name == name), None)
        if run:
            answer.data |= _run(run)
        else:
            from course_build.site.course import Course

            answer.data |= _explained(Course.read(root), name)
        if not as_json:
            _print(answer.data)


def keep_parts(store: Store, records: Mapping[str, Record]) -> None:
    """Remember what the keys of a lock are made of, so that a later `explain` can compare."""
    for record in records.values():
        store.put(f"parts {record.key}", json.dumps(dict(record.parts)).encode())


def _run(state: RunState) -> dict[str, Any]:
    reasons = [{"what": each.what, "old": each.old, "new": each.new} for each in state.changes]
    return {"id": state.name, "state": state.state, "reasons": reasons}


def _explained(course: Course, name: str) -> dict[str, Any]:
    from course_build.expr import parse
    from course_build.facts import lock

    ledger = course.ledger
    old = lock.read(course.root) or lock.EMPTY
    if name in ledger.claims:
        verdict = course.verdict(name)
        parts = [_number(course, old, each) for each in parse(ledger.claims[name].expression).names]
        return {"id": name, "true": verdict.true, "filled": verdict.filled, "numbers": parts}
    if name in ledger.failed:
        raise CourseError(ledger.failed[name])
    if name not in ledger.records and not any(each.startswith(f"{name}.") for each in ledger.records):
        known = nearest(name, [*ledger.records, *ledger.claims])
        raise CourseError(Problem("", 0, f"no fact, claim or run {name!r}{known}"))
    if name in ledger.records:
        return _number(course, old, name)
    members = [each for each in ledger.records if each.startswith(f"{name}.")]
    return {"id": name, "numbers": [_number(course, old, each) for each in members]}


def _number(course: Course, old: Mapping[str, Any], name: str) -> dict[str, Any]:
    record = course.ledger.record(name)
    row = old["numbers"].get(record.id)
    reasons: list[Reason] = []
    if row is None:
        state = "new"
    elif row["key"] == record.key and row["text"] == record.text:
        state = "same"
    else:
        reasons = list(_Reasons(course, old).of(record))
        state = "moved" if row["text"] != record.text else "same text, other key"
    return {
        "id": record.id,
        "state": state,
        "old": row["text"] if row else None,
        "new": record.text,
        "reasons": reasons,
    }


class _Reasons:
    """Walks from a record to the facts that it depends on; each change is told once, the nearest first."""

    def __init__(self, course: Course, old: Mapping[str, Any]) -> None:
        from course_build.facts import lock

        self.course = course
        self.old = old
        self.inputs = lock.snapshot(course.ledger)["inputs"]
        self.seen: set[str] = set()

    def of(self, record: Record) -> Iterator[Reason]:
        """Yield what changed for a record since the lock."""
        self.seen.add(record.id)
        causes = {change.where for change in self.course.moves.causes(record.id)}
        for argument in record.arguments:
            for leaf in argument.leaves:
                if leaf.where in causes:
                    yield from self._leaf(leaf.where)
        row = self.old["numbers"].get(record.id)
        if row is not None and row["key"] != record.key:
            yield from self._parts(row["key"], record)
        for argument in record.arguments:
            for each in self._records(argument.fact):
                if each.id not in self.seen:
                    yield from self.of(each)

    def _records(self, name: str) -> list[Record]:
        """Return the record of a fact, or those of all members of a dict fact."""
        records = self.course.ledger.records
        if name in records:
            return [records[name]]
        return [each for key, each in records.items() if name and key.startswith(f"{name}.")]

    def _first(self, what: str) -> bool:
        known = what in self.seen
        self.seen.add(what)
        return not known

    def _leaf(self, where: str) -> Iterator[Reason]:
        before, now = self.old["inputs"].get(where), self.inputs.get(where)
        if self._first(where) and (where not in self.old["inputs"] or before != now):
            file, _, key = where.partition("#")
            yield {"what": where, "old": before, "new": now, "file": file, "key": key}

    def _parts(self, old_key: str, record: Record) -> Iterator[Reason]:
        """Yield the parts of the code's key that differ from those of the lock, if they were kept here."""
        kept = self.course.store.get(f"parts {old_key}")
        before = json.loads(kept) if kept else record.parts
        for name in sorted({*before, *record.parts}):
            old, new = before.get(name), record.parts.get(name)
            what = name.removeprefix("code ")
            if old == new or name.startswith("input ") or not self._first(f"{record.path} {what}"):
                continue
            module = what.removeprefix("module ")
            file = record.path if module == what else f"{module.replace('.', '/')}.py"
            yield {"what": what, "old": _readable(old), "new": _readable(new), "file": file, "key": None}


def _readable(value: str | None) -> str | None:
    """Return a part's value when it says something to people, null for a digest."""
    return None if value is not None and len(value) == 64 else value


def _print(data: dict[str, Any]) -> None:
    for each in data.get("numbers", [data]):
        if "filled" in each:
            continue
        change = f": {each['old']} -> {each['new']}" if each.get("old") != each.get("new") else ""
        say(f"{each['id']} ({each['state']}){change}", "bold")
        for reason in each["reasons"]:
            say(f"  {_sentence(reason)}")
        if each["state"] in ("moved", "same text, other key") and not each["reasons"]:
            say("  no input moved: its code or display rule did, since a lock that was made elsewhere")
    if "filled" in data:
        say(f"{data['id']} is {'true' if data['true'] else 'FALSE'}: {data['filled']}", "bold")


def _sentence(reason: Reason) -> str:
    if reason["old"] is None and reason["new"] is None:
        return f"{reason['what']} changed" + (f" ({reason['file']})" if reason.get("file") else "")
    old, new = (json.dumps(reason[side], ensure_ascii=False) for side in ("old", "new"))
    return f"{reason['what']}: {old} -> {new}"
