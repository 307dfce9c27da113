"""A claim shows a change of an input that makes it false; one that nothing makes false is empty, or a law."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_build.facts.falsify import Falsifier, Step
from course_build.facts.suppose import Suppose, atoms
from course_build.site.course import Course
from tests.courses import FACTS, course
from tests.small import FILES, run, small_course

DERIVED = """

@fact("toy.triple", title="三倍", how="{a} + {d}")
def triple(a=data.at("/a"), d=ref("toy.double")):
    return a + d
"""


def claims(*lines: str) -> dict[str, str]:
    """Return a facts.py with these claims behind the small course's facts."""
    return {"docs/facts.py": FACTS + "\n\n" + "\n".join(lines) + "\n"}


def checked(folder: Path, *lines: str) -> str:
    """Return what `course check` says of a course with these claims."""
    small_course(folder)
    (folder / "docs/facts.py").write_text(claims(*lines)["docs/facts.py"], encoding="utf-8")
    (folder / "docs/index.md").write_text("# 小课 {#top}\n", encoding="utf-8")
    (folder / "docs/c4/03-norm/index.md").write_text("# 归一化 {#norm}\n", encoding="utf-8")
    assert run(folder, "course_build", "lock")[0] == 0
    return run(folder, "course_build", "check")[1]


def falsifier(built: Course) -> Falsifier:
    """Return what judges the claims of a course without a lock."""
    return Falsifier(built.ledger, {})


def test_a_claim_over_two_facts_of_one_input_is_empty(tmp_path: Path) -> None:
    """Each id could be anything; but no value in any file makes twice the sum smaller than the sum."""
    said = checked(tmp_path, 'claim("toy.c.same", "toy.double == 2 * toy.sum", title="相等")')
    assert "docs/facts.py:" in said
    assert "claim toy.c.same: `toy.double == 2 * toy.sum` is empty" in said
    assert 'say why: law="…"' in said


def test_a_law_says_why_and_passes(tmp_path: Path) -> None:
    """It tests the code; the evidence page tells the reason."""
    said = checked(tmp_path, 'claim("toy.c.same", "toy.double == 2 * toy.sum", title="相等", law="按定义就相等")')
    assert "toy.c.same" not in said
    assert run(tmp_path, "mkdocs", "build", "-q")[0] == 0
    page = (tmp_path / "site/evidence.html").read_text(encoding="utf-8")
    assert "改哪一个输入值它都成立：按定义就相等" in page


def test_a_law_that_an_input_breaks_is_none(tmp_path: Path) -> None:
    """The input is named."""
    said = checked(tmp_path, 'claim("toy.c.more", "toy.double > toy.sum", title="更大", law="总是更大")')
    assert "claim toy.c.more: is no law: a change of docs/data.json#/" in said


def test_a_tautology_is_no_law(tmp_path: Path) -> None:
    """What not even free numbers make false tests nothing at all."""
    said = checked(tmp_path, 'claim("toy.c.self", "toy.sum == toy.sum", title="自己", law="同一个数")')
    assert "claim toy.c.self: `toy.sum == toy.sum` is empty" in said


def test_an_inline_check_is_judged_too(tmp_path: Path) -> None:
    """`[[? …]]` may be as empty as a claim."""
    small_course(tmp_path)
    page = tmp_path / "docs/index.md"
    page.write_text(FILES["docs/index.md"] + "\n一样大[[? toy.sum == toy.sum]]。\n", encoding="utf-8")
    code, said = run(tmp_path, "course_build", "check")
    assert code == 1
    assert "docs/index.md:9: check: `toy.sum == toy.sum` is empty" in said


def test_the_lock_remembers_the_change_and_the_page_shows_it(tmp_path: Path) -> None:
    """One input, its value and the value that would make the sentence false."""
    small_course(tmp_path)
    assert run(tmp_path, "course_build", "lock")[0] == 0
    built = Course.read(tmp_path)
    [step] = built.falsifier.example(built.ledger.claims["toy.c.larger"])
    assert step.where in ("docs/data.json#/a", "docs/data.json#/b")
    assert step.old in (2, 3)
    assert run(tmp_path, "mkdocs", "build", "-q")[0] == 0
    page = (tmp_path / "site/evidence.html").read_text(encoding="utf-8")
    assert f"由 {step.old} 改为 {str(step.new).replace('-', '−')}" in page
    assert "它就不成立" in page


def test_an_example_that_no_longer_falsifies_is_not_shown(tmp_path: Path) -> None:
    """The page never tells what a build has not seen."""
    built = course(tmp_path, claims('claim("toy.c.more", "toy.double > toy.sum", title="更大")'))
    claim = built.ledger.claims["toy.c.more"]
    assert Falsifier(built.ledger, {claim.id: {"key": "", "changes": [{"docs/data.json#/a": 5}]}}).example(claim) == ()
    assert Falsifier(built.ledger, {claim.id: {"key": "", "changes": [{"docs/data.json#/a": -9}]}}).example(claim) == (
        Step("docs/data.json#/a", 2, -9),
    )


def test_an_example_for_a_key_that_is_gone_is_not_shown(tmp_path: Path) -> None:
    """After another file was put in its place the lock still knows the old key."""
    built = course(tmp_path, claims('claim("toy.c.more", "toy.double > toy.sum", title="更大")'))
    claim = built.ledger.claims["toy.c.more"]
    row = {"key": "", "changes": [{"docs/other.json#/a": -9}]}
    assert Falsifier(built.ledger, {claim.id: row}).example(claim) == ()


@pytest.mark.parametrize("change", [{"docs/data.json#/a": 7}, {"docs/data.json#/a": 7, "docs/data.json#/b": 0}])
def test_supposing_follows_other_facts(tmp_path: Path, change: dict[str, int]) -> None:
    """Everything that stands on the value is computed anew, and only for the question."""
    built = course(tmp_path, {"docs/facts.py": FACTS + DERIVED})
    a, b = change["docs/data.json#/a"], change.get("docs/data.json#/b", 3)
    other = Suppose(built.ledger)(change)
    assert other.record("toy.triple").value == a + 2 * (a + b)
    assert other.record("toy.triple").derivation == f"{a} + {2 * (a + b)}"
    assert built.ledger.record("toy.triple").value == 12


def test_atoms_lie_inside_what_a_fact_reads(tmp_path: Path) -> None:
    """A list of numbers is one; what is null cannot be changed."""
    data = '{"a": {"v": [1, 2], "rows": [[1], [2]], "name": "x~/y", "no": null, "a/b": true}, "b": 3}'
    facts = """\
from course_build.ledger import fact, source

@fact("toy.n", title="个数", by="数一数")
def n(a=source("docs/data.json").at("/a")):
    return len(a)
"""
    built = course(tmp_path, {"docs/facts.py": facts, "docs/data.json": data})
    [leaf] = built.ledger.records["toy.n"].leaves
    assert dict(atoms(leaf)) == {
        "docs/data.json#/a/v": (1, 2),
        "docs/data.json#/a/rows/0": (1,),
        "docs/data.json#/a/rows/1": (2,),
        "docs/data.json#/a/name": "x~/y",
        "docs/data.json#/a/a~1b": True,
    }
