"""docs/ledger.json, the committed lock of all published numbers: a review shows which ones moved.

    {"schema": 1,
     "inputs": {"experiments/configs/anchor-model.json#/text_config/hidden_size": 5120, …},
     "numbers": {"norm.params": {"value": 660480, "text": "660,480", "kind": "computed", "key": "…"}, …},
     "claims": {"norm.c.ladder": {"key": "…", "changes": [{"docs/…/simulator.json#/n": 1}]}, …}}

Sorted, no line numbers, no dates.  Long vectors are kept as a digest; `inputs` lets `explain` and `diff` name the old
value of what changed; `claims` holds, for each claim, changes of inputs that make it (or a part of it) false, with a
digest of the numbers that this was seen for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from course_build.errors import CourseError, Problem
from course_build.facts.evaluate import Ledger
from course_build.files.source import load
from course_build.files.strict_json import escape
from course_build.files.textfile import is_there
from course_build.files.writing import replace_file
from course_build.keys import canonical, digest

SCHEMA = 1
SECTIONS = ("inputs", "numbers", "claims")
EMPTY: dict[str, Any] = {"inputs": {}, "numbers": {}, "claims": {}}
LOCK = "docs/ledger.json"
DIGEST = "sha256:"
_LONGEST = 16  # elements of a vector that are written out


def snapshot(ledger: Ledger, claims: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """Return the lock that the ledger would have; `claims` are the changes that make each claim false."""
    leaves = {leaf.where: short(leaf.value) for record in ledger.records.values() for leaf in record.leaves}
    numbers = {
        record.id: {
            "value": short(record.value),
            "text": record.text if _isshort(record.value) else f"{len(record.value)} 个数",
            "kind": record.kind.value,
            "key": record.key,
        }
        for record in ledger.records.values()
    }
    return {
        "schema": SCHEMA,
        "inputs": dict(sorted(leaves.items())),
        "numbers": dict(sorted(numbers.items())),
        "claims": dict(sorted((claims or {}).items())),
    }


def _isshort(value: Any) -> bool:
    return not isinstance(value, list | dict) or len(value) <= _LONGEST


def short(value: Any) -> Any:
    """Return a value as the lock keeps it: a long one as a digest."""
    return value if _isshort(value) else DIGEST + digest(canonical(value))[:16]


def render(lock: Mapping[str, Any]) -> str:
    """Return the lock as text: one line for each number, so that a diff reads."""
    lines = ["{", f' "schema": {lock["schema"]},']
    for section in SECTIONS:
        rows = [
            f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in lock[section].items()
        ]
        lines += [f' "{section}": {{', ",\n".join(rows), " }" if section == SECTIONS[-1] else " },"]
    return "\n".join(line for line in [*lines, "}"] if line) + "\n"


def read(root: Path) -> dict[str, Any] | None:
    """Return the committed lock, None when there is none yet.

    Raises:
        CourseError: damaged, or of a schema this version does not know.
    """
    path = root / LOCK
    if not is_there(path):
        return None
    source = load(path, root)
    schema = source.read("/schema", int)
    if schema != SCHEMA:
        raise CourseError(source.problem("/schema", f"schema {schema} is unknown, {SCHEMA} is; run `course lock`"))
    lock = {section: source.read(f"/{section}", dict) for section in ("inputs", "numbers")}
    lock["claims"] = source.read("/claims", dict, default={})  # locks written before there were examples have none
    wanted: list[tuple[str, Any]] = [(f"/claims/{escape(name)}/key", str) for name in lock["claims"]]
    wanted += [(f"/claims/{escape(name)}/changes", list[dict[str, Any]]) for name in lock["claims"]]
    wanted += [(f"/numbers/{escape(name)}/{key}", str) for name in lock["numbers"] for key in ("text", "kind", "key")]
    problems: list[Problem] = []
    for pointer, kind in wanted:
        try:
            source.read(pointer, kind)
        except CourseError as error:
            problems += error.problems
    if problems:
        raise CourseError(dict.fromkeys(problems))
    return lock


def write(root: Path, lock: Mapping[str, Any]) -> None:
    """Replace the lock in one step.

    Raises:
        CourseError: it cannot be written; the old one stands.
    """
    replace_file(root / LOCK, render(lock).encode(), LOCK)
