"""YAML with JSON's scalars: no tags, no anchors, no key twice, and the line of every value.

Plain scalars mean what they mean in JSON: `null true false`, integers, decimal numbers (also `1e-6`);
everything else is text, so that `no`, `on`, `010`, `1_000`, `12:30` and dates keep their letters.
Keys are always text. PyYAML is imported on first use.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

from course_build.files.strict_json import MAX_DEPTH, MalformedError, escape

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z|-?(?:NaN|Infinity)\Z")
_WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}


@dataclass
class _Frame:
    """An open mapping (`value` is a dict) or sequence (a list)."""

    pointer: str
    value: dict[str, Any] | list[Any]
    key: str | None = None
    key_line: int = 0
    lines: dict[str, int] = field(default_factory=dict)  # key -> line, to name both of a pair


@dataclass
class _Builder:
    """Builds the value from PyYAML's events, without recursion."""

    stack: list[_Frame] = field(default_factory=list)
    data: Any = None
    lines: dict[str, int] = field(default_factory=dict)

    def open(self, value: dict[str, Any] | list[Any], line: int) -> None:
        """Begin a mapping or sequence."""
        if self.stack and isinstance(self.stack[-1].value, dict) and self.stack[-1].key is None:
            raise MalformedError(line, "a key is a list or a mapping, a key must be plain text")
        pointer = self._add(value, line)
        self.stack.append(_Frame(pointer, value))
        if len(self.stack) > MAX_DEPTH:
            raise MalformedError(line, f"nested more than {MAX_DEPTH} levels deep, write it flatter")

    def scalar(self, text: str, plain: bool, line: int) -> None:
        """Take a key or a value."""
        top = self.stack[-1] if self.stack else None
        if top and isinstance(top.value, dict) and top.key is None:
            if text in top.lines:
                where = f"{top.pointer}/{escape(text)}"
                raise MalformedError(line, f"{where}: key stands twice (first in line {top.lines[text]}), keep one")
            top.key, top.key_line = text, line
            top.lines[text] = line
            return
        try:
            self._add(_scalar(text) if plain else text, line)
        except ValueError as error:
            raise MalformedError(line, f"{self._where()}: {error}") from None

    def _where(self) -> str:
        """Return the pointer of the value that comes next."""
        if not self.stack:
            return "the whole file"
        top = self.stack[-1]
        step = escape(top.key or "") if isinstance(top.value, dict) else str(len(top.value))
        return f"{top.pointer}/{step}"

    def _add(self, value: Any, line: int) -> str:
        """Put `value` into the open container and return its pointer."""
        if not self.stack:
            self.data = value
            self.lines[""] = line
            return ""
        top = self.stack[-1]
        if isinstance(top.value, dict):
            key = top.key or ""
            top.value[key] = value
            pointer, line = f"{top.pointer}/{escape(key)}", top.key_line
            top.key = None
        else:
            pointer = f"{top.pointer}/{len(top.value)}"
            top.value.append(value)
        self.lines[pointer] = line
        return pointer


def parse(text: str, *, foreign: bool = False) -> Any:
    """Return the value of `text`; raise MalformedError where it is not this module's YAML.

    foreign: the file belongs to another program and may have its tags, anchors and aliases; they count as text.
    """
    return _build(text, foreign).data


def lines(text: str, *, foreign: bool = False) -> dict[str, int]:
    """Return JSON pointer -> 1-based line of the member's key (or of the sequence's element)."""
    return _build(text, foreign).lines


def _build(text: str, foreign: bool = False) -> _Builder:
    import yaml

    if not text.strip():
        raise MalformedError(1, "the file is empty, a YAML value is expected")
    builder = _Builder()
    documents = 0
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            line = event.start_mark.line + 1 if event.start_mark else 0
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                raise MalformedError(line, "a second document begins (---), one per file is expected")
            if not foreign:
                _refuse(yaml, event, line)
            if isinstance(event, yaml.AliasEvent):
                builder.scalar(f"*{event.anchor}", False, line)
            elif isinstance(event, yaml.ScalarEvent):
                builder.scalar(event.value, event.implicit[0], line)
            elif isinstance(event, yaml.MappingStartEvent):
                builder.open({}, line)
            elif isinstance(event, yaml.SequenceStartEvent):
                builder.open([], line)
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                builder.stack.pop()
    except yaml.YAMLError as error:
        raise _syntax(text, error) from None
    except (RecursionError, MemoryError):
        raise MalformedError(0, "nested too deeply, write it flatter") from None
    if not documents:
        raise MalformedError(1, "the file is empty, a YAML value is expected")
    return builder


def _refuse(yaml: Any, event: Any, line: int) -> None:
    """Raise MalformedError for what this dialect leaves out."""
    if isinstance(event, yaml.AliasEvent):
        raise MalformedError(line, f"alias *{event.anchor} is not allowed, write the value out")
    if getattr(event, "anchor", None):
        raise MalformedError(line, f"anchor &{event.anchor} is not allowed, write the value out")
    if getattr(event, "tag", None):
        raise MalformedError(line, f"tag {event.tag} is not allowed, write a plain value")


def _syntax(text: str, error: Any) -> MalformedError:
    """Return PyYAML's complaint as one line; a tab is called a tab."""
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark else 0
    rows = text.splitlines()
    row = rows[line - 1] if 0 < line <= len(rows) else ""
    if "\t" in row[: len(row) - len(row.lstrip())] or "'\\t'" in str(error):
        return MalformedError(line, "a tab stands in the indentation, use spaces")
    position = getattr(error, "position", None)
    if isinstance(position, int) and position < len(text):
        line = text.count("\n", 0, position) + 1
        return MalformedError(line, f"control character U+{ord(text[position]):04X} is not allowed")
    problem = getattr(error, "problem", None) or str(error)
    if "nesting depth" in problem:  # libyaml's own limit, met while it looks ahead
        return MalformedError(line, f"nested more than {MAX_DEPTH} levels deep, write it flatter")
    column = f" at column {mark.column + 1}" if mark else ""
    return MalformedError(line, f"not YAML: {' '.join(problem.split())}{column}")


def _scalar(text: str) -> Any:
    """Return what a plain scalar means; ValueError for a number that JSON does not have."""
    if text in _WORDS:
        return _WORDS[text]
    if _NOT_FINITE.match(text):
        raise ValueError(f"is {text}, a finite number or null is expected")
    if _INTEGER.match(text):
        if len(text) > 4300:
            raise ValueError(f"integer of {len(text)} digits, far beyond any use here")
        return int(text)
    if _FLOAT.match(text):
        value = float(text)
        if math.isinf(value):
            raise ValueError(f"is {text[:40]}, beyond the range of a float (about 1.8e308)")
        return value
    return text
