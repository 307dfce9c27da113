"""Keys: what a result depends on changes them, nothing else does."""

from __future__ import annotations

import math
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_build import codebase, packages
from course_build.errors import CourseError
from course_build.keys import Codebase, canonical, code_key, code_parts, digest
from course_build.source import MISSING

FACTS = """
'''Facts of a small course.'''
import math
from science import top as upper
from science.near import scale, SHIFT as moved
from course_build.ledger import fact

RATE = 0.5
WORDS = {"a": 1}
WORDS["b"] = 2
OTHER = 3


def helper(x, unused=OTHER):
    '''Help.'''
    return x * RATE


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


class Counter:
    step = 1

    def count(self, x):
        return helper(x) + self.step


def make(power):
    def raised(x):
        return x ** power
    return raised


def plain(x):
    return x + 1

def uses_helper(x):
    return helper(x)

def uses_words(x):
    return WORDS[x]

def uses_class(x):
    return Counter().count(x)

def uses_import(x):
    return scale(x)

def uses_constant_elsewhere(x):
    return x + moved

def uses_package_attribute(x):
    return upper.lift(x)

def imports_inside(x):
    from science.near import scale as inner
    return inner(x)

def mutual(x):
    return even(x)

def stdlib(x):
    return math.sqrt(x)

def third_party(x):
    import numpy as np
    return np.sum(x)

made = [make(p) for p in (1, 2)]
square = make(2)
short = lambda x: x + RATE
pair = (lambda x: x + 1, lambda x: x * helper(x))

def uses_made(x):
    return square(x)

@fact("t.declared", title="Title", by="words")
def declared(x=1):
    return x

def uses_declared(x):
    return declared(x)

def attribute_only(x):
    return x.helper
"""
MODULES = {
    "science/__init__.py": "",
    "science/top.py": "from science.near import scale\n\ndef lift(x):\n    return scale(x)\n",
    "science/near.py": "from .far import deep\nSHIFT = 4\n\ndef scale(x):\n    return deep(x)\n",
    "science/far.py": "CONSTANT = 7\n\ndef deep(x):\n    '''Deep.'''\n    return x * CONSTANT  # here\n",
    "science/unused.py": "X = 1\n",
}
NAMES = [
    "plain", "uses_helper", "uses_words", "uses_class", "uses_import", "uses_constant_elsewhere",
    "uses_package_attribute", "imports_inside", "mutual", "stdlib", "third_party", "uses_made", "short",
    "uses_declared", "declared", "attribute_only",
]  # fmt: skip


class Project:
    """A project on disk whose facts.py is executed again for every question."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("docs/facts.py", FACTS)
        for path, text in MODULES.items():
            self.write(path, text)

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def replace(self, path: str, old: str, new: str) -> None:
        """Replace the one place where `old` stands."""
        text = (self.root / path).read_text()
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
        self.write(path, text.replace(old, new))

    def facts(self) -> SimpleNamespace:
        """Execute facts.py as the generator does: from its text, with freshly imported modules."""
        for name in [each for each in sys.modules if each.split(".")[0] == "science"]:
            del sys.modules[name]
        file = self.root / "docs" / "facts.py"
        namespace: dict[str, Any] = {"__name__": "docs.facts", "__file__": str(file)}
        exec(compile(file.read_text(), str(file), "exec"), namespace)
        return SimpleNamespace(**namespace)

    def keys(self) -> dict[str, str]:
        """Return the key of every function in NAMES."""
        facts = self.facts()
        return {name: code_key(getattr(facts, name), self.root) for name in NAMES}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """Return a fresh project whose modules can be imported."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield Project(tmp_path)
    for name in [each for each in sys.modules if each.split(".")[0] == "science"]:
        del sys.modules[name]


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


def test_parts_are_named_for_explain(project: Project) -> None:
    """Every part has a readable name; short values and versions stand in it as they are."""
    facts = project.facts()
    parts = code_parts(facts.uses_helper, project.root)
    assert sorted(parts) == ["function", "name OTHER", "name RATE", "name helper"]
    assert parts["name RATE"] == "0.5"
    modules = ["module science", "module science.far", "module science.near"]
    assert sorted(code_parts(facts.uses_import, project.root)) == ["function", *modules]
    assert code_parts(facts.third_party, project.root)["package numpy"] == packages.version("numpy")


def test_closures_made_in_a_loop_have_keys_of_their_own(project: Project) -> None:
    """Functions of the same text differ by the values that they were made with."""
    first, second = project.facts().made
    assert code_parts(first, project.root)["closure power"] == "1"
    assert code_key(first, project.root) != code_key(second, project.root)
    again = project.facts().made
    assert code_key(again[0], project.root) == code_key(first, project.root)


def test_lambdas_on_one_line_are_told_apart(project: Project) -> None:
    """A lambda is found by its column."""
    facts = project.facts()
    first, second = (code_parts(each, project.root) for each in facts.pair)
    assert "name helper" in second
    assert "name helper" not in first
    before = code_key(facts.pair[0], project.root)
    project.replace("docs/facts.py", "lambda x: x * helper(x))", "lambda x: x / helper(x))")
    assert code_key(project.facts().pair[0], project.root) == before
    assert code_key(project.facts().pair[1], project.root) != code_key(facts.pair[0], project.root)


def run_facts(project: Project, text: str) -> SimpleNamespace:
    """Replace facts.py and execute it."""
    project.write("docs/facts.py", textwrap.dedent(text))
    return project.facts()


def test_defaults_and_declared_inputs(project: Project) -> None:
    """A default value counts; a declared input does not, because the ledger keys what it resolves to."""
    text = """
        class Declared:
            def __init__(self, pointer): self.pointer = pointer
            def resolve(self, ground, fact_value): return None
        def f(x=Declared("/a"), factor=2): return x * factor
    """
    before = code_parts(run_facts(project, text).f, project.root)
    assert before == code_parts(run_facts(project, text.replace("/a", "/b")).f, project.root)
    assert before["default factor"] == "2"
    assert before != code_parts(run_facts(project, text.replace("factor=2", "factor=3")).f, project.root)


def test_decorated_functions_and_caches(project: Project) -> None:
    """The wrapper and the wrapped function both count."""
    text = """
        import functools
        def double(f):
            @functools.wraps(f)
            def wrapper(x): return f(x) * 2
            return wrapper
        @double
        def f(x): return x + 1
        @functools.cache
        def g(x): return x + 1
        h = functools.partial(g, 3)
    """
    facts = run_facts(project, text)
    before = [code_key(each, project.root) for each in (facts.f, facts.g, facts.h)]
    facts = run_facts(project, text.replace("f(x) * 2", "f(x) * 3"))
    after = [code_key(each, project.root) for each in (facts.f, facts.g, facts.h)]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True, True]
    facts = run_facts(project, text.replace("x + 1", "x + 2"))
    after = [code_key(each, project.root) for each in (facts.f, facts.g, facts.h)]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, False, False]
    facts = run_facts(project, text.replace("(g, 3)", "(g, 4)"))
    assert code_key(facts.h, project.root) != before[2]
    assert code_key(facts.g, project.root) == before[1]


def test_star_imports_and_conditional_imports(project: Project) -> None:
    """A name that only a star import can have brought counts as all of that module."""
    text = """
        from science.near import *
        try:
            from science import far
        except ImportError:
            far = None
        def f(x): return scale(x)
        def g(x): return far.deep(x)
        def h(x): return x
    """
    facts = run_facts(project, text)
    assert "module science.near" in code_parts(facts.f, project.root)
    assert {"module science.far", "name far"} <= code_parts(facts.g, project.root).keys()
    assert list(code_parts(facts.h, project.root)) == ["function"]


def test_imports_by_name_at_run_time(project: Project) -> None:
    """import_module with a written name counts like an import statement."""
    text = """
        from importlib import import_module
        def f(x): return import_module("science.near").scale(x)
        def g(x): return import_module("science.unused").X
        science = __import__("science.top")
        def h(x): return science.top.lift(x)
    """
    facts = run_facts(project, text)
    near = {"module science", "module science.near", "module science.far"}
    assert code_parts(facts.f, project.root).keys() - {"function"} == near
    assert "module science.near" not in code_parts(facts.g, project.root)
    assert "module science.top" in code_parts(facts.h, project.root)


def test_a_value_no_key_can_be_made_of_is_named(project: Project) -> None:
    """An object in a closure that is no data is a problem in one line, not a key that never changes."""
    text = """
        def make(thing):
            return lambda x: thing
        f = make({1, 2})
    """
    with pytest.raises(CourseError, match="closure thing is a set, no key can be made of it"):
        code_parts(run_facts(project, text).f, project.root)


def test_a_file_edited_since_it_was_executed_is_noticed(project: Project) -> None:
    """A function that is no longer where it was loaded from gets no key; changed() names edited files."""
    facts = project.facts()
    code = Codebase(project.root)
    code.parts(facts.uses_import)
    assert code.changed() == []
    project.replace("science/far.py", "CONSTANT = 7", "CONSTANT = 8")
    assert code.changed() == ["science/far.py"]
    early = Codebase(project.root)
    early.read_all()
    project.replace("science/unused.py", "X = 1", "X = 3")
    project.write("science/made_later.py", "")
    assert early.changed() == ["science/unused.py"]
    project.write("docs/facts.py", "\n\n" + FACTS)
    with pytest.raises(CourseError, match=r"docs/facts\.py:\d+: plain stands here no longer"):
        code_parts(facts.plain, project.root)


def test_a_generator_edited_while_it_runs_is_noticed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a long-lived process computes after an edit of course_build is of the code it loaded: not to be kept."""
    assert Codebase(project.root).changed() == []
    known = codebase._AT_START["course_build/keys.py"]
    monkeypatch.setitem(codebase._AT_START, "course_build/keys.py", (known[0], known[1] + 1, *known[2:]))
    assert Codebase(project.root).changed() == ["course_build/keys.py"]


def test_three_hundred_facts_are_keyed_fast(project: Project) -> None:
    """After the first look at a text, keys of 300 facts take little (bound: ten times what was measured)."""
    import time

    functions: list[Callable[..., Any]] = [getattr(project.facts(), name) for name in NAMES] * 19
    code = Codebase(project.root)
    for function in functions[: len(NAMES)]:
        code.parts(function)
    start = time.process_time()
    for function in functions:
        code.parts(function)
    assert time.process_time() - start < 0.6


DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=20,
)  # fmt: skip


def shuffled(value: Any) -> Any:
    """Return the same data with every object's keys in another order."""
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(value)}
    return [shuffled(each) for each in value] if isinstance(value, list) else value


@given(DATA)
def test_canonical_ignores_key_order(value: Any) -> None:
    """The order of keys is layout."""
    assert canonical(value) == canonical(shuffled(value))


@given(DATA, DATA)
def test_canonical_tells_values_apart(one: Any, other: Any) -> None:
    """Different data have different bytes; 1, 1.0 and true are different data."""
    assert (canonical(one) == canonical(other)) == (one == other and same_types(one, other))


def same_types(one: Any, other: Any) -> bool:
    """Tell whether two equal values also agree in the types of all their members."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(same_types(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return all(map(same_types, one, other))
    return type(one) is type(other) and repr(one) == repr(other)


@pytest.mark.parametrize(
    ("value", "error"),
    [(math.nan, ValueError), ([math.inf], ValueError), ({1: 2}, TypeError), ([{"a": {None: 2}}], TypeError),
     ({1, 2}, TypeError), ("\ud800", ValueError), (object(), TypeError)],
)  # fmt: skip
def test_canonical_refuses_what_json_has_not(value: Any, error: type[Exception]) -> None:
    """NaN, other keys than strings, sets and half characters are refused."""
    with pytest.raises(error):
        canonical(value)


def test_canonical_forms() -> None:
    """Tuples are lists, numpy values are what they hold, MISSING is unlike any data."""
    import numpy as np

    assert canonical({"b": (1, 2.0), "a": "重"}) == '{"a":"重","b":[1,2.0]}'.encode()
    assert canonical(np.arange(3)) == canonical([0, 1, 2])
    assert canonical([MISSING]) != canonical([None])
    assert canonical(-0.0) != canonical(0.0)


@given(st.lists(st.text("ab", max_size=3), max_size=4), st.lists(st.text("ab", max_size=3), max_size=4))
def test_digest_keeps_parts_apart(one: list[str], other: list[str]) -> None:
    """Moving a letter from one part to the next gives another digest."""
    assert (digest(*one) == digest(*other)) == (one == other)
