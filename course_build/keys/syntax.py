"""Python source as meaning: a module's syntax without comments, docstrings, annotations and positions.

parsed = parse(text)
parsed.digest                      the whole module
parsed.bindings["helper"]          the top-level statements that make the name what it is
parsed.locate(function.__code__)   the node of a function object
fingerprint(node)                  sha256 of one node; the same under every Python version
"""

from __future__ import annotations
import __future__

import ast
import dis
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import CodeType
from typing import NamedTuple

from course_build.keys.fingerprint import fingerprint

Definition = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_IMPORTERS = ("import_module", "__import__")
_LOADS = {"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"}


class Import(NamedTuple):
    """What one alias of an import statement asks for."""

    level: int  # leading dots
    module: str
    name: str  # "" for `import module`, "*" for a star


class Described(NamedTuple):
    """What the statements say that bind one top-level name."""

    fingerprint: str
    imports: list[Import]
    names: set[str]  # all that they look up as globals, builtins too


@dataclass
class Parsed:
    """A module's syntax tree with what keys ask of it."""

    tree: ast.Module
    bindings: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, list[Import]] = field(default_factory=dict)  # top-level name -> what it imports
    stars: list[Import] = field(default_factory=list)
    dynamic: list[tuple[int, Import]] = field(default_factory=list)  # (line, what import_module() asks for)
    memo: dict[str, Described] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """Return the fingerprint of the whole module."""
        return fingerprint(self.tree)

    @cached_property
    def every_import(self) -> list[Import]:
        """Return all imports of the module, also those inside functions; not those for type checkers."""
        return [*(each for _, each in imports_below(self.tree)), *(each for _, each in self.dynamic)]

    @cached_property
    def _has_inner_imports(self) -> bool:
        return len(self.every_import) > len(self.stars) + sum(map(len, self.imports.values()))

    def imports_in(self, node: ast.stmt | ast.expr) -> list[Import]:
        """Return what a function or a statement imports."""
        if not self._has_inner_imports and isinstance(node, Definition | ast.Lambda):
            return []
        begin, end = node.lineno, node.end_lineno or node.lineno
        called = [each for line, each in self.dynamic if begin <= line <= end]
        return [*(each for _, each in imports_below(node)), *called]

    @cached_property
    def _definitions(self) -> dict[tuple[str, int], Definition]:
        found = {}
        for node in _statements(self.tree, into_scopes=True):
            if isinstance(node, Definition):
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                found[node.name, first] = node
        return found

    @cached_property
    def _lambdas(self) -> list[ast.Lambda]:
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.Lambda)]

    def locate(self, code: CodeType) -> Definition | ast.Lambda | None:
        """Return the node that `code` was compiled from, None when the text has changed since."""
        if code.co_name != "<lambda>":
            return self._definitions.get((code.co_name, code.co_firstlineno))
        places = [
            (line, column)
            for line, _, column, end in code.co_positions()
            if line is not None and column is not None and end
        ]
        around = [node for node in self._lambdas if all(_holds(node, place) for place in places)]
        return max(around, key=lambda node: (node.lineno, node.col_offset), default=None)


def _holds(node: ast.Lambda, place: tuple[int, int]) -> bool:
    start = (node.body.lineno, node.body.col_offset)
    return start <= place < (node.body.end_lineno or 0, node.body.end_col_offset or 0)


@lru_cache(maxsize=512)
def parse(text: str) -> Parsed:
    """Parse a module's text (cached by content); SyntaxError or ValueError as from ast.parse."""
    tree = ast.parse(text)
    tree.body = [each for each in tree.body if not _is_main_block(each)]
    parsed = Parsed(tree)
    if any(name in text for name in _IMPORTERS):
        parsed.dynamic.extend(_dynamic_imports(tree))
    for statement in parsed.tree.body:
        for name in {*_bound(statement), *_changed(statement)}:
            parsed.bindings.setdefault(name, []).append(statement)
        for name, each in imports_below(statement, into_scopes=False):
            (parsed.stars if name == "*" else parsed.imports.setdefault(name, [])).append(each)
    return parsed


def _is_main_block(statement: ast.stmt) -> bool:
    """Tell whether a statement is `if __name__ == "__main__":`, which an importer never runs."""
    test = statement.test if isinstance(statement, ast.If) else None
    if not isinstance(test, ast.Compare) or _last_name(test.left) != "__name__":
        return False
    other = test.comparators[0]
    return isinstance(other, ast.Constant) and other.value == "__main__"


def imports_below(node: ast.AST, *, into_scopes: bool = True) -> Iterator[tuple[str, Import]]:
    """Yield (bound name, import) for the import statements in `node`; not those for type checkers."""
    for each in _statements(node, into_scopes):
        if isinstance(each, ast.Import):
            for alias in each.names:
                yield alias.asname or alias.name.partition(".")[0], Import(0, alias.name, "")
        elif isinstance(each, ast.ImportFrom):
            for alias in each.names:
                yield alias.asname or alias.name, Import(each.level, each.module or "", alias.name)


def _statements(node: ast.AST, into_scopes: bool) -> Iterator[ast.AST]:
    """Yield `node` and the statements below it; expressions hold none, so they are not looked at."""
    todo = [node]
    while todo:
        each = todo.pop()
        yield each
        if isinstance(each, _SCOPES) and not into_scopes:
            continue
        checked = isinstance(each, ast.If) and _last_name(each.test) == "TYPE_CHECKING"
        for block in ("orelse",) if checked else _BLOCKS:
            inside = getattr(each, block, None)
            if isinstance(inside, list):
                todo.extend(inside)


def _dynamic_imports(tree: ast.AST) -> Iterator[tuple[int, Import]]:
    """Yield (line, import) for calls such as import_module("a.b")."""
    for each in ast.walk(tree):
        if isinstance(each, ast.Call) and _last_name(each.func) in _IMPORTERS and each.args:
            first = each.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield each.lineno, Import(0, first.value, "")


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield `node` and what is below it, but not what is inside functions and classes."""
    todo = [node]
    while todo:
        each = todo.pop()
        yield each
        if not isinstance(each, _SCOPES):
            todo.extend(ast.iter_child_nodes(each))


def _last_name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yield the module-level names that a top-level statement binds."""
    for node in _walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node.id
        elif isinstance(node, Definition | ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            yield node.name or ""
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def _changed(statement: ast.stmt) -> Iterator[str]:
    """Yield the names whose objects a top-level statement changes: X[...] = 1, X.y = 1, X.append(1)."""
    for node in _walk(statement):
        root: ast.AST | None = None
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            root = node
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            root = node.value.func if isinstance(node.value.func, ast.Attribute) else None
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if isinstance(root, ast.Name):
            yield root.id


def loaded_names(code: CodeType, *known: Container[str]) -> set[str]:
    """Return the names that code looks up as globals, nested code too; only those that one of `known` has."""
    found: set[str] = set()
    todo = [code]
    while todo:
        each = todo.pop()
        candidates = {name for name in each.co_names if any(name in names for names in known)} - found
        if candidates:  # names of attributes stand among them too, so look at the instructions
            found |= {
                step.argval
                for step in dis.get_instructions(each)
                if step.opname in _LOADS and step.argval in candidates
            }
        todo.extend(const for const in each.co_consts if isinstance(const, CodeType))
    return found


def describe(parsed: Parsed, statements: list[ast.stmt]) -> Described:
    """Return what statements mean, import and look up; names in annotations do not count."""
    flags = __future__.annotations.compiler_flag
    code = compile(ast.Module(statements, []), "<statements>", "exec", flags, dont_inherit=True)
    wanted = [each for statement in statements for each in parsed.imports_in(statement)]
    return Described(fingerprint(*statements), wanted, loaded_names(code, _ANYTHING))


class _Anything:
    def __contains__(self, name: object) -> bool:
        return True


_ANYTHING = _Anything()
