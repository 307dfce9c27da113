"""JSON as the standard means it: one value per key, finite numbers, and the line of every value.

Parsing is the standard library's C scanner with three hooks.
Only when something is refused, or when somebody asks for a line, is the text scanned a second time in Python.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MAX_DEPTH = 64  # of nested objects and arrays; far above any config, far below the interpreter's stack
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_INTEGER = re.compile(r"-?[0-9]+\Z")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_MAX_DIGITS = 4300  # Python's own limit for reading an integer


class MalformedError(Exception):
    """Text that is not what its format allows.

    Attributes:
        line: 1-based line of the fault, 0 for the whole text.
        text: what is wrong and what would be right, in one line.
    """

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line
        self.text = text


class _RefusedError(ValueError):
    """Raised by a hook; the second scan says where and why."""


def escape(name: str) -> str:
    """Return `name` as one step of a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


def parse(text: str) -> Any:
    """Return the value of `text`.

    Raises:
        MalformedError: not JSON, a key twice in one object, NaN or Infinity, a number beyond a float's range,
            an integer of more than 4300 digits, half a surrogate pair, or nesting deeper than MAX_DEPTH.
    """
    if not text.strip():
        raise MalformedError(1, "the file is empty, a JSON value is expected")
    try:
        data = json.loads(text, object_pairs_hook=_object, parse_float=_finite, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise MalformedError(error.lineno, _syntax(text, error)) from None
    except (ValueError, RecursionError):
        raise _diagnose(text) from None
    if _is_too_deep(text, data):
        raise _diagnose(text)
    if _SURROGATE.search(text):
        _check_surrogates(text, data)
    return data


def lines(text: str) -> dict[str, int]:
    """Return JSON pointer -> 1-based line of the member's key (or of the array's element)."""
    found: dict[str, int] = {}
    for place in _places(text):
        found.setdefault(place.pointer, place.line)
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _RefusedError
    return members


def _finite(token: str) -> float:
    value = float(token)
    if math.isinf(value):
        raise _RefusedError
    return value


def _constant(token: str) -> float:
    raise _RefusedError(token)


def _is_too_deep(text: str, data: Any) -> bool:
    """Tell whether `data` nests deeper than MAX_DEPTH; most texts are cleared by counting brackets."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    level = [data] if isinstance(data, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def _check_surrogates(text: str, data: Any) -> None:
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        for number, line in enumerate(text.splitlines(), 1):
            if _SURROGATE.search(line):
                raise MalformedError(number, r"\u escape is half of a surrogate pair, no character") from None
        raise MalformedError(0, r"\u escape is half of a surrogate pair, no character") from None


def _syntax(text: str, error: json.JSONDecodeError) -> str:
    """Return the parser's message with what was seen and the usual cause."""
    seen = text[error.pos : error.pos + 1]
    before = text[: error.pos].rstrip()[-1:]
    if seen == "'":
        hint = "; strings and keys stand in double quotes"
    elif seen in ("#", "/"):
        hint = "; JSON has no comments"
    elif before == "," and seen in ("}", "]"):
        hint = "; no comma before a closing bracket"
    elif not seen:
        hint = "; the file ends too early"
    else:
        hint = f" (seen {json.dumps(text[error.pos : error.pos + 12], ensure_ascii=False)})"
    what = error.msg.removesuffix(" at")
    return f"not JSON: {what[:1].lower()}{what[1:]} at column {error.colno}{hint}"


@dataclass
class _Place:
    """One value met by the second scan."""

    pointer: str
    line: int
    depth: int
    token: str  # text of a scalar, or the opening bracket
    again: bool  # its key stood in the same object before


@dataclass
class _Frame:
    """An open object or array during the second scan."""

    pointer: str
    is_object: bool
    count: int = 0
    key: str | None = None
    key_line: int = 0
    seen: set[str] = field(default_factory=set)


def _places(text: str) -> Iterator[_Place]:
    """Yield every value of a well-formed text in order, without recursion; stop below MAX_DEPTH."""
    stack: list[_Frame] = []
    line, position = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        token = match.group()
        top = stack[-1] if stack else None
        if token in "}]":
            if stack:
                stack.pop()
        elif token == ",":
            if top:
                top.key = None
                top.count += 1
        elif top and top.is_object and top.key is None and token[0] == '"':
            top.key, top.key_line = json.loads(token, strict=False), line
        elif token != ":":
            place = _place(top, line, len(stack), token)
            yield place
            if place.depth > MAX_DEPTH:
                return
            if token in "{[":
                stack.append(_Frame(place.pointer, token == "{"))


def _place(top: _Frame | None, line: int, depth: int, token: str) -> _Place:
    if top is None:
        return _Place("", line, depth + (token in "{["), token, False)
    again = False
    if top.is_object:
        key = top.key or ""
        again = key in top.seen
        top.seen.add(key)
        step, line = escape(key), top.key_line
    else:
        step = str(top.count)
    return _Place(f"{top.pointer}/{step}", line, depth + (token in "{["), token, again)


def _diagnose(text: str) -> MalformedError:
    """Return what the hooks refused: the first fault in reading order."""
    first: dict[str, int] = {}
    for place in _places(text):
        where = place.pointer or "the whole file"
        if place.again:
            return MalformedError(
                place.line, f"{where}: key stands twice (first in line {first[place.pointer]}), keep one"
            )
        first[place.pointer] = place.line
        if place.depth > MAX_DEPTH:
            return MalformedError(place.line, f"nested more than {MAX_DEPTH} levels deep, write it flatter")
        if place.token in ("NaN", "Infinity", "-Infinity"):
            return MalformedError(
                place.line, f"{where}: is {place.token}, a finite number or null is expected"
            )
        if _INTEGER.match(place.token) and len(place.token) > _MAX_DIGITS:
            return MalformedError(
                place.line, f"{where}: integer of {len(place.token)} digits, beyond any use"
            )
        if (
            place.token[0] in "-0123456789"
            and not _INTEGER.match(place.token)
            and math.isinf(float(place.token))
        ):
            return MalformedError(
                place.line, f"{where}: is {place.token[:40]}, beyond the range of a float (about 1.8e308)"
            )
    return MalformedError(0, "nested too deeply, write it flatter")
