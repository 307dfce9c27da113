"""Values as bytes that do not depend on layout, and digests over them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from course_build.files.typed import MISSING


def canonical(value: Any) -> bytes:
    """Return `value` as JSON: keys sorted, no white space, UTF-8.

    Tuples count as lists, numpy values as what they hold, MISSING as itself.

    Raises:
        ValueError: NaN, Infinity, a lone surrogate or a circle.
        TypeError: anything JSON does not have, such as a set or a key that is no string.
    """
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_plain
    )
    todo = [value]
    while todo:
        each = todo.pop()
        if isinstance(each, dict):
            for key in each:
                if not isinstance(key, str):
                    raise TypeError(f"key {key!r} is no string")
            todo.extend(each.values())
        elif isinstance(each, list | tuple):
            todo.extend(member for member in each if isinstance(member, dict | list | tuple))
    return text.encode()


def _plain(value: Any) -> Any:
    if value is MISSING:
        return {"$missing": True}
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is no JSON value")


def digest(*parts: str | bytes) -> str:
    """Return the sha256 of parts as 64 hex digits."""
    sha = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        sha.update(b"%d:" % len(raw))
        sha.update(raw)
    return sha.hexdigest()
