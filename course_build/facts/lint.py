"""facts.py hides no constant and no input: numbers stand in data files, and what a function reads is declared.

Every number but 0, 1 and 2 has a kind and a source in a data file.  A file, the clock, chance,
the environment or the network is no input that the ledger sees: a number made of it would move without a cause.
For the latter charts.py is looked at too.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from course_build.errors import CourseError, Problem
from course_build.expr.tree import ExprError, Number, walk
from course_build.facts import how
from course_build.files.textfile import load_text, shown_path
from course_build.keys.syntax import parse

ALLOWED = (0, 1, 2)
_READERS = {"int", "float", "complex", "Decimal", "Fraction", "eval"}  # make a number out of a text
PURE = frozenset(
    (
        "__future__", "abc", "bisect", "cmath", "collections", "copy", "dataclasses", "decimal", "enum", "fractions",
        "functools", "heapq", "itertools", "math", "numbers", "operator", "re", "statistics", "string", "textwrap",
        "types", "typing",
    )
)  # fmt: skip
OURS = ("ledger", "figures", "plot", "diagram", "params", "value", "evidence")  # rooms of ours that read nothing
LIBRARIES = frozenset({"numpy", "plotly"})
_BUILTINS = frozenset({"open", "input", "eval", "exec", "compile", "__import__", "__builtins__", "breakpoint"})
_NUMPY = frozenset({"random", "load", "loadtxt", "genfromtxt", "fromfile", "memmap"})
_RIGHT = 'an input is declared, as a parameter: x=source("docs/….json").at("/…"), run("…").at("/…")'


def facts(docs: Path, root: Path) -> list[Problem]:
    """Return the constants and the undeclared inputs of every author file; broken ones are somebody else's problem."""
    found: list[Problem] = []
    for path in sorted([*docs.rglob("facts.py"), *docs.rglob("charts.py")]):
        try:
            tree = parse(load_text(path, root)).tree  # known already: keys are made of it
        except (CourseError, SyntaxError, ValueError):
            continue
        shown = shown_path(path, root)
        if path.name == "facts.py":
            found.extend(Problem(shown, line, _text(seen)) for line, seen in constants(tree))
        for line, seen in inputs(tree, root):
            text = f"{seen} in {path.name}: what it reads, the ledger does not see; {_RIGHT}"
            found.append(Problem(shown, line, text))
    return found


def constants(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield (line, source text) of each numeric constant that is not 0, 1 or 2, in order.

    Format specifications and subscripts of literal tables are no exception; a text that is made into a number,
    float("0.5"), counts as one.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and _is_number(node.value) and node.value not in ALLOWED:
            yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Call) and _name(node.func) in _READERS:
            for each in node.args:
                if isinstance(each, ast.Constant) and isinstance(each.value, str | bytes):
                    yield node.lineno, ast.unparse(node)


def derived(template: str) -> list[str]:
    """Return the constants of a derivation, how="{d} × 64"; one that does not parse is told where it is evaluated."""
    try:
        found = [node.value for node in walk(how.parse(template)) if isinstance(node, Number)]
    except ExprError:
        return []
    return [f"{value:g}" for value in found if value not in ALLOWED]


def inputs(tree: ast.AST, root: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, source text) of what reads the world by itself: imports, builtins, numpy's readers and chance."""
    numpy = {"numpy"}
    nodes = list(ast.walk(tree))
    parameters = {node.arg for node in nodes if isinstance(node, ast.arg)}
    for node in nodes:
        if isinstance(node, ast.Import):
            numpy |= {alias.asname or alias.name for alias in node.names if alias.name == "numpy"}
            yield from ((node.lineno, f"import {a.name}") for a in node.names if not _pure(a.name, root))
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names = (
                [f"{module}.{alias.name}" for alias in node.names] if module in ("course_build", "numpy") else [module]
            )
            yield from (
                (node.lineno, f"import of {name}") for name in names if not node.level and not _pure(name, root)
            )
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in _BUILTINS - parameters:
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and node.attr in _NUMPY and ast.unparse(node.value) in numpy:
            yield node.lineno, ast.unparse(node)


def _pure(module: str, root: Path) -> bool:
    """Return whether a module only computes: a part of Python that does, a library of numbers, the project's own."""
    top, _, rest = module.partition(".")
    if top == "course_build":
        return rest.partition(".")[0] in OURS
    if top == "numpy":
        return rest.partition(".")[0] not in _NUMPY
    if top in sys.stdlib_module_names:
        return top in PURE
    return top in LIBRARIES or (root / top).is_dir() or (root / f"{top}.py").is_file()


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | complex) and not isinstance(value, bool)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _text(seen: str) -> str:
    return f"constant {seen} in facts.py; numbers but 0, 1, 2 stand in a data file and come in as declared inputs"
