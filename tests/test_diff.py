"""`course diff`: what moved, or would move, against the lock, a revision, or a supposed input."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.command import course
from tests.small import FILES, small_course, tree

CHART = """
from course_build.figures import chart
from course_build.ledger import ref


@chart("toy.chart", title="两个数", summary="后者更大。", x="哪一个", y="值")
def drawn(s=ref("toy.sum"), d=ref("toy.double")):
    return {"data": [{"type": "bar", "x": ["和", "两倍"], "y": [s, d]}]}
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Return a small course on disk, locked."""
    small_course(tmp_path)
    assert course(tmp_path, "lock").code == 0
    return tmp_path


def test_diff_against_the_lock_and_a_revision(small: Path) -> None:
    """Numbers old -> new with inputs, pages and claims, as Markdown; against the lock or a git revision."""
    for command in (
        ["init", "-q"], ["add", "."],
        ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "first"],
    ):  # fmt: skip
        subprocess.run(["git", *command], cwd=small, check=True, capture_output=True)
    (small / "docs/data.json").write_text('{"a": 2, "b": 30}')
    data = course(small, "diff", "--json").data
    assert data["inputs"] == [{"input": "docs/data.json#/b", "old": 3, "new": 30}]
    assert [(each["id"], each["old"], each["new"]) for each in data["numbers"]] == [
        ("toy.double", "10", "64"), ("toy.sum", "5", "32"),
    ]  # fmt: skip
    assert data["pages"] == ["docs/c4/03-norm/index.md", "docs/index.md"]
    assert [each["id"] for each in data["claims"]] == ["toy.c.larger"]
    assert course(small, "lock").code == 0
    assert course(small, "diff", "--json").data["numbers"] == []
    told = course(small, "diff", "HEAD", "--output", "review.md")
    assert (told.code, told.out) == (0, "")
    assert "| `toy.double` | 10 | 64 |" in (small / "review.md").read_text()
    wrong = course(small, "diff", "nowhere")
    assert wrong.code == 1
    assert "revision nowhere has none" in wrong.err


def test_diff_names_the_page_of_a_figure(small: Path) -> None:
    """A number that is only drawn has a place too; so has it in `find`."""
    (small / "docs/charts.py").write_text(CHART, encoding="utf-8")
    (small / "docs/index.md").write_text("# 小课 {#top}\n\n/// chart | toy.chart\n例子。\n///\n", encoding="utf-8")
    (small / "docs/c4/03-norm/index.md").write_text("# 归一化 {#norm}\n", encoding="utf-8")
    (small / "docs/data.json").write_text('{"a": 2, "b": 30}')
    data = course(small, "diff", "--json").data
    assert data["pages"] == ["docs/index.md"]
    places = {each["id"]: each["pages"] for each in data["numbers"]}
    assert places == {"toy.double": ["docs/index.md:3"], "toy.sum": ["docs/index.md:3"]}
    [found] = course(small, "find", "32", "--json").data["found"]
    assert (found["uses"], found["drawn"]) == ([], ["docs/index.md:3"])


def test_diff_supposing_an_input(small: Path) -> None:
    """What would move, before anybody edits; nothing is written."""
    before = tree(small / "docs")
    data = course(small, "diff", "--suppose", "docs/data.json#/b=30", "--json").data
    assert data["inputs"] == [{"input": "docs/data.json#/b", "old": 3, "new": 30}]
    assert [(each["id"], each["old"], each["new"]) for each in data["numbers"]] == [
        ("toy.double", "10", "64"), ("toy.sum", "5", "32"),
    ]  # fmt: skip
    assert data["pages"] == ["docs/c4/03-norm/index.md", "docs/index.md"]
    told = course(small, "diff", "--suppose", "docs/data.json#/a=-9").err
    assert "**FALSE** `toy.c.larger`" in told
    assert tree(small / "docs") == before


@pytest.mark.parametrize("value", ["x", "null", '"3"', "[1]"])
def test_diff_supposing_what_facts_refuse(small: Path, value: str) -> None:
    """The facts that have no value then, in one line; exit 1."""
    answer = course(small, "diff", "--suppose", f"docs/data.json#/b={value}")
    assert answer.code == 1
    assert "without a value: toy.double, toy.sum" in answer.err


@pytest.mark.parametrize("place", ["docs/data.json#/c=1", "docs/other.json#/a=1", "", "=", "#=#"])
def test_diff_supposing_what_nothing_reads(small: Path, place: str) -> None:
    """A misspelt place is an error, not an empty answer."""
    answer = course(small, "diff", "--suppose", place)
    assert answer.code == 1
    assert "no number reads" in answer.err


def test_a_move_within_the_rounding_is_told_as_such(small: Path) -> None:
    """The same text on both sides would look like a mistake."""
    facts = FILES["docs/facts.py"].replace('how="{s} × 2"', 'how="{s} × 2", format=".0e"')
    (small / "docs/facts.py").write_text(facts, encoding="utf-8")
    assert course(small, "lock").code == 0
    told = course(small, "diff", "--suppose", "docs/data.json#/b=3.01").err
    assert "(within its rounding)" in told


def test_a_sentence_without_its_number_is_named(small: Path) -> None:
    """Which places have nothing to show, and because of which input."""
    (small / "docs/data.json").write_text('{"a": 2}')
    told = course(small, "diff").err
    assert "without a value: toy.double, toy.sum" in told
    assert "docs/index.md:3: nothing to show for toy.sum, toy.double, toy.c.larger (lines 3, 5)" in told
    assert "docs/data.json:1: /b: key is missing" in told


def test_check_tells_a_list_that_moved(small: Path) -> None:
    """Moves stand together by cause, whatever kind of value the cause is."""
    facts = (small / "docs/facts.py").read_text(encoding="utf-8")
    facts += '''

@fact("toy.list", title="一列数", by="数据")
def listed(v=data.at("/v")):
    return v


@fact("toy.first", title="头一个", by="取头一个")
def first(v=data.at("/v")):
    return v[0]
'''
    (small / "docs/facts.py").write_text(facts, encoding="utf-8")
    (small / "docs/data.json").write_text('{"a": 2, "b": 3, "v": [1, 2]}')
    assert course(small, "lock").code == 0
    (small / "docs/data.json").write_text('{"a": 2, "b": 3, "v": [7, 2]}')
    told = course(small, "check").err
    assert "toy.first moved: 1 -> 7 (docs/data.json#/v: [1, 2] -> [7, 2])" in told
    assert "toy.list moved: [1, 2] -> [7, 2]" in told
