"""Text files read with care: size, encoding, merge conflicts, and files that are no files."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path

from course_build.errors import CourseError, Problem, nearest

MAX_BYTES = 16 * 2**20  # a larger file is refused unread
_CONFLICT = re.compile(r"^(?:<{7}|\|{7}|>{7})(?:[ \t].*)?\r?$", re.MULTILINE)


def load_text(path: str | Path, root: Path) -> str:
    """Return a text file (Markdown, CSS …) after the same checks of size, encoding and merge conflicts."""
    shown = shown_path(path, root)
    return decode(read_bytes(root / path, shown), shown)


def is_there(path: Path) -> bool:
    """Tell whether anything stands at `path`, be it a folder or a broken link: reading it says what is wrong."""
    return os.path.lexists(path)


def shown_path(path: str | Path, root: Path) -> str:
    """Return `path` relative to `root` in POSIX form; a file elsewhere keeps the form it was given in."""
    absolute = os.path.normpath(Path.cwd() / root / path)
    base = os.path.normpath(Path.cwd() / root)
    if absolute.startswith(base.rstrip(os.sep) + os.sep):
        return Path(absolute).relative_to(base).as_posix()
    return Path(path).as_posix()


def read_bytes(path: Path, shown: str) -> bytes:
    """Return the content of a regular file of at most MAX_BYTES; everything else is a CourseError."""
    try:
        # Non-blocking: opening a named pipe would otherwise wait for its writer for ever.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode):
                raise CourseError(Problem(shown, 0, "is not a regular file (a pipe or device)"))
            if state.st_size > MAX_BYTES:
                raise CourseError(Problem(shown, 0, _too_large(state.st_size)))
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise CourseError(Problem(shown, 0, _unreadable(path, error))) from None
    if len(raw) > MAX_BYTES:
        raise CourseError(Problem(shown, 0, _too_large(len(raw))))
    return raw


def _too_large(size: int) -> str:
    return f"file has {size / 2**20:,.1f} MB, at most {MAX_BYTES // 2**20} MB are read"


def _unreadable(path: Path, error: OSError | ValueError) -> str:
    """Return why a file cannot be read, in the words of somebody who has to mend it."""
    if not isinstance(error, OSError):
        return f"is no possible file name: {error}"
    if isinstance(error, FileNotFoundError):
        if path.is_symlink():
            return f"is a symbolic link to {os.readlink(path)}, which does not exist"  # noqa: PTH115
        try:
            names = [entry.name for entry in path.parent.iterdir()]
        except OSError:
            names = []
        return f"file not found{nearest(path.name, names)}"
    return {
        errno.ELOOP: "symbolic link loop, it never leads to a file",
        errno.EISDIR: "is a directory, a file is expected",
        errno.EACCES: "permission denied, the file cannot be read",
        errno.ENOTDIR: "a part of its path is a file, not a directory",
        errno.ENAMETOOLONG: "the name is too long",
    }.get(error.errno or 0, f"cannot be read: {error.strerror}")


def decode(raw: bytes, shown: str) -> str:
    """Return UTF-8 text without BOM, NUL or merge-conflict markers."""
    if raw.startswith(b"\xef\xbb\xbf"):
        raise CourseError(Problem(shown, 1, "begins with a byte order mark (BOM), save as UTF-8 without BOM"))
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise CourseError(Problem(shown, 1, "is UTF-16, save as UTF-8 without BOM"))
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        seen = f"byte 0x{raw[error.start]:02x}"
        raise CourseError(
            Problem(shown, line, f"is not UTF-8 ({seen} at offset {error.start}), save as UTF-8")
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise CourseError(Problem(shown, line, "contains a NUL character, it is no text file"))
    conflict = _CONFLICT.search(text)
    if conflict:
        line = text.count("\n", 0, conflict.start()) + 1
        raise CourseError(
            Problem(shown, line, f"merge conflict marker {conflict.group()[:7]}, resolve the conflict")
        )
    return text
