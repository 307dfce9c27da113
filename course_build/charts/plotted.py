"""What a drawn figure may hold: plain JSON, inks instead of colours, and only declared numbers (pool.py)."""

from __future__ import annotations

import array
import base64
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from course_build.charts.pool import Pool, is_number, is_vector
from course_build.errors import nearest
from course_build.figures import INKS

_INK = re.compile(r"(?:ink:|var\(--ink-)([a-z]+)(?:/(0?\.\d+|0|1))?\)?")
_CLEAR = ("transparent", "rgba(0,0,0,0)")
_NUMPY = dict(i1="b", u1="B", i2="h", u2="H", i4="i", u4="I", i8="q", u8="Q", f4="f", f8="d")  # noqa: C408
_VIEW = re.compile(r"(^|\.)(domain|colorscale|pull)(\.|$)")  # arrays that frame and do not assert
_JUMPS = ("dy", "y0", "dx", "x0", "value", "valueminus", "base")  # scalars that place or size a mark


def plain(value: Any) -> Any:
    """Return a figure as JSON values: numpy and base64 arrays as lists, what is not finite as None.

    Raises:
        ValueError: something that JSON does not know.
    """
    if hasattr(value, "to_plotly_json"):
        return plain(value.to_plotly_json())
    if isinstance(value, Mapping):
        if "bdata" in value and "dtype" in value:
            return plain(_unpacked(value))
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, list | tuple | range):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise ValueError(f"{type(value).__name__} {value!r} cannot be drawn; use numbers and texts")


def _unpacked(packed: Mapping[str, Any]) -> list[Any]:
    """Undo plotly's base64 form of a numpy array."""
    code = _NUMPY.get(str(packed["dtype"]).lstrip("<|="))
    if code is None:
        raise ValueError(f"array of type {packed['dtype']!r} cannot be drawn; pass a list")
    flat = array.array(code, base64.b64decode(packed["bdata"])).tolist()
    shape = [int(part) for part in str(packed.get("shape", "")).split(",") if part.strip()]
    if len(shape) == 2:
        return [flat[row * shape[1] : (row + 1) * shape[1]] for row in range(shape[0])]
    return flat


def walk(value: Any, path: str = "") -> Iterator[tuple[str, str, Any]]:
    """Yield (path, last key, value) of every member, parents first."""
    pairs: list[tuple[str, str, Any]] = []
    if isinstance(value, dict):
        pairs = [(f"{path}.{key}" if path else key, key, item) for key, item in value.items()]
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        pairs = [(f"{path}[{index}]", "", item) for index, item in enumerate(value)]
    for place, key, item in pairs:
        yield place, key, item
        yield from walk(item, place)


def counts(values: Sequence[Any]) -> bool:
    """Return whether the array is a run of consecutive whole numbers."""
    return all(isinstance(item, int) for item in values) and list(values) == list(
        range(values[0], values[0] + len(values))
    )


def canonical_ink(color: str) -> str:
    """Return `ink:NAME` or `ink:NAME/ALPHA`; ValueError for any other colour."""
    if color in _CLEAR:
        return "transparent"
    found = _INK.fullmatch(color)
    if not found:
        raise ValueError(f"colour {color!r} does not follow the palette; use ink('accent'), one of {', '.join(INKS)}")
    if found[1] not in INKS:
        raise ValueError(f"unknown ink {found[1]!r}{nearest(found[1], INKS)}")
    return f"ink:{found[1]}" + (f"/{found[2]}" if found[2] else "")


def ground(figure: dict[str, Any], pool: Pool) -> list[str]:
    """Return a sentence for every drawn number that no declared input explains."""
    faults: list[str] = []
    axes: dict[str, set[Any]] = {"x": set(), "y": set()}
    waiting: list[tuple[str, str, list[Any]]] = []
    for index, trace in enumerate(figure["data"]):
        label = f"trace {index}" + (f" {trace['name']!r}" if trace.get("name") else "")
        counting = "y" if trace.get("orientation") == "h" else "x"
        for path, key, value in walk(trace):
            if is_vector(value) and not _VIEW.search(path):
                if pool.explains(value) or (path == counting and counts(value)):
                    axes.get(path, set()).update(value)
                else:
                    waiting.append((label, path, value))
            elif key in _JUMPS and is_number(value) and value not in (0, 1) and not pool.knows(value):
                faults.append(f"{label}: {path} = {value!r} is no declared input")
    for label, path, value in waiting:
        if not set(value) <= axes.get(path, set()):
            faults.append(f"{label}: {path} is no declared input or slice of one ({pool.compare(value)})")
    return faults + _marks(figure, pool, axes)


def _marks(figure: dict[str, Any], pool: Pool, axes: dict[str, set[Any]]) -> list[str]:
    """Shapes and annotations stand at declared numbers or at drawn points, or are placed on the paper."""
    faults = []
    for group in ("shapes", "annotations"):
        for index, mark in enumerate(figure["layout"].get(group, [])):
            for key in ("x", "y", "x0", "x1", "y0", "y1"):
                value = mark.get(key)
                paper = str(mark.get(f"{key[0]}ref", "")).endswith(("paper", "domain"))
                if is_number(value) and not paper and not (value in axes[key[0]] or pool.knows(value)):
                    faults.append(f"layout.{group}[{index}].{key} = {value!r} is no declared input")
    return faults
