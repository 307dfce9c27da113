"""The parts of a key: closures, decorators, lambdas, imports of every kind, and files edited meanwhile."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from course_build.errors import CourseError
from course_build.keys import Codebase, code_key, code_parts, codebase, packages
from tests.growth import is_linear
from tests.keyed import FACTS, NAMES, Project, forget_science, run_facts


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """Return a fresh project whose modules can be imported."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield Project(tmp_path)
    forget_science()


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
    known = codebase._AT_START["course_build/keys/__init__.py"]
    monkeypatch.setitem(codebase._AT_START, "course_build/keys/__init__.py", (known[0], known[1] + 1, *known[2:]))
    assert Codebase(project.root).changed() == ["course_build/keys/__init__.py"]


def test_a_second_look_at_a_function_is_cheap(project: Project) -> None:
    """Once a text has been read, keys are taken from memory: the time grows with the facts, not with the files."""
    functions: list[Callable[..., Any]] = [getattr(project.facts(), name) for name in NAMES]
    code = Codebase(project.root)

    def work(rounds: int) -> None:
        for function in functions * rounds:
            code.parts(function)

    assert is_linear(work, 3)
