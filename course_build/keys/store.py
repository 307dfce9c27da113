"""Content-addressed cache: a key names bytes; the worst that can happen is that they are computed again.

    store = Store(root / ".cache/course")
    store.get(key)            bytes, or None
    store.put(key, data)      never raises; what could not be stored is in store.notices, once

An entry is one file: magic, sha256 of key and data, data.  It is written beside and renamed, so that readers
and other processes see all of it or nothing.  An entry that is damaged, cut short or under a wrong name
counts as absent and is removed; so does whatever else stands in its place.
Size: each put adds a byte per 4 kB to the file `volume` (appending is atomic); when that says that a quarter
of the limit has been written, the least recently used entries are dropped to three quarters of it.
So no put scans the folder, and the folder stays below the limit whoever writes.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import threading
import time
from contextlib import suppress
from pathlib import Path

from course_build.errors import Gravity, Problem

FOLDER = ".cache/course"  # of a project
LIMIT = 256 * 2**20  # bytes
_MAGIC = b"course-cache-1\n"
_VOLUME = "volume"
_IN_THE_WAY = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENXIO)
_BLOCK = 4096
_HEADER = len(_MAGIC) + 32
_USE_GRAIN = 3600.0  # s; a use within this time after the last one is not noted
_LEFT_OVER = 3600.0  # s; a temporary file older than this belongs to a process that was killed


class Store:
    """A folder of entries, shared by threads and processes."""

    def __init__(self, folder: Path, limit: int = LIMIT) -> None:
        """Use `folder`, which need not exist, for at most `limit` bytes."""
        self.folder = folder
        self.limit = limit
        self.notices: list[Problem] = []
        self._lock = threading.Lock()

    def get(self, key: str) -> bytes | None:
        """Return what was stored under `key`, None when there is nothing sound."""
        path = self._path(key)
        try:
            with open(path, "rb", opener=_at_once) as file:
                raw = file.read()
                used = os.fstat(file.fileno()).st_mtime
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            self._notice("read", error)
            return None
        data = raw[_HEADER:]
        if raw[:_HEADER] != _header(key, data):
            self._drop(path)
            return None
        if time.time() - used > _USE_GRAIN:
            with suppress(OSError):
                os.utime(path)
        return data

    def put(self, key: str, data: bytes) -> None:
        """Store `data` under `key`; a failure is noted and otherwise ignored."""
        if len(data) > self.limit // 4:
            return
        path = self._path(key)
        part = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.{time.monotonic_ns()}")
        try:
            try:
                self._write(path, part, _header(key, data) + data)
            except OSError as error:
                if error.errno not in _IN_THE_WAY:
                    raise
                self._clear(path)
                self._write(path, part, _header(key, data) + data)
        except OSError as error:
            self._notice("written", error)
            self._drop(part)

    def _write(self, path: Path, part: Path, raw: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(raw)
        part.replace(path)
        self._count(len(raw))

    def _clear(self, path: Path) -> None:
        """Remove what is no file where a file should be, and no folder where a folder should be."""
        for place in (path, self.folder / _VOLUME):
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place, ignore_errors=True)
            elif not place.is_file():
                self._drop(place)
        if not path.parent.is_dir():
            self._drop(path.parent)

    def _path(self, key: str) -> Path:
        """Return the entry's file; any string is a key, none leads out of the folder."""
        name = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
        return self.folder / name[:2] / name[2:]

    def _drop(self, path: Path) -> None:
        with suppress(OSError):
            path.unlink()

    def _notice(self, done: str, error: OSError) -> None:
        """Say once what is wrong with the folder."""
        with self._lock:
            if not self.notices:
                text = f"the cache cannot be {done} ({error.strerror}); results are computed again each time"
                self.notices.append(Problem(_shown(self.folder), 0, text, Gravity.NOTICE))

    def _count(self, size: int) -> None:
        """Add to the volume written since the last sweep; sweep when it is a quarter of the limit."""
        counter = self.folder / _VOLUME
        with open(counter, "ab", opener=_at_once) as file:
            file.write(b"." * -(-size // _BLOCK))
            written = file.tell() * _BLOCK
        if written >= self.limit // 4:
            self._sweep(counter)

    def _sweep(self, counter: Path) -> None:
        """Drop left-over temporary files, then the least recently used entries beyond 3/4 of the limit."""
        counter.write_bytes(b"")
        now = time.time()
        entries = []
        for path in self.folder.glob("??/*"):
            with suppress(OSError):
                state = path.stat()
                if not path.name.startswith("."):
                    entries.append((state.st_mtime, _blocks(state.st_size), path))
                elif now - state.st_mtime > _LEFT_OVER:
                    self._drop(path)
        kept = 0
        for _, size, path in sorted(entries, reverse=True):
            kept += size
            if kept > self.limit * 3 // 4:
                self._drop(path)


def _at_once(name: str, flags: int) -> int:
    """Open a file; a named pipe in its place would otherwise wait for its other end for ever."""
    return os.open(name, flags | os.O_NONBLOCK, 0o666)


def _header(key: str, data: bytes) -> bytes:
    sha = hashlib.sha256(key.encode("utf-8", "surrogatepass"))
    sha.update(b"\0")
    sha.update(data)
    return _MAGIC + sha.digest()


def _blocks(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _shown(folder: Path) -> str:
    """Return the folder as an author knows it: its last two steps."""
    return "/".join(folder.parts[-2:])
