"""What moved since the lock, and because of which inputs.

A number may have read twenty inputs of which three changed; which of the three moved it is found by experiment: each
is put back by itself, and it is a cause when the number is then another one than now.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from course_build.errors import CourseError
from course_build.facts.evaluate import Ledger
from course_build.facts.lock import DIGEST, short, snapshot
from course_build.facts.suppose import Suppose

MAX_TRIED = 24  # changed inputs of a ledger that are put back one by one; a whole new model has more


@dataclass(frozen=True)
class Change:
    """One input that is not what the lock says."""

    where: str  # file#/key
    old: Any
    new: Any
    read: bool = True  # False: nothing read this input before

    def __str__(self) -> str:
        old = json.dumps(self.old, ensure_ascii=False) if self.read else "(unread)"
        return f"{self.where}: {old} -> {json.dumps(self.new, ensure_ascii=False)}"


@dataclass(frozen=True)
class Move:
    """One number that is not what the lock says."""

    id: str
    old: str | None  # None: new
    new: str | None  # None: gone
    why: tuple[Change, ...]

    def __str__(self) -> str:
        if self.old is None:
            return f"{self.id} is new: {self.new}"
        if self.new is None:
            return f"{self.id} is gone: it was {self.old}"
        if self.new == self.old:
            return f"{self.id} moved within its rounding: {self.new}"
        return f"{self.id} moved: {self.old} -> {self.new}"

    @property
    def data(self) -> dict[str, Any]:
        """Return the move for JSON."""
        return {"id": self.id, "old": self.old, "new": self.new, "why": list(map(str, self.why))}


class Moves:
    """Compares one ledger with a lock."""

    def __init__(self, old: Mapping[str, Any], ledger: Ledger) -> None:
        """Compare `ledger`, which has been evaluated, with the lock `old`."""
        self._old = old
        self._ledger = ledger
        self._put_back: dict[str, Ledger] = {}

    @cached_property
    def _suppose(self) -> Suppose:
        return Suppose(self._ledger)

    def all(self) -> list[Move]:
        """Return every number whose shown text, value or kind differs, with the inputs that moved it."""
        new = snapshot(self._ledger)
        found = []
        for name in sorted({*self._old["numbers"], *new["numbers"]}):
            before, after = self._old["numbers"].get(name), new["numbers"].get(name)
            if after is None and self._ledger.is_unknown(name):
                continue  # why it has no value is a problem of its own
            if before is None or after is None or any(before.get(k) != after[k] for k in ("value", "text", "kind")):
                why = self.causes(name) if before and after else ()
                found.append(Move(name, _text(before), _text(after), why))
        return found

    def causes(self, name: str) -> tuple[Change, ...]:
        """Return the changed inputs that moved a number; all it reads when putting back a single one does nothing."""
        changed = self._changed(name)
        if len(changed) < 2 or len(changed) > MAX_TRIED:
            return changed
        return tuple(change for change in changed if self._moved_by(name, change)) or changed

    def _changed(self, name: str) -> tuple[Change, ...]:
        inputs, changes = self._old["inputs"], []
        for leaf in self._ledger.records[name].leaves:
            read, now = leaf.where in inputs, short(leaf.value)
            if (read and inputs[leaf.where] != now) or (not read and leaf.value is not None):
                changes.append(Change(leaf.where, inputs.get(leaf.where), now, read))
        return tuple(changes)

    def _moved_by(self, name: str, change: Change) -> bool:
        """Tell whether the number would be another one with this input as it was."""
        if not change.read or (isinstance(change.old, str) and change.old.startswith(DIGEST)):
            return True  # what it was is not known
        if change.where not in self._put_back:
            self._put_back[change.where] = self._suppose({change.where: change.old})
        try:
            before = self._put_back[change.where].record(name)
        except CourseError:
            return True
        now = self._ledger.records[name]
        return (before.value, before.text, before.kind) != (now.value, now.text, now.kind)


def moves(old: Mapping[str, Any], ledger: Ledger) -> Sequence[Move]:
    """Return what moved since a lock."""
    return Moves(old, ledger).all()


def _text(row: Any) -> str | None:
    return f"{row['text']}" if isinstance(row, dict) else None
