"""facts.py hides no constant: every number but 0, 1 and 2 stands in a data file, where it has a kind and a source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from course_build.errors import CourseError, Problem
from course_build.files.textfile import load_text, shown_path

ALLOWED = (0, 1, 2)
_READERS = {"int", "float", "complex", "Decimal", "Fraction", "eval"}  # make a number out of a text


def facts(docs: Path, root: Path) -> list[Problem]:
    """Return the numeric constants of every facts.py below docs; broken files are somebody else's problem."""
    found: list[Problem] = []
    for path in sorted(docs.rglob("facts.py")):
        try:
            tree = ast.parse(load_text(path, root))
        except (CourseError, SyntaxError, ValueError):
            continue
        shown = shown_path(path, root)
        found.extend(Problem(shown, line, _text(seen)) for line, seen in constants(tree))
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


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | complex) and not isinstance(value, bool)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _text(seen: str) -> str:
    return f"constant {seen} in facts.py; numbers but 0, 1, 2 stand in a data file and come in as declared inputs"
