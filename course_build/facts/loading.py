"""Execute an author's facts.py and charts.py; a mistake in them becomes a problem, cut to their own frames."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from types import CodeType

from course_build.errors import CourseError, Problem
from course_build.files.source import load_text
from course_build.ledger import Registry, collecting


def author_files(docs: Path, name: str) -> list[Path]:
    """Return every `name` below docs, the shared one first, then lessons in order."""
    return sorted(docs.rglob(name), key=lambda path: (len(path.parts), path.as_posix()))


def execute(path: Path, root: Path) -> tuple[Registry, str]:
    """Run one author file; return what it declared and its `prefix` ("" = none).

    Raises:
        CourseError: syntax error or exception, at the author's line.
    """
    text = load_text(path, root)
    relative = path.relative_to(root).as_posix()
    namespace: dict[str, object] = {
        "__name__": relative.removesuffix(".py").replace("/", "."),
        "__file__": str(path),
    }
    with collecting() as registry:
        try:
            exec(_compiled(text, path), namespace)
        except (Exception, SystemExit) as error:  # exit() in it must end no build, least of all with 0
            raise CourseError(author_problem(error, root, relative)) from None
    registry.about = str(namespace.get("__doc__") or "")
    prefix = namespace.get("prefix", "")
    return registry, prefix if isinstance(prefix, str) else ""


def _compiled(text: str, path: Path) -> CodeType:
    return compile(text, str(path), "exec", dont_inherit=True)


def author_problem(error: BaseException, root: Path, fallback: str, line: int = 0) -> Problem:
    """Return `error` as a problem at the innermost frame below root that is not the generator's own."""
    place, text = (fallback, line), f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError) and error.filename:
        return Problem(_relative(error.filename, root) or fallback, error.lineno or 0, text)
    trail = []
    for frame in traceback.extract_tb(error.__traceback__):
        relative = _relative(frame.filename, root)
        if relative and not relative.startswith(("course_build/", ".venv/")):
            place = (relative, frame.lineno or 0)
            trail.append(f"{relative}:{frame.lineno} in {frame.name}")
    if len(trail) > 1:
        text += f" (by way of {' > '.join(trail[:-1])})"
    return Problem(*place, text)


def _relative(filename: str, root: Path) -> str:
    path = Path(filename)
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else ""


def forget_project_modules(root: Path) -> None:
    """Drop imported modules of the project's science, so that `serve` sees an edited kernel."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and _relative(file, root).startswith(("experiments/", "docs/")):
            del sys.modules[name]
    importlib.invalidate_caches()
