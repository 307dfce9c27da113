"""Numerals that are neither digits nor Chinese: ½, ⑪, Ⅻ and their like in every script, ① where it counts.

A circled number names a section (① 本课一问, 第 ⑤ 节) unless it stands where a quantity stands: before a measure
word or a unit inside a sentence (每层③个头), or behind a sign of arithmetic (×③).
"""

from __future__ import annotations

import re

from course_build.numerals.chinese import measure_at

# Every character of the categories No and Nl but raised and lowered digits and 〇; a test compares it with Unicode.
ALL = (
    "\xbc-\xbe\u09f4-\u09f9\u0b72-\u0b77\u0bf0-\u0bf2\u0c78-\u0c7e\u0d58-\u0d5e\u0d70-\u0d78\u0f2a-\u0f33"
    "\u1369-\u137c\u16ee-\u16f0\u17f0-\u17f9\u19da\u2150-\u2182\u2185-\u2189\u2460-\u249b\u24ea-\u24ff"
    "\u2776-\u2793\u2cfd\u3021-\u3029\u3038-\u303a\u3192-\u3195\u3220-\u3229\u3248-\u324f\u3251-\u325f"
    "\u3280-\u3289\u32b1-\u32bf\ua6e6-\ua6ef\ua830-\ua835\U00010107-\U00010133\U00010140-\U00010178"
    "\U0001018a-\U0001018b\U000102e1-\U000102fb\U00010320-\U00010323\U00010341\U0001034a"
    "\U000103d1-\U000103d5\U00010858-\U0001085f\U00010879-\U0001087f\U000108a7-\U000108af"
    "\U000108fb-\U000108ff\U00010916-\U0001091b\U000109bc-\U000109bd\U000109c0-\U000109cf"
    "\U000109d2-\U000109ff\U00010a40-\U00010a48\U00010a7d-\U00010a7e\U00010a9d-\U00010a9f"
    "\U00010aeb-\U00010aef\U00010b58-\U00010b5f\U00010b78-\U00010b7f\U00010ba9-\U00010baf"
    "\U00010cfa-\U00010cff\U00010e60-\U00010e7e\U00010f1d-\U00010f26\U00010f51-\U00010f54"
    "\U00010fc5-\U00010fcb\U00011052-\U00011065\U000111e1-\U000111f4\U0001173a-\U0001173b"
    "\U000118ea-\U000118f2\U00011c5a-\U00011c6c\U00011fc0-\U00011fd4\U00012400-\U0001246e"
    "\U00016b5b-\U00016b61\U00016e80-\U00016e96\U0001d2e0-\U0001d2f3\U0001d360-\U0001d378"
    "\U0001e8c7-\U0001e8cf\U0001ec71-\U0001ecab\U0001ecad-\U0001ecaf\U0001ecb1-\U0001ecb4"
    "\U0001ed01-\U0001ed2d\U0001ed2f-\U0001ed3d\U0001f100-\U0001f10c"
)
_MARKS = range(ord("①"), ord("⑩") + 1)
_BESIDE = re.compile(r"[\w\ufffc]\s?$")  # inside a sentence: a heading begins with its mark
_BEHIND_SIGN = re.compile(r"[=≈≠<>≤≥×÷+]\s?$")
_UNIT = re.compile(r"\s?[%‰倍万亿]")
_PLACE = re.compile(r"\s?[课章节表图问篇步]")


def names_section(text: str, at: int) -> bool:
    """Return whether the numeral sign text[at] is the mark of a section and counts nothing."""
    if ord(text[at]) not in _MARKS:
        return False
    before = text[max(0, at - 2) : at]
    if _BEHIND_SIGN.search(before):
        return False
    if not _BESIDE.search(before) or before.rstrip().endswith("第") or _PLACE.match(text, at + 1):
        return True
    return not (_UNIT.match(text, at + 1) or measure_at(text, at + 1))
