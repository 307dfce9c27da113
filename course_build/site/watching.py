"""Which files have changed since the last build: what `serve` rebuilds for, what it says, what it need not compute.

MkDocs' own watcher rebuilds for an editor's swap file, misses what is edited while a build runs, gives up on a file
that is gone for a moment (a save by rename, `git checkout`), and looks twice a second.  This one compares the state
of all watched files with the state that the last build began with, so that every edit is one rebuild.
"""

from __future__ import annotations

import os
import re
import stat
import threading
from collections.abc import Iterable
from typing import Any, Protocol

from watchdog.events import FileModifiedEvent

PAUSE = 0.15  # s between two looks; two equal looks after a change mean that the writer is done
_IN_PASSING = re.compile(r"\.|__pycache__$|4913$|#.*#$|.*(~|\.sw[a-p]|\.tmp|\.part|\.pyc)$")  # editors, atomic writers

States = dict[str, tuple[int, ...]]  # path -> inode, size, times of content and of state in ns


class Handler(Protocol):
    """What MkDocs gives to be told of a change."""

    def dispatch(self, event: Any) -> None:
        """Take an event."""


def states(paths: Iterable[str]) -> States:
    """Return the state of every file at or below the paths; links are followed, files written in passing left out."""
    found: States = {}
    folders: set[tuple[int, int]] = set()
    waiting = list(paths)
    while waiting:
        path = waiting.pop()
        try:
            now = os.stat(path)  # noqa: PTH116  # some hundred files seven times a second: the time of a Path counts
            if not stat.S_ISDIR(now.st_mode):
                found[path] = (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
            elif (now.st_dev, now.st_ino) not in folders:
                folders.add((now.st_dev, now.st_ino))
                waiting += [os.path.join(path, name) for name in os.listdir(path) if not _IN_PASSING.match(name)]  # noqa: PTH118, PTH208
        except OSError:
            continue  # gone, or a link that leads nowhere: as if it were not there
    return found


class Watcher:
    """Stands in for MkDocs' file observer, whose methods it has."""

    def __init__(self) -> None:
        self._paths: set[str] = set()
        self._built: States | None = None  # what the last build began with
        self._known: States | None = None  # the same, or what MkDocs was told of since
        self._handler: Handler | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def begin(self, paths: Iterable[str]) -> dict[str, str] | None:
        """Note that a build begins; return path -> edited, new or gone since the last one, None at the first."""
        self.add(paths)
        with self._lock:
            before, self._built = self._built, states(self._paths)
            self._known = self._built
            return None if before is None else differences(before, self._built)

    def add(self, paths: Iterable[str]) -> None:
        """Watch further paths from now on."""
        with self._lock:
            new = set(paths) - self._paths
            self._paths |= new
            if new and self._built is not None and self._known is not None:
                found = states(new)
                self._built, self._known = {**found, **self._built}, {**found, **self._known}

    def schedule(self, handler: Handler, path: str, recursive: bool = True) -> str:
        """Watch a path for MkDocs; whichever handler is told, the same site is rebuilt."""
        self._handler = handler
        self.add([path])
        return path

    def unschedule(self, path: str) -> None:
        """Watch a path no longer."""
        with self._lock:
            self._paths.discard(path)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no longer."""
        self._ended.set()

    def join(self) -> None:
        """Wait until the last look is over."""
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(PAUSE):
            with self._lock:
                now = states(self._paths)
                if now == self._known:
                    continue
            while not self._ended.wait(PAUSE) and now != (later := states(self._paths)):
                now = later
            with self._lock:
                if now == self._known:  # a build has begun with it meanwhile
                    continue
                self._known = now
            if self._handler is not None:
                self._handler.dispatch(FileModifiedEvent(""))


def differences(before: States, after: States) -> dict[str, str]:
    """Return path -> edited, new or gone, in order."""
    found = {path: "gone" for path in before if path not in after}
    found |= {path: "edited" if path in before else "new" for path in after if before.get(path) != after[path]}
    return dict(sorted(found.items()))
