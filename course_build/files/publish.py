"""A site is wholly old or wholly new: built beside the old one, exchanged in one step at the very end.

On Linux renameat2(RENAME_EXCHANGE), on macOS renamex_np(RENAME_SWAP) exchange two folders atomically.  Elsewhere two
renames do it; the moment between them is the only one in which no site stands, and the next build repairs it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
import tempfile
from pathlib import Path

from course_build.errors import CourseError, Problem
from course_build.files.writing import is_running

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_RENAME_SWAP = 2


def staging(site: Path) -> Path:
    """Return a new empty folder beside the site, on the same file system.

    Raises:
        CourseError: the place cannot be written.
    """
    try:
        site.parent.mkdir(parents=True, exist_ok=True)
        bring_back(site)
        remove_left_behind(site)
        folder = Path(tempfile.mkdtemp(prefix=f".{site.name}-", suffix=f"-{os.getpid()}", dir=site.parent))
        folder.chmod(0o755)
        return folder
    except OSError as error:
        raise CourseError(Problem(str(site), 0, f"cannot build beside the site: {error.strerror}")) from None


def bring_back(site: Path) -> None:
    """Put the old site back where a build was killed between the two renames that some systems need."""
    olds = [folder for folder in site.parent.glob(f".{site.name}-*.old") if not is_running(_process(folder))]
    if olds and not site.exists():
        olds[0].rename(site)


def remove_left_behind(site: Path) -> None:
    """Remove staging folders of builds that were killed (their process is gone)."""
    for folder in site.parent.glob(f".{site.name}-*"):
        if _process(folder) and not is_running(_process(folder)):
            shutil.rmtree(folder, ignore_errors=True)


def _process(folder: Path) -> int:
    """Return the process that made a folder: its name ends in it; 0 for a folder that is none of ours."""
    number = folder.name.removesuffix(".old").rpartition("-")[2]
    return int(number) if number.isdigit() else 0


def publish(built: Path, site: Path) -> None:
    """Put the built folder in the site's place; the old one is removed afterwards.

    Raises:
        CourseError: the exchange failed; the old site stands.
    """
    try:
        if not site.exists():
            built.rename(site)
            return
        if not _exchange(built, site):
            _two_renames(built, site)
    except OSError as error:
        raise CourseError(Problem(str(site), 0, f"cannot put the new site in place: {error.strerror}")) from None
    shutil.rmtree(built, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two paths atomically; False where the system cannot."""
    library = ctypes.CDLL(None, use_errno=True)
    first, second = os.fsencode(one), os.fsencode(other)
    if sys.platform == "linux" and hasattr(library, "renameat2"):
        failed = library.renameat2(_AT_FDCWD, first, _AT_FDCWD, second, _RENAME_EXCHANGE)
    elif sys.platform == "darwin" and hasattr(library, "renamex_np"):
        failed = library.renamex_np(first, second, _RENAME_SWAP)
    else:
        return False
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
        return False
    raise OSError(number, os.strerror(number))


def _two_renames(built: Path, site: Path) -> None:
    old = built.with_name(built.name + ".old")
    site.rename(old)
    try:
        built.rename(site)
    except OSError:
        old.rename(site)
        raise
    shutil.rmtree(old, ignore_errors=True)
