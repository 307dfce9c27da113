"""Config keys as symbolic numbers: what a family file reads its sizes with.

A missing or ill-typed key does not stop the reading: the problem is noted, 1 stands in for the value, and
`inventory` raises all problems of the config at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from course_build.errors import CourseError, Problem, nearest
from course_build.files.source import MISSING, Reader
from course_build.params.layers import Group, runs
from course_build.params.sym import Sym

LARGEST = 10**12  # a size above this is a slip of the keyboard, not a model
T = TypeVar("T")


@dataclass(frozen=True)
class Config:
    """One JSON object of a config file; `label` tells its keys apart in formulas (`vision_config.`)."""

    reader: Reader
    problems: list[Problem] = field(default_factory=list)
    label: str = ""
    flags: dict[str, set[str]] = field(default_factory=dict)  # pointer of a structural key -> parts it decides
    made: dict[str, Sym] = field(default_factory=dict)  # pointer -> size read before

    def sub(self, key: str, label: str = "") -> Config:
        """Return the object below `key`."""
        self._try(lambda: self.reader.source.read(f"{self.reader.prefix}/{key}", dict), {})
        return Config(self.reader.sub(f"/{key}"), self.problems, label, self.flags, self.made)

    def has(self, key: str) -> bool:
        """Tell whether the key is there and not null."""
        return self._seen(key) not in (None, MISSING)

    def size(
        self,
        *keys: str,
        default: Sym | int | None = None,
        null: Sym | None = None,
        minimum: int = 1,
        maximum: int = LARGEST,
    ) -> Sym:
        """Return a size.

        Args:
            keys: the key's name and its older names; the first that is there counts.
            default: what an absent key means for this family; None: it must be there.
            null: what null means, when that is something else than absent.
            minimum: the smallest size that makes sense.
            maximum: the largest one.

        Returns:
            The size under its own name, or `default`, or 1 with a problem noted.
        """
        key = self._present(keys)
        pointer = f"{self.reader.prefix}/{key}"
        if pointer in self.made:
            return self.made[pointer]
        seen = self._seen(key)
        instead = null if seen is None and null is not None else default
        if instead is not None and seen in (None, MISSING):
            return instead.also(pointer) if isinstance(instead, Sym) else Sym.key(self.label + key, instead, pointer)
        if type(seen) is int and minimum <= seen <= maximum:
            value = seen  # no need to look it up again: the strict read below would say the same
        else:
            read = lambda: self.reader.read(f"/{key}", int, minimum=minimum, maximum=maximum)  # noqa: E731
            value = self._try(read, max(1, minimum))
        return self.made.setdefault(pointer, Sym.key(self.label + key, value, pointer))

    def optional(self, key: str, default: int | None = None, minimum: int = 1) -> Sym | None:
        """Return a size that may be switched off: null is None, absent is `default`."""
        pointer = f"{self.reader.prefix}/{key}"
        self.decides(key)
        if self.has(key):
            return self.size(key, minimum=minimum)
        if self._seen(key) is None or default is None:
            return None
        return Sym.key(self.label + key, default, pointer)

    def flag(self, key: str, default: bool, part: str = "") -> bool:
        """Return a switch; `part` names the parts whose existence it decides ("" = any of them)."""
        self.decides(key, part)
        return self._try(lambda: self.reader.read(f"/{key}", bool, default=default), default)

    def word(self, key: str, default: str | None = None, choices: Sequence[str] | None = None) -> str | None:
        """Return a string, or `default` when absent or null."""
        return self._try(lambda: self.reader.read(f"/{key}", str, default=default, choices=choices), default)

    def decides(self, key: str, part: str = "") -> None:
        """Remember that whether tensors of `part` exist depends on the key."""
        self.flags.setdefault(f"{self.reader.prefix}/{key}", set()).add(part)

    def number(self, key: str, default: float | None) -> float | None:
        """Return a number that is no size (eps, limit), or `default`."""
        return self._try(lambda: self.reader.read(f"/{key}", float, default=default), default)

    def integers(self, key: str, default: list[int] | None = None) -> list[int]:
        """Return a list of whole numbers; without a default it must be there."""
        return self._list(key, int, default)

    def words(self, key: str) -> list[str]:
        """Return a list of strings, empty when absent."""
        return self._list(key, str, [])

    def problem(self, key: str, text: str) -> None:
        """Note that the value of `key` cannot be counted."""
        self.problems.append(self.reader.source.problem(f"{self.reader.prefix}/{key}", text))

    def groups(
        self, key: str, kinds: Sequence[str], L: Sym, stack: str, entries: list[str] | None = None
    ) -> dict[str, Group]:
        """Return one group of layers per kind, from a list with one entry per layer.

        Args:
            key: the config key that holds the list.
            kinds: the entries this family knows.
            L: number of layers; the list must have as many.
            stack: the layers' common name, `model.layers`.
            entries: the list in other words, when the config writes it differently.
        """
        pointer = f"{self.reader.prefix}/{key}"
        entries = self.words(key) if entries is None else entries
        if len(entries) != L.value:
            self.problem(key, f"has {len(entries):,} entries, one per layer is expected ({L.numbers})")
        for index, kind in enumerate(entries):
            if kind not in kinds:
                wanted = f"one of {', '.join(kinds)} is expected{nearest(kind, kinds)}"
                self.problem(f"{key}/{index}", f"is {kind!r}, {wanted}")
                break
        return {
            kind: Group(kind, Sym.key(f"{key}.count({kind})", sum(map(len, spans)), pointer), spans, stack)
            for kind, spans in runs(entries).items()
        }

    def _list(self, key: str, member: type[T], default: list[T] | None) -> list[T]:
        seen = self._seen(key)
        if isinstance(seen, list) and all(type(entry) is member for entry in seen):
            return seen
        if default is not None and seen in (None, MISSING):
            return default
        found: list[T] = self._try(lambda: self.reader.read(f"/{key}", list[member]), [])  # type: ignore[valid-type]
        return found

    def _seen(self, key: str) -> Any:
        """Return the value at `key`, MISSING when there is none; remembered as a read."""
        pointer = f"{self.reader.prefix}/{key}"
        if pointer not in self.reader.reads:
            self.reader.has(f"/{key}")
        return self.reader.reads[pointer]

    def _present(self, keys: tuple[str, ...]) -> str:
        if len(keys) > 1:
            for key in keys:
                if self.has(key):
                    return key
        return keys[0]

    def _try(self, read: Callable[[], T], fallback: T) -> T:
        try:
            return read()
        except CourseError as error:
            self.problems.extend(error.problems)
            return fallback
