"""The cache is never wrong and never wasteful: a matrix of edits, each recomputing exactly what depends on it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from course_build.facts.evaluate import Ledger
from course_build.keys import packages
from course_build.keys.store import Store
from course_build.site.course import Course
from tests.courses import write

FILES = {
    "docs/data.json": '{"a": 2, "b": 3, "seed": 7, "unused": 1, "list": [1, 2, 3]}',
    "science/__init__.py": "",
    "science/top.py": "from science import near\n\ndef grow(x):\n    return near.step(x)\n",
    "science/near.py": "from .far import FACTOR, twice\n\ndef step(x):\n    return twice(x) * FACTOR\n",
    "science/far.py": "FACTOR = 10\nOTHER = 1\n\ndef twice(x):\n    return x + x\n",
    "science/draw.py": "import random\n\ndef draw(seed):\n    return random.Random(seed).randrange(1000)\n",
    "science/vector.py": "import numpy as np\n\ndef total(x):\n    return int(np.sum(x))\n",
    "docs/facts.py": """
from course_build.ledger import fact, ref, source
from science import top
from science.draw import draw
from science.vector import total

data = source("docs/data.json")


@fact("t.grown", title="grown", by="science.top", format="d")
def grown(a=data.at("/a")):
    return top.grow(a)


@fact("t.drawn", title="drawn", by="science.draw", kind="simulated")
def drawn(seed=data.at("/seed")):
    return draw(seed)


@fact("t.total", title="total", by="science.vector")
def summed(x=data.at("/list")):
    return total(x)


@fact("t.plain", title="plain", how="{b} + 1")
def plain(b=data.at("/b")):
    return b + 1


@fact("t.sum", title="sum", how="{grown} + {plain}")
def both(grown=ref("t.grown"), plain=ref("t.plain")):
    return grown + plain
""",
}
STORED = {"t.grown", "t.drawn", "t.total"}  # their code reaches into modules: their values are kept

Edit = Callable[[Path], None]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the course, with its values in the cache."""
    write(tmp_path, FILES)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    read(tmp_path)
    yield tmp_path
    forget()


def forget() -> None:
    """Forget the science that was imported, as a new process would."""
    for name in [each for each in sys.modules if each.partition(".")[0] == "science"]:
        del sys.modules[name]


def read(root: Path) -> Ledger:
    """Read the course as a new process would."""
    forget()
    ledger = Course.read(root).ledger
    assert ledger.problems == []
    return ledger


def fresh(root: Path, elsewhere: Path) -> dict[str, Any]:
    """Return all values computed without the cache."""
    forget()
    ledger = Ledger(root, Store(elsewhere))
    ledger.load(root / "docs")
    ledger.evaluate()
    return {name: record.value for name, record in ledger.records.items()}


def replace(path: str, old: str, new: str) -> Edit:
    """Return an edit that replaces the one place where `old` stands."""

    def edit(root: Path) -> None:
        text = (root / path).read_text()
        assert text.count(old) == 1
        (root / path).write_text(text.replace(old, new))

    return edit


def keeping_times(edit: Edit, path: str) -> Edit:
    """Return the same edit with the file's size checked and its times put back."""

    def hidden(root: Path) -> None:
        before = (root / path).stat()
        edit(root)
        assert (root / path).stat().st_size == before.st_size
        os.utime(root / path, ns=(before.st_atime_ns, before.st_mtime_ns))

    return hidden


def touch(root: Path) -> None:
    """Give every file another time."""
    for path in root.rglob("*.*"):
        os.utime(path, (1, 1))


def reordered(root: Path) -> None:
    """Write the data with other white space and another order of keys."""
    data = json.loads((root / "docs/data.json").read_text())
    (root / "docs/data.json").write_text(json.dumps(dict(reversed(data.items())), indent=4) + "\n\n")


GROWN = {"t.grown", "t.sum"}
MATRIX: dict[str, tuple[Edit, set[str], set[str]]] = {  # what, edit, keys that move, values that are computed again
    "a value": (replace("docs/data.json", '"a": 2', '"a": 5'), GROWN, {"t.grown"}),
    "a value beside": (replace("docs/data.json", '"unused": 1', '"unused": 2'), set(), set()),
    "a value of a plain fact": (replace("docs/data.json", '"b": 3', '"b": 4'), {"t.plain", "t.sum"}, set()),
    "an element of a list": (replace("docs/data.json", "[1, 2, 3]", "[1, 2, 4]"), {"t.total"}, {"t.total"}),
    "a seed": (replace("docs/data.json", '"seed": 7', '"seed": 8'), {"t.drawn"}, {"t.drawn"}),
    "a helper two steps away": (replace("science/far.py", "x + x", "x * 3"), GROWN, {"t.grown"}),
    "a constant elsewhere": (replace("science/far.py", "FACTOR = 10", "FACTOR = 20"), GROWN, {"t.grown"}),
    "the fact itself": (replace("docs/facts.py", "top.grow(a)", "top.grow(a + 1)"), GROWN, {"t.grown"}),
    "a display rule": (replace("docs/facts.py", 'format="d"', 'format=",d"'), {"t.grown"}, set()),
    "data with size and times put back": (
        keeping_times(replace("docs/data.json", '"a": 2', '"a": 5'), "docs/data.json"), GROWN, {"t.grown"},
    ),
    "code with size and times put back": (
        keeping_times(replace("science/far.py", "FACTOR = 10", "FACTOR = 20"), "science/far.py"), GROWN, {"t.grown"},
    ),
    "touch": (touch, set(), set()),
    "key order and white space": (reordered, set(), set()),
    "a comment and a docstring": (
        replace("science/far.py", "def twice(x):\n", "# doubled\ndef twice(x):\n    '''Double.'''\n"), set(), set(),
    ),
    "a title": (replace("docs/facts.py", 'title="grown"', 'title="another"'), set(), set()),
    "lines moved": (replace("docs/facts.py", "data = source", "\n\n\n\ndata = source"), set(), set()),
}  # fmt: skip


@pytest.mark.parametrize("what", MATRIX)
def test_exactly_the_dependents_are_computed_again(project: Path, tmp_path: Path, what: str) -> None:
    """Keys move for exactly the dependents, stored values are computed again for exactly them, all values are right."""
    edit, moved, again = MATRIX[what]
    before = read(project)
    assert STORED.isdisjoint(before.recomputed)
    edit(project)
    after = read(project)
    assert {name for name in after.records if after.records[name].key != before.records[name].key} == moved
    assert STORED.intersection(after.recomputed) == again
    assert {name: record.value for name, record in after.records.items()} == fresh(project, tmp_path / "empty")
    assert STORED.isdisjoint(read(project).recomputed)


def test_a_library_version(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of a distribution moves exactly the facts whose code imports it."""
    before = read(project)
    real = packages.version
    monkeypatch.setattr(packages, "version", lambda name: "99" if name == "numpy" else real(name))
    after = read(project)
    assert {name for name in after.records if after.records[name].key != before.records[name].key} == {"t.total"}
    assert STORED.intersection(after.recomputed) == {"t.total"}


def test_going_back_is_free(project: Path) -> None:
    """A value that was there before is found again: nothing is computed a second time."""
    replace("docs/data.json", '"a": 2', '"a": 5')(project)
    assert "t.grown" in read(project).recomputed
    replace("docs/data.json", '"a": 5', '"a": 2')(project)
    assert STORED.isdisjoint(read(project).recomputed)


def test_a_damaged_cache_gives_the_same_values(project: Path) -> None:
    """Every entry cut short: computed again, stored again."""
    before = read(project)
    for path in (project / ".cache/course").glob("??/*"):
        path.write_bytes(path.read_bytes()[:20])
    after = read(project)
    assert set(after.recomputed) >= STORED
    assert {n: r.value for n, r in after.records.items()} == {n: r.value for n, r in before.records.items()}
    assert STORED.isdisjoint(read(project).recomputed)


@pytest.mark.parametrize("moment", ["after its import", "before its import"])
def test_an_edit_while_the_course_is_read(project: Path, tmp_path: Path, moment: str) -> None:
    """A module edited between its key and its import, or the reverse: nothing wrong is kept under either key."""
    far, flag = project / "science/far.py", tmp_path / "edit now"
    original = far.read_text()
    edited = original.replace("FACTOR = 10", "FACTOR = 99")
    edit = f"from pathlib import Path; Path({str(flag)!r}).exists() and Path({str(far)!r}).write_text({edited!r})"
    replace("docs/data.json", '"a": 2', '"a": 6')(project)
    imported = "from science import near\n"
    if moment == "after its import":
        replace("science/top.py", imported, f"{imported}{edit}\n")(project)
    else:
        replace("science/top.py", imported, "")(project)
        replace("science/top.py", "    return", f"    {edit}\n    {imported}    return")(project)
    flag.touch()
    forget()
    Course.read(project)
    flag.unlink()
    for text, value in ((edited, 1188), (original, 120)):
        far.write_text(text)
        assert read(project).records["t.grown"].value == value
