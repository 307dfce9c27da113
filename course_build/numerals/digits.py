"""Digit strings: their value, and the contexts in which they name something instead of counting it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from decimal import Decimal

from course_build.numerals.chinese import measure_at
from course_build.numerals.words import Words

SUPERSCRIPTS = "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"
_LOWERED = str.maketrans(SUPERSCRIPTS + SUBSCRIPTS, "+-01234567890123456789")
_FILES = "py|json|jsonl|yml|yaml|md|js|css|html|txt|toml|csv|svg"
_PATH = re.compile(rf"[\w./-]+\.(?:{_FILES})(?::\d+)?")
_POWER = re.compile(r"(-?[\d.]+)\^\{?([-+]?\d{1,4})\}?")
_SUFFIXES = (("%", -2), ("‰", -3), ("万亿", 12), ("亿", 8), ("万", 4), ("千", 3), ("百", 2))
_GROUP = re.compile(r"\d++(?:\.\d++)*+")
_YEAR = re.compile(r"19[5-9]\d|20[0-3]\d")
_THIS_YEAR = re.compile(r"\s?年")
_SPAN_AFTER = re.compile(r"\s?[–—~～-]\s?(19[5-9]\d|20[0-3]\d)(?!\d)")
_SPAN_BEFORE = re.compile(r"(?<!\d)(19[5-9]\d|20[0-3]\d)\s?[–—~～-]\s?$")
_CITED = re.compile(r"(?:(?<![A-Za-z])[A-Z][A-Za-z'’-]*[a-z]|等人?|al\.)[,，]?\s?$")
_CITED_OPEN = re.compile(r"(?:(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9.-]*|等人?|al\.)\s?[（(]$")
_CLOSED = re.compile(r"\s?[)）,，;；、]")
_COUNTING = re.compile(r"\s?(?:[A-Za-z%×÷/+*=^√-]|[.．]\d|[万亿千百多余])")
_ORDINAL = re.compile(r"\s?(?:课|章|节|表|图|问|篇)")
_STEP = re.compile(r"\s?步")
_REFERENCE = re.compile(
    r"(?:(?:^|[^\u4e00-\u9fff]|[见与和及在从据看如以由])(?:表|图|式|附录|算法)|§|"
    r"(?<![A-Za-z])(?:Table|Figure|Fig\.|Section|Sec\.|Eq\.|Equation|Appendix|Algorithm|Chapter|Theorem))\s?[（(]?$"
)
_DAY = re.compile(r"\s?日")
_MONTH_AND = re.compile(r"\s?月(?:\s?\d{1,2}\s?日)?")

MULTIPLE = re.compile(r" ?[%‰倍]")

LOOK_BACK = 40  # characters before a number that decide
LONGEST_GLUED = 3  # digits glued to a name that need no listing: float32, BF16, H100
LONGEST_LISTED = 4  # in a listed name: OLMo-2-1124-7B


def value_of(text: str) -> float | None:
    """Return the value of a plain number with separators, exponents, %, ‰ or 万 亿; None when it has none."""
    bare, shift = text.replace(",", "").replace(" ", ""), 0
    for suffix, places in _SUFFIXES:
        if bare.endswith(suffix):
            bare, shift = bare.removesuffix(suffix), places
            break
    try:
        value = float(_decimal(bare).scaleb(shift))
    except (ArithmeticError, ValueError):
        return None
    return value if math.isfinite(value) else None


def _decimal(bare: str) -> Decimal:
    """Return the value of `6e-9`, `6×10⁻⁹`, `6×10^-9`, `10^{-9}` or `2¹⁰`, exactly."""
    factor, _, power = bare.rpartition("×")
    found = _POWER.fullmatch(_marked(power))
    if not found:
        return Decimal(bare)
    return Decimal(factor or 1) * Decimal(found[1]) ** int(found[2])


def _marked(power: str) -> str:
    """Return a raised exponent written with a caret."""
    at = next((at for at, char in enumerate(power) if char in SUPERSCRIPTS), None)
    return power if at is None else f"{power[:at]}^{power[at:].translate(_LOWERED)}"


def in_word(word: str, words: Words) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, why exempt or "") of each digit string of a word that begins with a letter."""
    listed, path = words.listed(word), bool(_PATH.fullmatch(word))
    for group in _GROUP.finditer(word):
        yield group.start(), group.end(), _in_word(word, group, listed, path)


def _in_word(word: str, group: re.Match[str], listed: bool, path: bool) -> str:
    start, digits = group.start(), group[0]
    if path:
        return "file"
    if word[start - 1] in "/:":
        return ""
    whole = max(map(len, digits.split(".")))
    if listed:
        return "listed name" if whole <= LONGEST_LISTED else ""
    if whole > LONGEST_GLUED:
        return ""
    before, sign = word[max(0, start - LOOK_BACK) : start], word[start - 1]
    if sign.isalpha() or sign == "_":
        return "identifier" if "." not in digits or before in ("v", "V") else ""
    stem = before[:-1]
    named = len(stem) > 1 and any(char.isupper() or char.isdigit() or char == "_" for char in stem)
    return "identifier" if sign == "-" and named and "." not in digits else ""


def exemption(text: str, start: int, end: int) -> str:
    """Return why the digit string text[start:end], which is glued to no letter before it, counts nothing."""
    before, digits = text[max(0, start - LOOK_BACK) : start], text[start:end]
    if digits.count(".") > 1:
        return "version"
    if _YEAR.fullmatch(digits) and (why := _year(text, before, start, end)):
        return why
    if len(digits) <= 2 and digits.isdigit() and (why := _date(text, before, end) or _place(text, before, digits, end)):
        return why
    counted = measure_at(text, end) or _COUNTING.match(text, end)
    if counted:
        return ""
    short = re.fullmatch(r"\d{1,2}(?:\.\d{1,2})?", digits)
    return "reference" if short and _REFERENCE.search(before) else ""


def _year(text: str, before: str, start: int, end: int) -> str:
    if _THIS_YEAR.match(text, end):
        return "year"
    span = _SPAN_AFTER.match(text, end)
    if span and text[start:end] < span[1]:
        return "years"
    back = _SPAN_BEFORE.search(before)
    if back and back[1] < text[start:end]:
        return "years"
    if start == 0 and text[end : end + 2] == " ·":
        return "year"
    if _CITED_OPEN.search(before):
        return "year of a citation" if _CLOSED.match(text, end) else ""
    if _CITED.search(before) and not _COUNTING.match(text, end) and not measure_at(text, end):
        return "year of a citation"
    return ""


def _date(text: str, before: str, end: int) -> str:
    """A month after a year or before a day, and that day."""
    month = _MONTH_AND.match(text, end)
    if month and (month[0].endswith("日") or re.search(r"年\s?$", before)):
        return "date"
    return "date" if _DAY.match(text, end) and re.search(r"\d\s?月\s?$", before) else ""


def _place(text: str, before: str, digits: str, end: int) -> str:
    """第 2 课, 第 3 步 (one digit: 第 40 步 is a count of training steps)."""
    if not before.rstrip(" ").endswith("第"):
        return ""
    return "place" if _ORDINAL.match(text, end) or (len(digits) == 1 and _STEP.match(text, end)) else ""


def lowered(text: str) -> int | None:
    """Return the number that raised or lowered digits say."""
    try:
        return int(text.translate(_LOWERED)) if len(text) < 20 else None
    except ValueError:
        return None
