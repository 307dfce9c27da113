"""Files that authors write, read strictly: every fault is one line naming file, line and key.

    source = load("experiments/configs/anchor-model.json", root)
    source.read("/text_config/hidden_size", int, minimum=1)      # 5120
    reader = source.reader("/text_config")                       # remembers what was read, for keys
    reader.read("/num_hidden_layers", int); reader.reads         # {"/text_config/num_hidden_layers": 64}

Pointers are JSON pointers (RFC 6901): "" is the whole file, "/a/0/b" a member, `~1` a slash, `~0` a tilde.
Line numbers are looked up only when somebody asks, so that reading stays as fast as the json module.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, overload

from course_build.errors import CourseError, Problem, nearest
from course_build.evidence import Kind
from course_build.files import strict_json, strict_yaml
from course_build.files.strict_json import MalformedError
from course_build.files.textfile import MAX_BYTES, decode, load_text, read_bytes, shown_path
from course_build.files.typed import MISSING, Missing, WrongError, check, copy, put, shown, unescape, walk

__all__ = ["MAX_BYTES", "MISSING", "Missing", "Reader", "Source", "load", "load_text", "shown_path"]

T = TypeVar("T")
D = TypeVar("D")


class _Required(Enum):
    REQUIRED = "required"


REQUIRED = _Required.REQUIRED


@dataclass(frozen=True)
class Source:
    """One file, parsed: immutable, cheap to pass around, safe to share between threads."""

    path: str  # POSIX, relative to the project
    digest: str  # sha256 of the bytes, hex
    kind: Kind
    text: str = field(repr=False, compare=False)
    data: Any = field(repr=False, compare=False)  # never changed; read() hands out copies

    def line(self, pointer: str) -> int:
        """Return the 1-based line of `pointer`, or of its nearest ancestor that exists."""
        found = _lines(self.text, self.path.endswith((".yml", ".yaml")))
        while pointer not in found and pointer:
            pointer = pointer.rpartition("/")[0]
        return found.get(pointer, 1)

    def problem(self, pointer: str, text: str) -> Problem:
        """Return a problem at `pointer`, named by file, line and key."""
        return Problem(self.path, self.line(pointer), f"{pointer}: {text}" if pointer else text)

    def has(self, pointer: str) -> bool:
        """Tell whether `pointer` leads to a value (null counts as one)."""
        return walk(self.data, pointer) is not MISSING

    def get(self, pointer: str) -> Any:
        """Return a copy of the value at `pointer`, whatever its type; CourseError when it is missing."""
        value = walk(self.data, pointer)
        if value is MISSING:
            raise CourseError(self._missing(pointer))
        return copy(value)

    @overload
    def read(
        self, pointer: str, type: type[T], *, minimum: float | None = None, maximum: float | None = None,
        choices: Any = None,
    ) -> T: ...  # fmt: skip
    @overload
    def read(
        self, pointer: str, type: type[T], *, minimum: float | None = None, maximum: float | None = None,
        choices: Any = None, default: D,
    ) -> T | D: ...  # fmt: skip
    def read(
        self, pointer: str, type: type[Any], *, minimum: float | None = None, maximum: float | None = None,
        choices: Any = None, default: Any = REQUIRED,
    ) -> Any:  # fmt: skip
        """Return the value at `pointer`, checked.

        Args:
            pointer: JSON pointer.
            type: int, float (an integer is accepted), str, bool, list, dict, list[...] of these; object for
                any value; true and false are never numbers.
            minimum: smallest number allowed, also for the numbers of a list.
            maximum: largest number allowed, also for the numbers of a list.
            choices: the values allowed.
            default: returned when the key is absent or null; without it that is an error.

        Raises:
            CourseError: missing (nearest key named), wrong type or out of range, with file, line and pointer.
        """
        value = walk(self.data, pointer)
        if default is not REQUIRED and (value is MISSING or value is None):
            return default
        if value is MISSING:
            raise CourseError(self._missing(pointer))
        try:
            return check(value, type, minimum, maximum, choices)
        except WrongError as wrong:
            raise CourseError(self.problem(pointer + wrong.step, str(wrong))) from None

    def reader(self, prefix: str = "") -> Reader:
        """Return a reader below `prefix` that remembers what it was asked for."""
        return Reader(self, prefix)

    def supposing(self, values: Mapping[str, Any]) -> Source:
        """Return this file as it would be with other values at these pointers; nothing is written."""
        data = self.data
        for pointer, value in values.items():
            data = put(data, pointer, value)
        return replace(self, data=data)

    def _missing(self, pointer: str) -> Problem:
        if pointer and not pointer.startswith("/"):
            return Problem(self.path, 0, f"pointer {pointer!r} must begin with / (or be empty: the whole file)")
        parent, _, step = pointer.rpartition("/")
        while walk(self.data, parent) is MISSING:
            parent, _, step = parent.rpartition("/")
        value, name = walk(self.data, parent), unescape(step)
        if isinstance(value, dict):
            return self.problem(f"{parent}/{step}", f"key is missing{nearest(name, value)}")
        if isinstance(value, list) and name.isdigit():
            return self.problem(
                f"{parent}/{step}", f"no such element, {parent or 'the file'} is a list of {len(value)}"
            )
        return self.problem(parent, f"is {shown(value)}, an object is expected")


@dataclass
class Reader:
    """Reads below a prefix and remembers, by absolute pointer, every value it handed out.

    An optional key that was absent is remembered as MISSING. Readers made by sub() share the memory.
    """

    source: Source
    prefix: str = ""
    reads: dict[str, Any] = field(default_factory=dict)

    def sub(self, prefix: str) -> Reader:
        """Return a reader below `prefix` (relative to this one) with the same memory."""
        return Reader(self.source, self.prefix + prefix, self.reads)

    def has(self, pointer: str) -> bool:
        """Tell whether `pointer` leads to a value; remembered as a read: of an object only that there is one."""
        value = walk(self.source.data, self.prefix + pointer)
        self.reads.setdefault(self.prefix + pointer, {} if isinstance(value, dict) else copy(value))
        return value is not MISSING

    def get(self, pointer: str) -> Any:
        """Return the value at `pointer` like Source.get, and remember it."""
        self._remember(pointer)
        return self.source.get(self.prefix + pointer)

    @overload
    def read(
        self, pointer: str, type: type[T], *, minimum: float | None = None, maximum: float | None = None,
        choices: Any = None,
    ) -> T: ...  # fmt: skip
    @overload
    def read(
        self, pointer: str, type: type[T], *, minimum: float | None = None, maximum: float | None = None,
        choices: Any = None, default: D,
    ) -> T | D: ...  # fmt: skip
    def read(
        self, pointer: str, type: type[Any], *, minimum: float | None = None, maximum: float | None = None,
        choices: Any = None, default: Any = REQUIRED,
    ) -> Any:  # fmt: skip
        """Return the value at `pointer` like Source.read, and remember it."""
        self._remember(pointer)
        return self.source.read(
            self.prefix + pointer, type, minimum=minimum, maximum=maximum, choices=choices, default=default
        )

    def _remember(self, pointer: str) -> Any:
        value = copy(walk(self.source.data, self.prefix + pointer))
        self.reads[self.prefix + pointer] = value
        return value


def load(path: str | Path, root: Path, kind: Kind = Kind.COMPUTED) -> Source:
    """Return the JSON or YAML file `path` (relative to `root`, or absolute), parsed strictly.

    Raises:
        CourseError: one Problem with path, line and what would be right.
    """
    name = shown_path(path, root)
    raw = read_bytes(root / path, name)
    text = decode(raw, name)
    suffix = Path(path).suffix.lower()
    if suffix not in (".json", ".yml", ".yaml"):
        raise CourseError(Problem(name, 0, f"ends in {suffix or 'nothing'}, .json, .yml or .yaml is expected"))
    try:
        data = strict_json.parse(text) if suffix == ".json" else strict_yaml.parse(text)
    except MalformedError as error:
        raise CourseError(Problem(name, error.line, error.text)) from None
    return Source(name, hashlib.sha256(raw).hexdigest(), kind, text, data)


@lru_cache(maxsize=16)
def _lines(text: str, is_yaml: bool) -> dict[str, int]:
    return strict_yaml.lines(text) if is_yaml else strict_json.lines(text)
