"""Chinese quantities: 十一倍, 两种, 一半, 三成, 百分之一, 十万个, 三点五; and what only looks like one."""

from __future__ import annotations

import re

from course_build.numerals.words import MEASURES

NUMERAL = "零〇一二三四五六七八九十百千万亿兆两壹贰叁肆伍陆柒捌玖拾佰仟萬億兩俩倆仨廿卅卌"
_NAMES = ("零〇", "一壹", "二两贰兩俩倆", "三叁仨", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖")
_DIGITS = {char: value for value, chars in enumerate(_NAMES) for char in chars}
_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_TENS = str.maketrans({"廿": "二十", "卅": "三十", "卌": "四十"})
_LARGE = (("兆", 10**12), ("亿億", 10**8), ("万萬", 10**4))
_ABOUT = re.compile(r"[多余来几]?\s?(?:大|小|整|长)?")
_MULTIPLIERS = "十百千万亿萬億"
_SAID = "三四五六七八九十"
_SAYS = re.compile("(?:[是为共达]|等于)$")  # 头数是八。
_ENDS = re.compile("[，。；、！？）]|$")
_TENTHS = re.compile(r"成(?![为了长本功立员熟果就年份分名型套])")
_YEAR = re.compile(r"[一二][九〇零][零〇一二三四五六七八九]{2}")
_BEFORE_ONE = tuple("统同唯单合归划之专其逐")  # 统一成 is no tenth
_ALONE = frozenset("两兩俩倆仨廿卅卌")  # these are nothing but quantities
_IN_WORDS = {"肆": "放大酒", "伍": "队退入落", "陆": "大着登内水", "拾": "收"}  # 大陆, 队伍里
TENTHS = "Chinese tenths"
_PLACES = frozenset({"课", "章", "节", "表", "图", "问", "步", "篇"})
LONGEST = 30
LAST_ORDINAL = 10
LAST_PLACE = 99


def value_of(run: str) -> int | None:
    """Return the number that a run of numeral characters says, None when it says none (三四, 万万)."""
    if len(run) > LONGEST:
        return None
    run = run.translate(_TENS)
    if len(run) > 1 and all(char in _DIGITS for char in run):
        return int("".join(str(_DIGITS[char]) for char in run)) if "〇" in run or "零" in run else None
    for units, size in _LARGE:
        found = [char for char in run if char in units]
        if len(found) > 1:
            return None
        if found:
            left, _, right = run.partition(found[0])
            high = value_of(left) if left else 1
            low = value_of(right) if right else 0
            return None if high is None or low is None or low >= size else high * size + low
    return _below_ten_thousand(run)


def _below_ten_thousand(run: str) -> int | None:
    total, digit, last = 0, None, 10**4
    for char in run:
        if char in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[char]
            continue
        unit = _UNITS[char]
        if unit >= last or (digit is None and total):
            return None
        total += (1 if digit is None else digit) * unit
        digit, last = None, unit
    return total + (digit or 0)


def measure_at(text: str, at: int) -> str:
    """Return the measure word at `at` (after one space at most), or the empty string."""
    if text[at : at + 1] == " ":
        at += 1
    return next((text[at : at + size] for size in (2, 1) if text[at : at + size] in MEASURES), "")


def decimal_of(text: str) -> float | None:
    """Return the value of 三点一四."""
    whole, _, rest = text.partition("点")
    before = value_of(whole)
    if before is None or not all(char in _DIGITS for char in rest) or len(rest) > LONGEST:
        return None
    return float(f"{before}.{''.join(str(_DIGITS[char]) for char in rest)}")


def judge(text: str, start: int, end: int, cut_out: str) -> tuple[bool, str]:
    """Return whether the run text[start:end] is a quantity, and why (not)."""
    run = text[start:end]
    percent = run == "百" and text[end : end + 1] == "分"
    if run[0] in _MULTIPLIERS and not percent and text[max(0, start - 2) : start].rstrip(" ").endswith(cut_out):
        return True, "multiplies the number before it; use a display rule"
    after = _ABOUT.match(text, end)
    measure = measure_at(text, after.end() if after else end)
    if text[max(0, start - 2) : start].rstrip(" ").endswith("第"):
        return _ordinal(text, run, end)
    if text[end : end + 1] == "年" and _YEAR.fullmatch(run):
        return False, "year"
    if run == "一" and text[max(0, start - 1) : start] in _BEFORE_ONE:
        return False, "part of a word"
    if _TENTHS.match(text, end):
        return True, TENTHS
    if measure == "倍":
        return True, "Chinese multiple"
    if run == "一":
        return False, "一 with a measure word"
    if run in _ALONE:
        return True, "Chinese quantity"
    if run in "零〇兆":
        return run != "兆" and measure == "个", "Chinese quantity" if measure == "个" else "part of a word"
    if text[max(0, start - 1) : start] and text[start - 1] in _IN_WORDS.get(run, ""):
        return False, "part of a word"
    if run in _SAID and _SAYS.search(text[max(0, start - 2) : start]) and _ENDS.match(text, end):
        return True, "Chinese number"
    if len(run) > 1 and (value_of(run) is not None or text[end : end + 1] == "半"):
        return True, "Chinese number"
    return bool(measure), "Chinese quantity" if measure else "numeral without a measure word"


def _ordinal(text: str, run: str, end: int) -> tuple[bool, str]:
    value = value_of(run)
    place = text[end : end + 2].strip()[:1]
    limit = LAST_PLACE if place in _PLACES else LAST_ORDINAL
    if value is not None and value <= limit:
        return False, "ordinal"
    return True, f"Chinese ordinal above {limit}"
