"""What an author is told of a fact, a promise or a lock that is wrong: the place, what is allowed, what is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_build.site import promises
from tests.courses import FACTS, convert, course
from tests.small import LOCK, run, small_course, tree


def test_a_promise_made_twice_names_both_places(tmp_path: Path) -> None:
    """The second place is the problem's own, the first stands in its text."""
    built = course(tmp_path)
    promise = "/// promise | p.one\n    to: c9\n\n以后讲。\n///\n"
    convert(built, promise, path="docs/a.md", url="a.html")
    convert(built, f"好。\n\n{promise}", path="docs/b.md", url="b.html")
    [found] = promises.check(built.pages.values())
    assert (found.path, found.line) == ("docs/b.md", 3)
    assert "first in docs/a.md:1" in found.text


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('how="{a} + {b}"', 'how="{a} + {b}", format=".1q"', "cannot be shown by format '.1q': display rule"),
        ('how="{a} + {b}"', 'how="{a} + {b}", kind="invented"', "kind 'invented' is none of proved, computed"),
        ('s=ref("toy.sum")', "s", "parameter s has no declared input (it has no default); write s=ref(…)"),
        ('b=data.at("/b")', "b=7", "parameter b has no declared input (seen 7); write b=ref(…)"),
        ('title="a 与 b 之和", ', "", "missing 1 required keyword-only argument: 'title'"),
    ],
)  # fmt: skip
def test_a_wrong_fact_is_named_with_what_is_allowed(tmp_path: Path, old: str, new: str, said: str) -> None:
    """The first problem names the argument that is wrong, not what came of it; nothing else is said to have moved."""
    built = course(tmp_path, {"docs/facts.py": FACTS.replace(old, new, 1)})
    found = [each for each in built.problems if each.path == "docs/facts.py"]
    assert said in found[0].text
    assert not [each for each in built.problems if "moved" in each.text]


def test_a_lock_that_is_refused_changes_nothing(tmp_path: Path) -> None:
    """While a fact cannot be evaluated the lock stays as it is, and the command says so."""
    small_course(tmp_path)
    assert run(tmp_path, *LOCK)[0] == 0
    facts = tmp_path / "docs/facts.py"
    facts.write_text(facts.read_text().replace("return a + b", "return a / 0"))
    before = tree(tmp_path / "docs")
    code, said = run(tmp_path, *LOCK)
    assert (code, tree(tmp_path / "docs")) == (1, before)
    assert "refused, docs/ledger.json is unchanged" in said
    assert "ZeroDivisionError" in said
