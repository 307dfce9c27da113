"""Digests of the project's science: what its modules do counts, not how they are laid out or explained.

module_digests(root, entry)     entry and every module below `experiments` that it imports, in turn
distributions(root, modules)    the third-party packages that these modules import, with versions
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from course_build.errors import CourseError, Problem
from course_build.files.source import load, load_text
from course_build.keys import canonical, digest, packages, syntax

PACKAGE = "experiments"
DECLARATIONS = "experiments/recipe.py"  # checks values and computes nothing; the values are in the key
DATA = (".json", ".yml", ".yaml")
DIGITS = 16  # of a digest: enough to tell edits apart, short enough to read


def module_digests(root: Path, entry: str) -> dict[str, str]:
    """Return {path: digest} of `entry` (POSIX, relative to root) and the project modules it imports."""
    found: dict[str, str] = {}
    todo = [entry]
    while todo:
        path = todo.pop()
        if path not in found and path != DECLARATIONS:
            module = _parsed(path, root)
            found[path] = module.digest[:DIGITS]
            names = (f"{name.replace('.', '/')}.py" for name in _names(module) if _top(name) == PACKAGE)
            todo += [name for name in names if (root / name).is_file()]
    return dict(sorted(found.items()))


def distributions(root: Path, modules: Iterable[str]) -> dict[str, str | None]:
    """Return {module: version} of what `modules` import besides the standard library; None: not installed."""
    names = {_top(name) for path in modules for name in _names(_parsed(path, root))}
    foreign = sorted(names - set(sys.stdlib_module_names) - {PACKAGE})
    return {name: version(name) for name in foreign}


def version(module: str) -> str | None:
    """Return the installed version without its local part (+cpu), None when not installed."""
    found = packages.version(module)
    return found and found.partition("+")[0]


def strings(text: str) -> list[str]:
    """Return the JSON and YAML file names among a module's string constants."""
    constants = (node.value for node in ast.walk(syntax.parse(text).tree) if isinstance(node, ast.Constant))
    return sorted({value for value in constants if isinstance(value, str) and value.endswith(DATA)})


def data_digest(root: Path, path: str) -> str:
    """Return the digest of a JSON or YAML file's content."""
    return text_digest(canonical(load(path, root).data).decode())


def text_digest(text: str) -> str:
    """Return the digest of a text as it stands."""
    return digest(text)[:DIGITS]


def _parsed(path: str, root: Path) -> syntax.Parsed:
    try:
        return syntax.parse(load_text(path, root))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", 0) or 0
        raise CourseError(Problem(path, line, f"is no Python: {error}")) from None


def _names(module: syntax.Parsed) -> Iterator[str]:
    """Yield what a module imports: for `from a import b` both a and a.b, for b may be a module."""
    for each in module.every_import:
        yield each.module
        if each.name:
            yield f"{each.module}.{each.name}"


def _top(name: str) -> str:
    return name.partition(".")[0]
