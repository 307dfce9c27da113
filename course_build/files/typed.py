"""JSON values: found by pointer, checked against a type, copied, shown in a message."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any, get_args, get_origin

from course_build.errors import nearest

_NAMES: dict[Any, str] = {
    int: "an integer",
    float: "a number",
    str: "a string",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


class Missing(Enum):
    """The value of an optional key that is not there: a result may depend on that too."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing.MISSING


def walk(data: Any, pointer: str) -> Any:
    """Return the value at `pointer`, or MISSING."""
    if not pointer:
        return data
    head, *steps = pointer.split("/")
    if head:
        return MISSING
    for step in steps:
        if isinstance(data, dict):
            data = data.get(unescape(step), MISSING)
        elif isinstance(data, list) and step.isascii() and step.isdigit() and (step == "0" or step[0] != "0"):
            data = data[int(step)] if len(step) < 10 and int(step) < len(data) else MISSING
        else:
            return MISSING
    return data


def unescape(step: str) -> str:
    """Return one step of a JSON pointer as the key it stands for."""
    return step.replace("~1", "/").replace("~0", "~")


def copy(value: Any) -> Any:
    """Return a deep copy of JSON data (never deeper than strict_json.MAX_DEPTH)."""
    if isinstance(value, dict):
        return {key: copy(member) for key, member in value.items()}
    if isinstance(value, list):
        return [copy(member) for member in value]
    return value


def put(data: Any, pointer: str, value: Any) -> Any:
    """Return `data` with `value` at `pointer`; what lies beside the path is shared, not copied."""
    if not pointer:
        return value
    step, _, rest = pointer[1:].partition("/")
    rest = f"/{rest}" if _ else ""
    if isinstance(data, list):
        at = int(step)
        return [*data[:at], put(data[at], rest, value), *data[at + 1 :]]
    key = unescape(step)
    return {**data, key: put(data.get(key, {}), rest, value)}


class WrongError(Exception):
    """A value that is not what was asked for; `step` leads from the value read to the culprit."""

    def __init__(self, text: str, step: str = "") -> None:
        super().__init__(text)
        self.step = step


def check(value: Any, kind: Any, minimum: float | None, maximum: float | None, choices: Any) -> Any:
    """Return `value` as `kind` (object: any JSON value), or raise WrongError."""
    if kind is object:
        return copy(value)
    origin = get_origin(kind) or kind
    wanted = _NAMES[origin]
    accepted = (int, float) if origin is float else (origin,)
    if not isinstance(value, accepted) or (isinstance(value, bool) and origin is not bool):
        raise WrongError(f"is {shown(value)}, {wanted} is expected")
    if isinstance(value, list) and get_args(kind):
        (member,) = get_args(kind)
        return [_element(index, each, member, minimum, maximum) for index, each in enumerate(value)]
    if isinstance(value, int | float) and not isinstance(value, bool):
        if minimum is not None and value < minimum:
            raise WrongError(f"is {shown(value)}, at least {minimum} is expected")
        if maximum is not None and value > maximum:
            raise WrongError(f"is {shown(value)}, at most {maximum} is expected")
    if choices is not None and value not in choices:
        allowed = ", ".join(map(str, choices))
        raise WrongError(
            f"is {shown(value)}, one of {allowed} is expected{nearest(str(value), map(str, choices))}"
        )
    if origin is float:
        try:
            return float(value)
        except OverflowError:
            raise WrongError(f"is {shown(value)}, beyond the range of a float") from None
    return copy(value)


def _element(index: int, value: Any, kind: Any, minimum: float | None, maximum: float | None) -> Any:
    try:
        return check(value, kind, minimum, maximum, None)
    except WrongError as wrong:
        raise WrongError(str(wrong), f"/{index}{wrong.step}") from None


def shown(value: Any) -> str:
    """Return a value for an error message: short, with its type where that is the point."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return f"an object of {len(value)} keys"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:36]}… ({len(text)} characters)"
