"""The lock: what was published, and what moved since."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from course_build.errors import CourseError
from course_build.facts import lock
from course_build.facts.moves import Change, Move, moves
from tests.courses import FACTS, course


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
    assert moves(committed, built.ledger) == []


def test_move_names_the_input_with_old_and_new_value(tmp_path: Path) -> None:
    """A changed config: every number that moved, and why."""
    lock.write(tmp_path, lock.snapshot(course(tmp_path).ledger))
    committed = lock.read(tmp_path)
    assert committed is not None
    why = (Change("docs/data.json#/a", 2, 4),)
    assert moves(committed, course(tmp_path, a=4).ledger) == [
        Move("toy.double", "10", "14", why),
        Move("toy.sum", "5", "7", why),
    ]
    assert str(why[0]) == "docs/data.json#/a: 2 -> 4"


def test_only_the_inputs_that_moved_a_number_are_its_causes(tmp_path: Path) -> None:
    """One reads both and shows the first only: the second changed without effect."""
    facts = """
from course_build.ledger import fact, source

data = source("docs/data.json")


@fact("toy.larger", title="较大的一个", by="取最大")
def larger(both=data.at("/both")):
    return max(both["a"], both["b"])


@fact("toy.first", title="取第一个", by="取第一个")
def first(a=data.at("/a"), b=data.at("/b")):
    return a


@fact("toy.least", title="较小的一个", by="取最小")
def least(a=data.at("/a"), b=data.at("/b")):
    return min(a, b)
"""
    files = {"docs/facts.py": facts}
    lock.write(tmp_path, lock.snapshot(course(tmp_path, files, both={"a": 1, "b": 2}).ledger))
    committed = lock.read(tmp_path)
    assert committed is not None
    built = course(tmp_path, files, a=4, b=7, both={"a": 1, "b": 9})
    causes = {move.id: [change.where for change in move.why] for move in moves(committed, built.ledger)}
    assert causes == {
        "toy.first": ["docs/data.json#/a"],
        "toy.least": ["docs/data.json#/a", "docs/data.json#/b"],  # 3 with the old b, 2 with the old a, now 4
        "toy.larger": ["docs/data.json#/both"],
    }


def test_new_and_gone_are_told_as_such(tmp_path: Path) -> None:
    """Not as a move from or to None."""
    lock.write(tmp_path, lock.snapshot(course(tmp_path).ledger))
    committed = lock.read(tmp_path)
    assert committed is not None
    renamed = course(tmp_path, {"docs/facts.py": FACTS.replace("toy.double", "toy.twice")})
    assert [str(move) for move in moves(committed, renamed.ledger)] == [
        "toy.double is gone: it was 10",
        "toy.twice is new: 10",
    ]


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
