"""What an expression may call: each function gives a finite real value or a truth, or UndefinedError."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from course_build.expr.algebra import (
    ORDER,
    Scalar,
    UndefinedError,
    Value,
    Vector,
    bounded,
    elementwise,
    integer,
    kind_of,
    number,
    scalar,
    told,
    truth,
    vector,
)

MAX_PLACES = 15


def _sqrt(x: Scalar, exact: bool) -> Scalar:
    if x < 0:
        raise UndefinedError(f"√ of the negative number {told(x)}")
    if exact and not isinstance(x, float):
        whole = Fraction(math.isqrt(x.numerator), math.isqrt(x.denominator))
        if whole * whole == x:
            return bounded(whole)
    return math.sqrt(x)


def _log(x: Scalar) -> Scalar:
    if x <= 0:
        raise UndefinedError(f"logarithm of {told(x)}, a positive number is needed")
    if isinstance(x, Fraction):
        return math.log(x.numerator) - math.log(x.denominator)
    return math.log(x)


def _round(x: Scalar, places: int | None) -> Scalar:
    """Round the exact binary value, ties away from zero: the rule of the printed numbers."""
    if places is not None and abs(places) > MAX_PLACES:
        raise UndefinedError(f"round to {places} places, at most {MAX_PLACES} are allowed")
    scale = Fraction(10) ** (places or 0)
    size = math.floor(abs(Fraction(x)) * scale + Fraction(1, 2)) / scale
    rounded = size if x >= 0 else -size
    if places is None or (isinstance(x, int) and places >= 0):
        return int(rounded)
    return bounded(rounded if isinstance(x, Fraction) else float(rounded))


def _total(x: Vector) -> Scalar:
    if any(isinstance(item, float) for item in x):
        return bounded(math.fsum(x))
    return bounded(sum(x))


def _nonempty(value: Value, function: str) -> Vector:
    items = vector(value)
    if not items:
        raise UndefinedError(f"{function}() of an empty vector")
    return items


def _monotone(value: Value, function: str) -> bool:
    items = vector(value)
    if len(items) < 2:
        raise UndefinedError(f"{function}() needs at least two elements, got {len(items)}")
    before = ORDER["<" if function == "rising" else ">"]
    return all(before(x, y) for x, y in pairwise(items))


def _truths(value: Value, function: str) -> bool:
    if isinstance(value, bool):
        return value
    if not isinstance(value, tuple) or not value:
        raise UndefinedError(f"{function}() needs a comparison of at least one element, this is {kind_of(value)}")
    items = [truth(item) for item in value]
    return all(items) if function == "all" else any(items)


def call(function: str, args: Sequence[Value], exact: bool = False) -> Value:
    """Return the named function of `args` (their number is already checked)."""
    try:
        return _call(function, args, exact)
    except OverflowError:
        raise UndefinedError(f"{function}() gives a number that is too large") from None


def _call(function: str, args: Sequence[Value], exact: bool) -> Value:
    x = args[0]
    match function:
        case "abs":
            return elementwise(x, lambda item: max(item, -item))
        case "sqrt":
            return elementwise(x, lambda item: _sqrt(item, exact))
        case "log":
            return elementwise(x, _log)
        case "round":
            places = integer(args[1]) if len(args) == 2 else None
            return elementwise(x, lambda item: _round(item, places))
        case "min" | "max":
            items = [number(item) for item in args] if len(args) > 1 else _nonempty(x, function)
            return min(items) if function == "min" else max(items)
        case "sum":
            return _total(vector(x))
        case "mean":
            items = _nonempty(x, function)
            return scalar("/", _total(items), len(items), exact)
        case "len":
            return len(vector(x))
        case "first" | "last":
            return _nonempty(x, function)[0 if function == "first" else -1]
        case "rising" | "falling":
            return _monotone(x, function)
        case _:
            return _truths(x, function)
