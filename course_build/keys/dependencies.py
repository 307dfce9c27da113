"""Follow a function through closures, names, modules and packages: the parts of its key (see codebase.py)."""

from __future__ import annotations

import ast
import copy
import dataclasses
import functools
import sys
import types
from enum import Enum
from typing import Any, Protocol

from course_build.errors import CourseError, Problem
from course_build.keys import packages, syntax
from course_build.keys.canonical import canonical, digest
from course_build.keys.fingerprint import fingerprint
from course_build.keys.syntax import Described, Import, Parsed

_ATOMS = (int, float, str, bool, type(None), bytes, complex)
_DECLARING = {"course_build.ledger", "course_build.figures"}  # to declare a fact changes no value
_SHORT = 60  # a value up to this length stands in a part as it is, so that `explain` can show it


class Files(Protocol):
    """What is asked of a Codebase."""

    def parsed(self, path: str) -> Parsed | None:
        """Return the syntax of a file below root."""

    def below(self, filename: str) -> str | None:
        """Return the path of a project file relative to root."""

    def module_path(self, dotted: str) -> str | None:
        """Return the file of a project module."""


class Dependencies:
    """Collects the parts of one function."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.parts: dict[str, str] = {}
        self._home = ""  # the file of the first function; names of other files carry their path
        self._names: set[tuple[str, str]] = set()
        self._functions: set[int] = set()

    def add(self, label: str, thing: Any) -> None:
        """Add a callable (function, method, partial, class, …) or a module."""
        if isinstance(thing, functools.partial):
            self.add(label, thing.func)
            self.add_value(f"{label} arguments", list(thing.args))
            for name, value in thing.keywords.items():
                self.add_value(f"{label} argument {name}", value)
        elif isinstance(thing, types.MethodType):
            self.add(label, thing.__func__)
            self.add_value(f"{label} self", thing.__self__)
        elif isinstance(thing, types.FunctionType):
            if id(thing) not in self._functions:
                self._functions.add(id(thing))
                self._add_function(label, thing)
        elif hasattr(thing, "__wrapped__"):  # functools.cache and the like
            self.add(label, thing.__wrapped__)
        else:
            self._add_other(label, thing)

    def add_value(self, label: str, value: Any) -> None:
        """Add a value that a function was made with."""
        if hasattr(value, "resolve"):
            return  # a declared input: the ledger keys what it resolves to
        if _is_atom(value):
            self.parts[label] = _short(ascii(value))
        elif isinstance(value, Enum):
            self.add(f"{label} type", type(value))
            self.parts[label] = value.name
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            self.add(f"{label} type", type(value))
            for each in dataclasses.fields(value):
                self.add_value(f"{label}.{each.name}", getattr(value, each.name))
        elif callable(value) or isinstance(value, types.ModuleType):
            self.add(label, value)
        else:
            self._add_data(label, value)

    def _add_data(self, label: str, value: Any) -> None:
        try:
            self.parts[label] = _short(canonical(value).decode())
        except (TypeError, ValueError) as error:
            text = f"{label} is a {type(value).__name__}, no key can be made of it ({error})"
            raise CourseError(Problem(self._home, 0, f"{text}: make it a declared input")) from None

    def _add_function(self, label: str, function: types.FunctionType) -> None:
        code = function.__code__
        path = self.files.below(code.co_filename)
        if path is None:
            return self._add_other(label, function)
        parsed = self.files.parsed(path)
        node = parsed.locate(code) if parsed else None
        if parsed is None or node is None:
            text = f"{function.__name__} stands here no longer, the file changed meanwhile: build again"
            raise CourseError(Problem(path, code.co_firstlineno, text))
        self._home = self._home or path
        body = node.body if isinstance(node.body, list) else [node.body]
        self.parts[label] = fingerprint(without_defaults(node.args), *body)
        self._add_imports(path, parsed.imports_in(node))
        values = function.__globals__
        for name in sorted(syntax.loaded_names(code, parsed.bindings, values)):
            self._add_name(path, parsed, name, values)
        prefix = "" if label == "function" else f"{label} "
        for name, value in _defaults(function).items():
            self.add_value(f"{prefix}default {name}", value)
        for name, value in _closure(function).items():
            self.add_value(f"{prefix}closure {name}", value)
        return None

    def _add_name(self, path: str, parsed: Parsed, name: str, values: dict[str, Any]) -> None:
        """Add a module-level name of `path`: imported, a plain value, or what its statements say."""
        if (path, name) in self._names:
            return
        self._names.add((path, name))
        value = values.get(name)
        if name in parsed.imports:
            self._add_imports(path, parsed.imports[name], value)
        elif name not in parsed.bindings:
            self._add_imports(path, parsed.stars, value)
        if all(_imports(each) for each in parsed.bindings.get(name, [])):
            return
        label = f"name {name}" if path == self._home else f"name {path}:{name}"
        if _is_atom(value):
            self.parts[label] = _short(ascii(value))
            return
        described = _described(parsed, name)
        self.parts[label] = described.fingerprint
        self._add_imports(path, described.imports)
        for other in sorted(described.names):
            if other in parsed.bindings or other in values:
                self._add_name(path, parsed, other, values)

    def _add_imports(self, path: str, wanted: list[Import], value: Any = None) -> None:
        """Add what import statements of the file `path` ask for; `value` is what the name holds now."""
        for level, module, name in wanted:
            base = module
            if level:
                package = path.removesuffix(".py").split("/")[:-level]
                base = ".".join([*package, *([module] if module else [])])
            if base in _DECLARING:
                continue
            found = [self._add_module(each) for each in _parents(base)]
            if name and name != "*":
                found.append(self._add_module(f"{base}.{name}"))
            if not any(found) and not level:
                self._add_installed(base, value)

    def _add_module(self, dotted: str) -> bool:
        """Add a whole project module with all that it imports; tell whether there is one."""
        path = self.files.module_path(dotted)
        if path is not None:
            self._add_file(path)
        return path is not None

    def _add_file(self, path: str) -> None:
        label = f"module {path.removesuffix('.py').removesuffix('/__init__').replace('/', '.')}"
        if label not in self.parts:
            parsed = self.files.parsed(path)
            self.parts[label] = parsed.digest if parsed else "broken"
            self._add_imports(path, parsed.every_import if parsed else [])

    def _add_installed(self, module: str, value: Any = None) -> None:
        """Add the version of the distribution that a module belongs to; nothing for the standard library."""
        top = module.partition(".")[0]
        if not top or top in sys.stdlib_module_names:
            return
        version = packages.version(top)
        neighbour = self._file_of(value) if version is None else None
        if neighbour:  # imported by some path trick
            self._add_file(neighbour)
        else:
            self.parts[f"package {top}"] = version or "not installed"

    def _add_other(self, label: str, thing: Any) -> None:
        """Add a class, a module, an instance, or a function that is no project code."""
        named = thing if isinstance(thing, type | types.ModuleType) or hasattr(thing, "__name__") else type(thing)
        module = thing.__name__ if isinstance(thing, types.ModuleType) else _module_of(named)
        self.parts[label] = f"{module}.{getattr(named, '__qualname__', '')}"
        home = self._file_of(named)
        if home:
            self._add_file(home)
        else:
            self._add_installed(module)
        if named is not thing:
            for name, value in getattr(thing, "__dict__", {}).items():
                self.add_value(f"{label}.{name}", value)

    def _file_of(self, thing: Any) -> str | None:
        """Return the project file that a module, class or function comes from, None for all others."""
        owner = thing if isinstance(thing, types.ModuleType) else sys.modules.get(_module_of(thing))
        file = getattr(owner, "__file__", None)
        return self.files.below(file) if file else None


def without_defaults(arguments: ast.arguments) -> ast.arguments:
    """Return a signature with its names only."""
    bare = copy.copy(arguments)
    bare.defaults, bare.kw_defaults = [], []
    return bare


def _parents(dotted: str) -> list[str]:
    """Return a, a.b, a.b.c for a.b.c: importing a module runs its packages too."""
    steps = dotted.split(".")
    return [".".join(steps[:end]) for end in range(1, len(steps) + 1)]


def _module_of(thing: Any) -> str:
    name = getattr(thing, "__module__", None)
    return name if isinstance(name, str) else type(thing).__module__


def _defaults(function: types.FunctionType) -> dict[str, Any]:
    """Return parameter name -> default value."""
    values = function.__defaults__ or ()
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return dict(zip(names[len(names) - len(values) :], values, strict=True)) | (function.__kwdefaults__ or {})


def _closure(function: types.FunctionType) -> dict[str, Any]:
    """Return the values of a function's free variables that are set."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not set yet
            continue
    return found


def _described(parsed: Parsed, name: str) -> Described:
    if name not in parsed.memo:
        statements = [_bare(each, parsed) for each in parsed.bindings[name] if not _imports(each)]
        parsed.memo[name] = syntax.describe(parsed, statements)
    return parsed.memo[name]


def _imports(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _bare(statement: ast.stmt, parsed: Parsed) -> ast.stmt:
    """Return a declared fact as the plain function that the decorator leaves it; others unchanged."""
    if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return statement
    kept = [each for each in statement.decorator_list if not _declares(each, parsed)]
    if len(kept) == len(statement.decorator_list):
        return statement
    bare = copy.copy(statement)
    bare.decorator_list, bare.args = kept, without_defaults(statement.args)
    return bare


def _declares(decorator: ast.expr, parsed: Parsed) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    wanted = parsed.imports.get(called.id, []) if isinstance(called, ast.Name) else []
    return any(each.module in _DECLARING for each in wanted)


def _is_atom(value: Any) -> bool:
    return isinstance(value, _ATOMS) or (isinstance(value, tuple) and all(map(_is_atom, value)))


def _short(text: str) -> str:
    return text if len(text) <= _SHORT else digest(text)
