"""Files replaced in one step: whoever reads, and whoever kills the writer, finds the old file or the new one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from course_build.errors import CourseError, Problem


def replace_file(path: Path, data: bytes, shown: str) -> None:
    """Write `data` beside `path`, then put it in its place.

    Args:
        path: the file; its folder is made when there is none.
        data: the new content.
        shown: the path as an error names it.

    Raises:
        CourseError: the system refuses (full disk, read-only tree …); the old file stands.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_left_behind(path)
        try:
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
    except OSError as error:
        raise CourseError(Problem(shown, 0, f"cannot be written: {error.strerror}; the old one stands")) from None


def _remove_left_behind(path: Path) -> None:
    """Remove what writers that were killed left beside `path`."""
    for part in path.parent.glob(f".{path.name}.*.part"):
        process = part.name.split(".")[-2]
        if process.isdigit() and not is_running(int(process)):
            with suppress(OSError):
                part.unlink()


def is_running(process: int) -> bool:
    """Tell whether a process of this machine has this id."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
