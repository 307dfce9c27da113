"""Keys: what a result depends on changes them, nothing else does."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from course_build.keys import packages
from tests.keyed import Project, forget_science


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """Return a fresh project whose modules can be imported."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield Project(tmp_path)
    forget_science()


def moved(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """Return the names whose key changed."""
    return {name for name in before if before[name] != after[name]}


SCIENCE = {"uses_import", "uses_constant_elsewhere", "uses_package_attribute", "imports_inside"}
RATE_USERS = {"uses_helper", "uses_class", "short"}


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("docs/facts.py", "return x + 1\n\ndef uses_helper", "return x + 2\n\ndef uses_helper", {"plain"}),
        ("docs/facts.py", "RATE = 0.5", "RATE = 0.25", RATE_USERS),
        ("docs/facts.py", "return x * RATE", "return x / RATE", RATE_USERS - {"short"}),
        ("docs/facts.py", "OTHER = 3", "OTHER = 4", RATE_USERS - {"short"}),
        ("docs/facts.py", 'WORDS["b"] = 2', 'WORDS["b"] = 3', {"uses_words"}),
        ("docs/facts.py", "step = 1", "step = 2", {"uses_class"}),
        ("docs/facts.py", "return n == 0 or", "return n < 1 or", {"mutual"}),
        ("docs/facts.py", "return n != 0 and", "return n > 0 and", {"mutual"}),
        ("docs/facts.py", "return x ** power", "return x ** -power", {"uses_made"}),
        ("docs/facts.py", "square = make(2)", "square = make(3)", {"uses_made"}),
        ("docs/facts.py", "math.sqrt(x)", "math.cbrt(x)", {"stdlib"}),
        ("docs/facts.py", "scale as inner", "SHIFT as inner", {"imports_inside"}),
        ("docs/facts.py", "def declared(x=1):\n    return x", "def declared(x=1):\n    return -x",
         {"declared", "uses_declared"}),
        ("science/far.py", "CONSTANT = 7", "CONSTANT = 8", SCIENCE),
        ("science/far.py", "return x * CONSTANT", "return x + CONSTANT", SCIENCE),
        ("science/near.py", "SHIFT = 4", "SHIFT = 5", SCIENCE),
        ("science/__init__.py", "", "import science.unused\n", SCIENCE),
        ("science/top.py", "return scale(x)", "return scale(-x)", {"uses_package_attribute"}),
        ("science/unused.py", "X = 1", "X = 2", set()),
    ],
)  # fmt: skip
def test_exactly_the_dependents_move(project: Project, path: str, old: str, new: str, expected: set[str]) -> None:
    """A constant, a helper two steps away, a class, a factory's argument: its users' keys move."""
    before = project.keys()
    project.replace(path, old, new)
    assert moved(before, project.keys()) == expected


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("docs/facts.py", "'''Help.'''", "'''Other words.'''"),
        ("docs/facts.py", "\nRATE = 0.5", "\n\n# the rate\nRATE = 0.50  # of the course"),
        ("docs/facts.py", "RATE = 0.5", "RATE = 1 / 2"),
        (
            "docs/facts.py",
            "def helper(x, unused=OTHER):",
            "def helper(x: int, unused: object = OTHER) -> float:",
        ),
        (
            "docs/facts.py",
            "def plain(x):\n    return x + 1",
            "def plain(x):\n    '''One more.'''\n    return (x+1)",
        ),
        ("docs/facts.py", 'title="Title"', 'title="Another title"'),
        ("docs/facts.py", "def make(power):", "UNUSED = 12\n\n\ndef make(power):"),
        ("science/far.py", "    '''Deep.'''\n", ""),
        ("science/far.py", "  # here", ""),
        ("science/far.py", "CONSTANT = 7\n", "'''Doc.'''\n\n\nCONSTANT = (7)\n"),
        ("science/far.py", "def deep(x):", "def deep(x: float) -> 'float':"),
        (
            "science/top.py",
            "return scale(x)\n",
            "return scale(x)\n\nif __name__ == '__main__':\n    print(lift(1))\n",
        ),
    ],
)
def test_layout_changes_no_key(project: Project, path: str, old: str, new: str) -> None:
    """Comments, docstrings, annotations, layout, a title and a main block are not part of a key."""
    before = project.keys()
    project.replace(path, old, new)
    assert moved(before, project.keys()) == set()


def test_touch_moves_nothing_and_restored_times_hide_nothing(project: Project) -> None:
    """Keys read content: touch moves none, an edit with size and mtime restored moves all dependents."""
    before = project.keys()
    file = project.root / "science" / "far.py"
    state = file.stat()
    os.utime(file, (1, 1))
    assert moved(before, project.keys()) == set()
    project.replace("science/far.py", "CONSTANT = 7", "CONSTANT = 9")
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert file.stat().st_size == state.st_size
    assert moved(before, project.keys()) == SCIENCE


def test_a_library_version_moves_its_users(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version of an installed distribution is a part of the key of whoever imports it."""
    before = project.keys()
    known = packages.version
    monkeypatch.setattr(packages, "version", lambda name: "9.9" if name == "numpy" else known(name))
    assert moved(before, project.keys()) == {"third_party"}


def test_the_same_code_has_the_same_parts_in_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same code has the same parts wherever the project lies."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    found = []
    for name in ("one", "two"):
        monkeypatch.syspath_prepend(str(tmp_path / name))
        found.append(Project(tmp_path / name).keys())
    assert found[0] == found[1]
