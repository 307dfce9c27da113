"""The lock: what was published, and what moved since."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from course_build.errors import CourseError
from course_build.facts import lock
from tests.courses import course


def test_lock_is_json_sorted_and_without_places(tmp_path: Path) -> None:
    """One line for each number; no line numbers, no dates."""
    built = course(tmp_path, a=5000)
    text = lock.render(lock.snapshot(built.ledger))
    data = json.loads(text)
    assert list(data["numbers"]) == sorted(data["numbers"])
    assert set(data["numbers"]["toy.sum"]) == {"value", "text", "kind", "key"}
    assert data["inputs"] == {"docs/data.json#/a": 5000, "docs/data.json#/b": 3}
    assert text == lock.render(lock.snapshot(course(tmp_path, a=5000).ledger))


def test_unchanged_course_has_no_moves(tmp_path: Path) -> None:
    """Written, read, compared: nothing."""
    built = course(tmp_path)
    lock.write(tmp_path, lock.snapshot(built.ledger))
    committed = lock.read(tmp_path)
    assert committed is not None
    assert lock.moves(committed, built.ledger) == []


def test_move_names_the_input_with_old_and_new_value(tmp_path: Path) -> None:
    """A changed config: every number that moved, and why."""
    lock.write(tmp_path, lock.snapshot(course(tmp_path).ledger))
    committed = lock.read(tmp_path)
    assert committed is not None
    moves = lock.moves(committed, course(tmp_path, a=4).ledger)
    why = ("docs/data.json#/a: 2 -> 4",)
    assert moves == [lock.Move("toy.double", "10", "14", why), lock.Move("toy.sum", "5", "7", why)]


def test_long_vector_is_kept_as_a_digest(tmp_path: Path) -> None:
    """Long data would drown a review; its digest still moves."""
    facts = (
        'from course_build.ledger import fact, source\n\n@fact("v.x", title="向量", by="数据")\n'
        'def x(x=source("docs/data.json").at("/v")):\n    return x\n'
    )
    built = course(tmp_path, {"docs/v/facts.py": facts}, v=list(range(40)))
    row = lock.snapshot(built.ledger)["numbers"]["v.x"]
    assert row["value"].startswith("sha256:")
    assert row["text"] == "40 个数"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"schema": 99, "inputs": {}, "numbers": {}}', "schema 99 is unknown"),
        ("<<<<<<< ours\n{}\n", "merge"),
        ("{", "ledger.json"),
    ],
)
def test_damaged_lock_is_named(tmp_path: Path, text: str, expected: str) -> None:
    """A merge conflict or an unknown schema is one line."""
    course(tmp_path, {lock.LOCK: text})
    with pytest.raises(CourseError, match=expected):
        lock.read(tmp_path)
