"""The project's Python as one build sees it: what a function's result depends on.

    code = Codebase(root)
    code.parts(function)     part name -> a digest, a version, or the value itself when it is short
    code.changed()           files edited since they were read: what was computed meanwhile is not to be kept

The parts, taken from source text and not from what happens to be loaded:
    function                its own syntax, without docstring, annotations, decorators and defaults
    default x, closure x    values it was made with (an input that the ledger resolves is left out)
    name X                  a name of its own file that it uses, directly or through others
    module a.b              the whole of a project module that it imports, directly or through others
    package numpy           the version of an installed distribution
Comments, docstrings, annotations, line moves and the standard library are not part of a key.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from course_build.errors import CourseError
from course_build.files.textfile import MAX_BYTES, decode, shown_path
from course_build.keys import syntax
from course_build.keys.dependencies import Dependencies
from course_build.keys.syntax import Parsed

_FOREIGN = {"site-packages", "dist-packages", "node_modules", "__pycache__"}
_UNUSED = {"tests", "site", "build"}  # of the project's own folders

_GENERATOR = Path(__file__).parents[1]


def _states(folder: Path) -> dict[str, tuple[int, ...]]:
    """Return path -> what the file system says of the Python files below the generator's folder."""
    found: dict[str, tuple[int, ...]] = {}
    for path in folder.rglob("*.py"):
        with suppress(FileNotFoundError):
            state = path.stat()
            shown = path.relative_to(folder.parent).as_posix()
            found[shown] = (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    return found


_AT_START = _states(_GENERATOR)


class Codebase:
    """The project's Python files as they are while one build runs: each is read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._root = str(root)
        self._files: dict[str, bytes | None] = {}  # path below root -> content, None when there is no such file
        self._below: dict[str, str | None] = {}
        self._modules: dict[str, str | None] = {}

    def parts(self, function: Callable[..., Any]) -> dict[str, str]:
        """Return the parts of `function`, sorted by name.

        Raises:
            CourseError: its file has changed or vanished, or it was made with a value no key can be made of.
        """
        found = Dependencies(self)
        found.add("function", function)
        return dict(sorted(found.parts.items()))

    def read_all(self) -> None:
        """Read every Python file that facts may import: all but tests and what is installed or built.

        Done before anything is imported, this closes the gap in which a file is edited between its import and its
        key: what changed() does not name was imported as it was read.
        """
        for folder, inside, names in os.walk(self._root):
            unused = _FOREIGN | _UNUSED if folder == self._root else _FOREIGN
            inside[:] = [each for each in inside if each[0] != "." and each not in unused]
            below = folder[len(self._root) + 1 :].replace(os.sep, "/")
            for name in names:
                if name.endswith(".py"):
                    self._content(f"{below}/{name}" if below else name)

    def changed(self) -> list[str]:
        """Return the files that are no longer what was read; a result computed meanwhile has no sure key.

        The generator itself counts too: it is loaded once, when the process starts.
        """
        edited = {path for path, content in self._files.items() if self._read(path) != content}
        now = _states(_GENERATOR)
        return sorted(edited | {path for path in {*now, *_AT_START} if now.get(path) != _AT_START.get(path)})

    def text(self, path: str) -> str | None:
        """Return the text of a file below root; None when there is none, or none that Python could read."""
        content = self._content(path)
        try:
            return None if content is None else decode(content, path)
        except CourseError:
            return None

    def parsed(self, path: str) -> Parsed | None:
        """Return the syntax of a file below root; an unreadable or broken one counts as absent."""
        text = self.text(path)
        try:
            return None if text is None else syntax.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return None

    def below(self, filename: str) -> str | None:
        """Return the path of a project file relative to root; None for installed or foreign code."""
        if filename not in self._below:
            path = shown_path(filename, self.root)
            steps = path.split("/")
            foreign = path.startswith(("/", "<")) or any(s in _FOREIGN or s.startswith(".") for s in steps)
            self._below[filename] = None if foreign else path
        return self._below[filename]

    def module_path(self, dotted: str) -> str | None:
        """Return the file of a project module, None when the project has no such module."""
        if dotted not in self._modules:
            base = dotted.replace(".", "/")
            files = (f"{base}.py", f"{base}/__init__.py") if dotted else ()
            self._modules[dotted] = next((path for path in files if self._content(path) is not None), None)
        return self._modules[dotted]

    def _content(self, path: str) -> bytes | None:
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def _read(self, path: str) -> bytes | None:
        try:
            with open(f"{self._root}/{path}", "rb") as file:  # noqa: PTH123  # 200 files: the time of a Path counts
                return file.read(MAX_BYTES)
        except (OSError, ValueError):
            return None
