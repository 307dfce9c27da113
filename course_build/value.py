"""Numbers as text: one display rule, the same digits in Python and in the browser.

A spec is `[+][,][.N]kind`:

    f   fixed, N decimals, zeros kept          .2f   3.5      -> 3.50
    g   N significant digits, zeros dropped    .3g   20.3732  -> 20.4       (`g` alone: 4 digits)
    %   times 100, N decimals                  .2%   0.616    -> 61.60%     (`%` alone as `g`)
    e   power of ten, N decimals               e     6e-9     -> 6 × 10⁻⁹   (`e` alone: 4 digits)
    d   whole number                           ,d    660480   -> 660,480
    万 亿  divided by 10⁴ / 10⁸, N decimals     .2亿  27781427952 -> 277.81亿
    s   text as it stands
    +   shows the sign of positive numbers;  ,  separates thousands

Rounding looks at the exact binary value, ties away from zero (as JavaScript does); minus is U+2212;
a result whose digits are all zero carries no sign. The twin is `web/format.js`, compared by a golden file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

Scalar = int | float | str | bool

MAX_DIGITS = 20
_SHORT = 4  # significant digits where a spec names none
_PLAIN = range(-4, 16)  # decimal exponents that `g` writes without a power of ten
_SPEC = re.compile(r"(?P<sign>\+)?(?P<comma>,)?(?:\.(?P<digits>\d{1,3}))?(?P<kind>[fg%eds万亿])")
_SHIFT = {"%": 2, "万": -4, "亿": -8}
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_EXACT = Context(prec=2000, rounding=ROUND_HALF_UP)  # a double has at most 767 significant digits


@dataclass(frozen=True)
class Spec:
    """A parsed display rule; `digits` is None where the kind's own rule applies."""

    kind: str
    digits: int | None = None
    thousands: bool = False
    sign: bool = False


@lru_cache(maxsize=512)
def parse_spec(spec: str) -> Spec:
    """Parse a display rule; ValueError says what is wrong and what would be right."""
    found = _SPEC.fullmatch(spec)
    if not found:
        raise ValueError(f"display rule {spec!r} is not [+][,][.N] and one of f g % e d s 万 亿, such as ,d")
    digits = None if found["digits"] is None else int(found["digits"])
    kind = found["kind"]
    if digits is not None and digits > MAX_DIGITS:
        raise ValueError(f"display rule {spec!r} asks for {digits} digits, at most {MAX_DIGITS} are shown")
    if kind == "f" and digits is None:
        raise ValueError(f"display rule {spec!r} does not say how many decimals, such as .2f")
    if kind == "g" and digits == 0:
        raise ValueError(f"display rule {spec!r} asks for no significant digit, at least .1g")
    if kind in "ds" and digits is not None:
        raise ValueError(f"display rule {spec!r} gives digits to {kind!r}; for decimals write .{digits}f")
    if kind == "s" and (found["sign"] or found["comma"]):
        raise ValueError(f"display rule {spec!r} gives a sign or separators to text, write s")
    return Spec(kind, digits, bool(found["comma"]), bool(found["sign"]))


def default_spec(value: Scalar) -> str:
    """Return the rule for a value whose fact names none: whole numbers `,d`, others `.4g`, text `s`."""
    if isinstance(value, str | bool):
        return "s"
    return ",d" if isinstance(value, int) else ".4g"


def format_number(value: Scalar, spec: str | None = None) -> str:
    """Return `value` as the reader sees it; ValueError if the value does not fit the rule."""
    rule = parse_spec(spec or default_spec(value))
    if isinstance(value, bool):
        if rule.kind != "s":
            raise ValueError(f"{value} is no number, so {spec!r} cannot show it; use s")
        return "是" if value else "否"
    if isinstance(value, str) or rule.kind == "s":
        if not isinstance(value, str) or rule.kind != "s":
            raise ValueError(
                f"display rule {spec!r} does not fit {value!r}: s is for text only, and alone fits it"
            )
        return value
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not finite and cannot be shown as a number")
    if rule.kind == "d" and value != int(value):
        raise ValueError(f"{value!r} is not whole, so {spec!r} cannot show it; .0f rounds")
    return _signed(value < 0, _magnitude(Decimal(value).copy_abs(), rule), rule)


def format_vector(values: Iterable[Scalar], spec: str | None = None) -> str:
    """Return `[−1.069, 0, 1.604]`, each by the same rule; an exact zero is `0`, one by rounding `0.000`."""
    return "[" + ", ".join("0" if _is_zero(value) else format_number(value, spec) for value in values) + "]"


def _is_zero(value: Scalar) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == 0


def _magnitude(size: Decimal, rule: Spec) -> str:
    """Return the digits of a non-negative number, without sign."""
    kind, digits = rule.kind, rule.digits
    if kind == "e":
        return _power(size, (_SHORT if digits is None else digits + 1), keep=digits is not None)
    if kind == "g":
        digits = _SHORT if digits is None else digits
        if size and _exponent(size, digits) not in _PLAIN:
            return _power(size, digits, keep=False)
        return _group(_significant(size, digits), rule)
    size = size.scaleb(_SHIFT.get(kind, 0), _EXACT)
    suffix = kind if kind in _SHIFT else ""
    if digits is None and kind != "d":
        return _group(_significant(size, _SHORT), rule) + suffix
    return _group(_fixed(size, digits or 0), rule) + suffix


def _fixed(size: Decimal, decimals: int) -> str:
    """Return `size` with exactly `decimals` digits after the point."""
    return f"{size.quantize(Decimal(1).scaleb(-decimals), context=_EXACT):f}"


def _exponent(size: Decimal, digits: int) -> int:
    """Return the decimal exponent of `size` (> 0) after rounding to `digits` significant digits."""
    return Context(prec=digits, rounding=ROUND_HALF_UP).plus(size).adjusted()


def _significant(size: Decimal, digits: int) -> str:
    """Return `size` in plain notation with `digits` significant digits, trailing zeros dropped."""
    if not size:
        return "0"
    decimals = digits - 1 - _exponent(size, digits)
    text = f"{Context(prec=digits, rounding=ROUND_HALF_UP).plus(size):f}"
    return text.rstrip("0").rstrip(".") if decimals > 0 and "." in text else text


def _power(size: Decimal, digits: int, *, keep: bool) -> str:
    """Return `m × 10ⁿ` with `digits` significant digits in m."""
    if not size:
        return "0"
    exponent = _exponent(size, digits)
    mantissa = _fixed(size.scaleb(-exponent, _EXACT), digits - 1)
    if not keep and "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa} × 10{str(exponent).translate(_SUPERSCRIPT)}"


def _group(text: str, rule: Spec) -> str:
    """Put thousands separators into the whole part if the rule asks for them."""
    if not rule.thousands:
        return text
    whole, point, rest = text.partition(".")
    return f"{int(whole):,}{point}{rest}"


def _signed(negative: bool, text: str, rule: Spec) -> str:
    """Put the sign before the digits; all zeros have none."""
    if not re.search(r"[1-9]", text.split(" × ")[0]):
        return text
    return ("−" if negative else "+" if rule.sign else "") + text
