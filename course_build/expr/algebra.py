"""Arithmetic on the values that facts have: truth, number, text, vector of numbers.

Nothing is converted in silence. Two ways to divide whole numbers: `exact=False` as Python does, into a float;
`exact=True` into a fraction, so that 27 billion and one stays 27 billion and one after a division. Vectors
are taken elementwise: number with vector, or vectors of the same length. Everything that has no finite real
value raises UndefinedError.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

Scalar: TypeAlias = int | float | Fraction
Vector: TypeAlias = tuple[Scalar, ...]
Value: TypeAlias = bool | Scalar | str | Vector | tuple[bool, ...]

T = TypeVar("T")

MAX_BITS = 1 << 13  # of a whole number: 2,466 digits; Python itself refuses to print more than 4,300


class UndefinedError(ValueError):
    """The operation has no finite real value, or these kinds of value do not go together."""


def kind_of(value: Value) -> str:
    """Return what `value` is, in words for an error."""
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, str):
        return f"the text {value!r}"
    if isinstance(value, tuple):
        truths = bool(value) and isinstance(value[0], bool)
        return f"a vector of {len(value)} {'truth values' if truths else 'numbers'}"
    return "a number"


def told(x: Scalar) -> str:
    """Return a number for an error text, short whatever its size."""
    if isinstance(x, Fraction):
        large = x.denominator == 1 or abs(x) > 10**30
        return told(x.numerator // x.denominator) if large else f"{x.numerator / x.denominator:.17g}"
    return repr(x) if isinstance(x, float) or abs(x) < 10**30 else f"a number of {x.bit_length()} bits"


def checked(value: object) -> Value:
    """Return `value` (a list as tuple), or raise UndefinedError when no expression can use it."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float | Fraction):
        return bounded(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return tuple(number(checked(item)) for item in value)
    raise UndefinedError(f"{type(value).__name__} is no value for an expression (number, text, truth or vector)")


def number(value: Value) -> Scalar:
    """Return `value` if it is a number."""
    if isinstance(value, bool | str | tuple):
        raise UndefinedError(f"a number is needed here, this is {kind_of(value)}")
    return value


def vector(value: Value) -> Vector:
    """Return `value` if it is a vector of numbers."""
    if not isinstance(value, tuple):
        raise UndefinedError(f"a vector is needed here, this is {kind_of(value)}")
    return tuple(number(item) for item in value)


def truth(value: Value) -> bool:
    """Return `value` if it is a truth value."""
    if isinstance(value, tuple) and value and isinstance(value[0], bool):
        raise UndefinedError("a comparison of vectors is one truth per element; wrap it in all(...) or any(...)")
    if not isinstance(value, bool):
        raise UndefinedError(f"a comparison is needed here, this is {kind_of(value)}")
    return value


def integer(value: Value) -> int:
    """Return `value` if it is a whole number."""
    whole = number(value)
    if whole != int(whole):
        raise UndefinedError(f"a whole number is needed here, this is {told(whole)}")
    return int(whole)


def bounded(value: Scalar) -> Scalar:
    """Refuse NaN, infinity and endless digits; a fraction that is whole becomes an int."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise UndefinedError("not a number (NaN)" if math.isnan(value) else f"{value}: too large for a number")
        return value
    if isinstance(value, Fraction):
        if value.denominator.bit_length() > MAX_BITS:
            raise UndefinedError("the result is too small to be written")
        if value.denominator == 1:
            value = value.numerator
    if (value.numerator).bit_length() > MAX_BITS:
        raise UndefinedError("the result is too large to be written")
    return value


def scalar(op: str, a: Scalar, b: Scalar, exact: bool) -> Scalar:
    """Return `a op b` for two numbers, op in + - * / **."""
    try:
        match op:
            case "+":
                return bounded(a + b)
            case "-":
                return bounded(a - b)
            case "*":
                return bounded(a * b)
            case "/":
                return bounded(Fraction(a) / b if exact and isinstance(a, int) else a / b)
            case _:
                return bounded(_power(a, b))
    except ZeroDivisionError:
        raise UndefinedError(f"{told(a)} {op} {told(b)} divides by zero") from None
    except OverflowError:
        raise UndefinedError(f"{told(a)} {op} {told(b)} is too large for a number") from None


def _power(a: Scalar, b: Scalar) -> Scalar:
    if not isinstance(b, int) and b == int(b) and not isinstance(a, float):
        b = int(b)
    if a < 0 and not isinstance(b, int) and b != int(b):
        raise UndefinedError(f"{told(a)} ** {told(b)} is not a real number")
    if not isinstance(a, float) and isinstance(b, int):
        bits = max(a.numerator.bit_length(), a.denominator.bit_length()) * max(b, -b)
        if bits > MAX_BITS:
            return float(a) ** b
        if b < 0 and isinstance(a, Fraction):
            return 1 / a**-b
    power = a**b
    assert isinstance(power, int | float | Fraction)  # not complex: a < 0 asks for a whole b
    return power


def binary(op: str, a: Value, b: Value, exact: bool = False) -> Value:
    """Return `a op b` with op in + - * / **, elementwise where a vector takes part."""
    return _broadcast(lambda x, y: scalar(op, x, y, exact), a, b)


def _broadcast(function: Callable[[Scalar, Scalar], T], a: Value, b: Value) -> T | tuple[T, ...]:
    if not isinstance(a, tuple) and not isinstance(b, tuple):
        return function(number(a), number(b))
    left = vector(a) if isinstance(a, tuple) else None
    right = vector(b) if isinstance(b, tuple) else None
    if left is None:
        assert right is not None
        return tuple(function(number(a), y) for y in right)
    if right is None:
        return tuple(function(x, number(b)) for x in left)
    if len(left) != len(right):
        raise UndefinedError(f"vectors of {len(left)} and {len(right)} elements; equal lengths are needed")
    return tuple(function(x, y) for x, y in zip(left, right, strict=True))


ORDER: dict[str, Callable[[Scalar, Scalar], bool]] = {
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
}


def compare(op: str, a: Value, b: Value) -> bool | tuple[bool, ...]:
    """Return whether `a op b`; vectors give one truth per element; texts and truths know only == and !=."""
    for kind in (str, bool):
        if isinstance(a, kind) or isinstance(b, kind):
            if not (isinstance(a, kind) and isinstance(b, kind)):
                raise UndefinedError(f"{kind_of(a)} is compared with {kind_of(b)}")
            if op not in ("==", "!="):
                raise UndefinedError(f"{kind_of(a)} has no order; only == and != are possible")
            return (a == b) == (op == "==")
    return _broadcast(ORDER[op], a, b)


def index(base: Value, at: Value) -> Scalar:
    """Return element `at` of a vector, counted from 0, or from the end when negative."""
    items, place = vector(base), integer(at)
    if not -len(items) <= place < len(items):
        raise UndefinedError(f"index {place} of a vector with {len(items)} elements")
    return items[place]


def part(base: Value, start: Value | None, stop: Value | None) -> Vector:
    """Return the elements from `start` up to, not including, `stop`."""
    first = None if start is None else integer(start)
    last = None if stop is None else integer(stop)
    return vector(base)[first:last]


def elementwise(value: Value, function: Callable[[Scalar], Scalar]) -> Value:
    """Return function(value), of each element when it is a vector."""
    if isinstance(value, tuple):
        return tuple(function(x) for x in vector(value))
    return function(number(value))
