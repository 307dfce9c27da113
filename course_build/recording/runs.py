"""Recorded runs: read, compared with what they would be made of now, refused when that differs.

    load_run(root, name)    one run for the ledger; a stale one says what changed
    status(root)            fresh, stale or missing, for every run that the recipes ask for
    lab_page(root, lesson)  the recorded output of a lab page as HTML
    check_outcomes(root)    does every training run end the way its recipe says?

Reading never imports torch. A run is fresh when every part of its key (recipe value, seed, corpus, code,
library version) is what it would be now; a library that is not installed here cannot contradict.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from course_build.errors import CourseError, Gravity, Problem, nearest
from course_build.evidence import Kind
from course_build.files import strict_json
from course_build.files.source import Source, load, load_text
from course_build.files.textfile import is_there
from course_build.files.typed import put, shown
from course_build.recording.plans import KINDS, RECIPES, Plan, all_plans, lab_name, plan

RUNS = "experiments/runs"
RECORD = "run.json"
LOG = "log.jsonl"
PAGE = "page.html"
SCHEMA = 1
LOGGED = ("/series", "/marks")  # what a run's data has from its log

State = Literal["fresh", "stale", "missing"]


@dataclass(frozen=True)
class Change:
    """One part of a key that is not what it was: both values, None where there is none."""

    what: str
    old: Any
    new: Any

    def __str__(self) -> str:
        if self.what.endswith(".py"):
            return f"{self.what} changed"
        return f"{self.what}: {_shown(self.old)} → {_shown(self.new)}"


@dataclass(frozen=True)
class RunState:
    """How one run stands."""

    name: str
    seed: int | None
    state: State
    changes: tuple[Change, ...] = ()
    problem: Problem | None = None

    @property
    def changed(self) -> str:
        """Return what changed, in words."""
        return "; ".join(map(str, self.changes))


@dataclass(frozen=True)
class Run:
    """A recorded run; what is asked for is read when it is asked for."""

    root: Path
    name: str
    state: State
    kind: Kind = Kind.MEASURED
    problem: Problem | None = None
    source: Source | None = None

    @property
    def path(self) -> str:
        """Return run.json's path relative to the project."""
        return f"{RUNS}/{self.name}/{RECORD}"

    @cached_property
    def data(self) -> dict[str, Any]:
        """Return run.json with /series (one list per quantity of the log) and /marks (the marked steps)."""
        if self.source is None:
            return {}
        return self.source.get("") | _columns(_log(self.root, self.name, self.source))  # type: ignore[no-any-return]

    def supposing(self, values: Mapping[str, Any]) -> Run:
        """Return this run as it would be with other values at these pointers of `data`; nothing is written."""
        if self.source is None:
            return self
        recorded = {pointer: value for pointer, value in values.items() if not pointer.startswith(LOGGED)}
        other = replace(self, source=self.source.supposing(recorded))
        if len(recorded) < len(values):
            data: Any = self.data
            for pointer, value in values.items():
                data = put(data, pointer, value)
            other.__dict__["data"] = data  # what the cached property would read from the log
        return other

    def read(self, pointer: str) -> Any:
        """Return the value at a JSON pointer of `data`; CourseError when the run or the key is missing."""
        if self.source is None:
            assert self.problem is not None, "a run without a file has a problem that says so"
            raise CourseError(self.problem)
        if not pointer.startswith(LOGGED):
            return self.source.get(pointer)
        value: Any = self.data
        for step in pointer.split("/")[1:]:
            if isinstance(value, list) and step.isdigit() and int(step) < len(value):
                value = value[int(step)]
            elif isinstance(value, dict) and step in value:
                value = value[step]
            else:
                near = nearest(step, value) if isinstance(value, dict) else ""
                raise CourseError(Problem(self.path, 0, f"{pointer}: the log has no {step!r}{near}"))
        return value


def load_run(root: Path, name: str, wanted: Plan | None = None) -> Run:
    """Return run `name`; `problem` is set (gravity draft) when it is stale or was never recorded.

    `wanted` is its plan, for a caller that knows all of them.

    Raises:
        CourseError: no recipe gives such a run, or its files are damaged.
    """
    wanted = wanted or plan(root, name)
    kind = KINDS[wanted.kind].evidence
    source = _record(root, name)
    if source is None:
        text = f"run {name} was never recorded: course record {name}"
        return Run(root, name, "missing", kind, Problem(wanted.path, 0, text, Gravity.DRAFT))
    if changes := changes_of(wanted, source):
        text = f"run {name} is stale ({'; '.join(map(str, changes))}): course record {name}"
        return Run(root, name, "stale", kind, Problem(wanted.path, 0, text, Gravity.DRAFT), source)
    return Run(root, name, "fresh", kind, source=source)


def status(root: Path) -> list[RunState]:
    """Return the state of every run that the recipes and lab pages ask for, in order of name."""
    return [state_of(root, wanted) for wanted in all_plans(root)]


def state_of(root: Path, wanted: Plan) -> RunState:
    """Return the state of one planned run; damaged files make it missing, and say why."""
    try:
        source = _record(root, wanted.name)
        if source is None:
            return RunState(wanted.name, wanted.seed, "missing")
        changes = changes_of(wanted, source)
        _log_text(root, wanted.name, source)
    except CourseError as error:
        return RunState(wanted.name, wanted.seed, "missing", problem=error.problems[0])
    return RunState(wanted.name, wanted.seed, "stale" if changes else "fresh", changes)


def changes_of(wanted: Plan, source: Source) -> tuple[Change, ...]:
    """Return the parts in which a record differs from its plan."""
    return changes_between(source.read("/values", dict) | source.read("/parts", dict), wanted.parts)


def changes_between(old: dict[str, Any], new: dict[str, Any]) -> tuple[Change, ...]:
    """Return the parts in which two keys differ; a version that is None cannot be compared."""
    return tuple(
        Change(name, old.get(name), new.get(name))
        for name in [*new, *(name for name in old if name not in new)]
        if not (name in new and new[name] is None) and not _same(old.get(name), new.get(name))
    )


def lab_page(root: Path, lesson: str) -> str | Problem:
    """Return the recorded HTML of a lab page; `lesson` is its folder, as c1/02-topic."""
    run = load_run(root, lab_name(Path(lesson).name))
    if run.problem or run.source is None:
        return run.problem or Problem(run.path, 0, "no such run")
    path = f"{RUNS}/{run.name}/{PAGE}"
    page = load_text(path, root)
    if sha256(page) != run.source.read("/page_sha256", str):
        return Problem(path, 0, f"is not what was recorded: course record {run.name}")
    return page


def check_outcomes(root: Path, plans: Iterable[Plan] | None = None) -> list[Problem]:
    """Return a problem for every recorded training run that did not end as its recipe expects."""
    problems: list[Problem] = []
    for wanted in all_plans(root) if plans is None else plans:
        try:
            source = _record(root, wanted.name) if wanted.expect not in (None, "varies") else None
            if source is not None and (outcome := source.read("/summary/outcome", str)) != wanted.expect:
                recipe = load(f"{RECIPES}/{wanted.recipe}.json", root)
                text = f"run {wanted.name} gave {outcome!r}, the recipe expects {wanted.expect!r}"
                problems.append(recipe.problem("/expect", text))
        except CourseError as error:
            problems += error.problems
    return problems


def _record(root: Path, name: str) -> Source | None:
    """Return run.json, None when there is none."""
    path = f"{RUNS}/{name}/{RECORD}"
    if not is_there(root / path):
        return None
    source = load(path, root)
    source.read("/schema", int, choices=[SCHEMA])
    return source


def _log_text(root: Path, name: str, source: Source) -> str:
    """Return the log after checking that it is the one that was recorded."""
    path = f"{RUNS}/{name}/{LOG}"
    text = load_text(path, root)
    if sha256(text) != source.read("/log_sha256", str):
        raise CourseError(Problem(path, 0, f"is not the log that was recorded: course record {name}"))
    return text


def _log(root: Path, name: str, source: Source) -> list[dict[str, Any]]:
    """Return the log's records, one a line."""
    path = f"{RUNS}/{name}/{LOG}"
    records = []
    for number, line in enumerate(_log_text(root, name, source).rstrip("\n").split("\n"), 1):
        try:
            record = strict_json.parse(line)
        except strict_json.MalformedError as error:
            raise CourseError(Problem(path, number, error.text)) from None
        if not isinstance(record, dict):
            raise CourseError(Problem(path, number, f"is {shown(record)}, an object is expected"))
        records.append(record)
    return records


def _columns(log: list[dict[str, Any]]) -> dict[str, dict[str, list[Any]]]:
    """Turn records into columns: series has every step with a finite loss, marks those with all readings."""
    steps = [record for record in log if record.get("loss") is not None and "lr" in record]
    steps = steps or [record for record in log if "device" in record]
    marks = [record for record in log if "rms" in record]
    return {"series": _transposed(steps), "marks": _transposed(marks)}


def _transposed(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return the keys that all records share, each with its list of values."""
    shared = [key for key in records[0] if all(key in record for record in records)] if records else []
    return {key: [record[key] for record in records] for key in shared}


def _same(old: Any, new: Any) -> bool:
    return type(old) is type(new) and bool(old == new)


def sha256(text: str) -> str:
    """Return the digest by which a record knows its log and page."""
    return hashlib.sha256(text.encode()).hexdigest()


def _shown(value: Any) -> str:
    return "none" if value is None else json.dumps(value, ensure_ascii=False)
