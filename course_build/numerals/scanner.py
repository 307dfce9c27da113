"""One pass over a text: every numeral in it, counted or exempt. Bounded look-back and look-ahead: linear time."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from course_build.numerals import chinese, digits, signs
from course_build.numerals.words import HALVES, WORDS, Words

CUT_OUT = "\ufffc"
LONGEST_RUN = 40  # numeral characters looked at together
_RAISED, _LOWERED, _CHINESE = digits.SUPERSCRIPTS, digits.SUBSCRIPTS, chinese.NUMERAL
_LETTER = "A-Za-z_À-ÖØ-öø-ɏͰ-Ͽ\U0001d400-\U0001d7cb"
_SAME = {
    "−": "-", "－": "-", "‐": "-", "‑": "-", "％": "%", "．": ".", "／": "/", "⁄": "/", "⨯": "×", "✕": "×",
    **dict.fromkeys("\u00a0\u2009\u202f\u3000\t\n\r", " "),
}  # fmt: skip
_CORE = re.compile(r"[0-9]++(?:,[0-9]++)*+(?:\.[0-9]++)*+|\.[0-9]++")
_PLAIN = re.compile(r"[0-9]++(?:\.[0-9]++)*+")
_NOTATION = (2, 3, -1, -2)


@dataclass(frozen=True, slots=True)
class Numeral:
    """A numeral of a text; `exempt` says why it counts nothing, "" for one that must be declared."""

    start: int
    end: int
    text: str
    value: float | None
    why: str
    exempt: str = ""


def normal(text: str) -> str:
    """Return `text`, as long as before, with ASCII digits, letters, signs and spaces for their variants."""
    table = {ord(char): same for char, same in _SAME.items()}
    for char in set(text):
        if char.isdecimal() and not char.isascii():
            table[ord(char)] = str(unicodedata.decimal(char))
        elif "Ａ" <= char <= "ｚ" and char.isalpha():
            table[ord(char)] = chr(ord(char) - 0xFEE0)
    return text.translate(table)


def scan(text: str, words: Words = WORDS) -> Iterator[Numeral]:
    """Yield every numeral of `text`, also the exempt ones with the reason."""
    plain = normal(text)
    for found in _pattern(words).finditer(plain):
        for start, end, value, why, exempt in _HANDLERS[found.lastgroup or ""](plain, found, words):
            yield Numeral(start, end, text[start:end], value, why, exempt)


@lru_cache(maxsize=8)
def _pattern(words: Words) -> re.Pattern[str]:
    power = rf"(?:[{_RAISED}]{{1,9}}+|\^(?:-?\d{{1,9}}|\{{-?\d{{1,9}}\}}))"
    run = rf"[{_CHINESE}]{{1,{LONGEST_RUN}}}+"
    forms = {
        "address": r"https?://[\x21-\x7e]++|(?:arXiv:\ ?\d{4}\.\d{4,5}|(?<![\d.])10\.\d{4,9}/)[\x21-\x7e]*+",
        "date": r"(?<![A-Za-z0-9_./-])\d{4}(?:-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?|/\d\d?/\d\d?)(?![A-Za-z0-9_])",
        "half": "|".join(sorted(HALVES, key=len, reverse=True)),
        "share": rf"(?:{run})?分之{run}",
        "fixed": words.pattern(_CHINESE),
        "decimal": rf"{run}点{run}",
        "word": rf"[{_LETTER}][{_LETTER}\d]*+(?:[-./:][{_LETTER}\d]++)*+",
        "fraction": r"(?<![\d/.])\d{1,9}/\d{1,9}(?![\d/.])",
        "number": rf"(?:\d++(?:,\d++)*+(?:\.\d++)*+|\.\d++)(?:[eE][-+]?\d++)?+{power}?+(?:\ ?×\ ?10{power})?+"
        r"(?:\ ?(?:[%‰]|万亿|[亿万千]|百(?!分)))?+",
        "run": run,
        "other": f"[{signs.ALL}]",
        "raised": f"[{_RAISED}]++",
        "lowered": f"[{_LOWERED}]++",
    }
    first = f"[{_LETTER}{signs.ALL}{_RAISED}{_LOWERED}{_CHINESE}0-9.分{words.first_letters}]"
    return re.compile(f"(?={first})(?:{'|'.join(f'(?P<{name}>{form})' for name, form in forms.items())})", re.ASCII)


Found = tuple[int, int, float | None, str, str]
Handler = Callable[[str, re.Match[str], Words], Iterator[Found]]


def _whole(why: str, exempt: str) -> Handler:
    def handler(_plain: str, found: re.Match[str], _words: Words) -> Iterator[Found]:
        if any(char.isnumeric() for char in found[0]):
            yield found.start(), found.end(), None, why, exempt

    return handler


def _date(plain: str, found: re.Match[str], words: Words) -> Iterator[Found]:
    month, day = (int(part) for part in re.split("[-/]", found[0].replace("T", " ").split(" ")[0])[1:])
    exempt = "date" if 1 <= month <= 12 and 1 <= day <= 31 else ""
    yield found.start(), found.end(), None, "date" if exempt else "digits", exempt


def _half(plain: str, found: re.Match[str], words: Words) -> Iterator[Found]:
    yield found.start(), found.end(), HALVES[found[0]], "Chinese quantity", ""


def _share(plain: str, found: re.Match[str], words: Words) -> Iterator[Found]:
    below, _, above = found[0].partition("分之")
    parts = chinese.value_of(below) if below else None, chinese.value_of(above)
    value = parts[1] / parts[0] if parts[0] and parts[1] is not None else None
    yield found.start(), found.end(), value, "Chinese fraction", ""


def _decimal(plain: str, found: re.Match[str], words: Words) -> Iterator[Found]:
    yield found.start(), found.end(), chinese.decimal_of(found[0]), "Chinese decimal", ""


def _run(plain: str, found: re.Match[str], words: Words) -> Iterator[Found]:
    counted, why = chinese.judge(plain, found.start(), found.end(), CUT_OUT)
    value = chinese.value_of(found[0])
    if why == chinese.TENTHS:
        yield found.start(), found.end() + 1, None if value is None else value / 10, why, ""
    else:
        yield found.start(), found.end(), value, why, "" if counted else why


def _word(plain: str, found: re.Match[str], words: Words) -> Iterator[Found]:
    at, word = found.start(), found[0]
    for start, end, exempt in digits.in_word(word, words):
        if end == len(word) and digits.MULTIPLE.match(plain, found.end()):
            exempt = ""  # x3 倍, loss5%
        yield at + start, at + end, digits.value_of(word[start:end]), "digits in a word", exempt


def _fraction(plain: str, found: re.Match[str], words: Words) -> Iterator[Found]:
    above, below = map(int, found[0].split("/"))
    yield found.start(), found.end(), above / below if below else None, "fraction", ""


def _number(plain: str, found: re.Match[str], words: Words) -> Iterator[Found]:
    core = _CORE.match(plain, found.start())
    assert core
    size = core.end() - core.start()
    for start, end in _pieces(core[0]):
        last = end == size
        start, end = found.start() + start, found.end() if last else found.start() + end
        text = plain[start:end]
        if _PLAIN.fullmatch(text) and (exempt := digits.exemption(plain, start, end)):
            yield start, end, digits.value_of(text), "digits", exempt
            continue
        if _signed(plain, start):
            start -= 1
        yield start, end, digits.value_of(plain[start:end]), "digits", ""


def _pieces(core: str) -> Iterator[tuple[int, int]]:
    """Split `1,2,3` at its commas and keep `5,120` together."""
    start = at = 0
    groups = core.split(",")
    for number, group in enumerate(groups):
        at += len(group)
        following = groups[number + 1].split(".")[0] if number + 1 < len(groups) else ""
        joined = (
            len(following) == 3
            and "." not in group
            and (len(group) == 3 or (start == at - len(group) > -1 and len(group) < 3))
        )
        if not joined:
            yield start, at
            start = at + 1
        at += 1


def _signed(plain: str, start: int) -> bool:
    before = plain[max(0, start - 2) : start]
    if not before.endswith("-"):
        return False
    first = before[:-1]  # 7-64 is a span, a minus sign follows a space, a bracket or a Chinese character
    return not (first.isascii() and first.isalnum()) and first not in tuple(")]%" + CUT_OUT)


def _other(plain: str, found: re.Match[str], words: Words) -> Iterator[Found]:
    at = found.start()
    mark = "mark of a section" if signs.names_section(plain, at) else ""
    yield at, found.end(), unicodedata.numeric(found[0], None), "numeral sign", mark


def _script(plain: str, found: re.Match[str], words: Words) -> Iterator[Found]:
    """Raised and lowered digits: x², W₁."""
    value, before = digits.lowered(found[0]), plain[max(0, found.start() - 1) : found.start()]
    letter = before.isalpha() and before < "\u2e80"
    if not any(char.isdigit() for char in found[0]):
        return
    if found.lastgroup == "lowered":
        notation = letter and len(found[0]) <= digits.LONGEST_GLUED
    else:
        notation = value in _NOTATION and (letter or before in tuple(")]|"))
    yield found.start(), found.end(), value, "raised or lowered digits", "notation" if notation else ""


_HANDLERS: dict[str, Handler] = {
    "address": _whole("address", "address"),
    "date": _date,
    "half": _half,
    "share": _share,
    "fixed": _whole("fixed word", "fixed word"),
    "decimal": _decimal,
    "word": _word,
    "fraction": _fraction,
    "number": _number,
    "run": _run,
    "other": _other,
    "raised": _script,
    "lowered": _script,
}
