"""The closed world of numbers: which numerals of a plain text count something. Decidable, linear in the text.

Counted: every digit string of every script (also full-width, raised, lowered), with its sign, separators, exponent, %
and 万 亿; every other numeral that Unicode knows (½, ⑪, Ⅻ); Chinese quantities: numeral + measure word (两种, 三层),
every 两 俩 仨 廿 卅, every number of more than one numeral (十一, 一百二十八), the end of a sentence (头数是八), N 倍,
N 成, N 分之 M, 三点五, 一半 and its like (翻番, 翻两番, 加倍, 减半), 万 亿 behind a ledger number.

Exempt, by context:
    identifiers   digits glued to a Latin or Greek letter, at most three (C8, BF16, x_0, W₁), or behind a hyphen of a
                  name with a capital, digit or _ (GPT-2, T5-base); with decimals or more digits only in listed names
                  (Qwen3.8-27B; `OLMo 2` as it stands); files with their line; versions 1.2.3, v1.2
    dates         2026-09-26, 2017 年, 9 月 26 日, 2020–2023; years of citations: Ba 等 2016, Xiong 2020, GPT-2（2019）
    places        第 2 课 章 节 表 图 问 篇, 第 3 步 (one digit), 表 3, 图 2, Table 3, § 3.6; 第一 … 第十;
                  ①-⑩ but before a measure word or a unit in a sentence (每层③个头) and behind a sign (×③)
    notation      x², x³, x⁻¹ behind a letter or bracket; addresses, arXiv and DOI numbers
    一            alone before a measure word (一个, 一行), not before 倍 成 半
    no number     成倍, 数倍, 几个, 多头: nobody could check them; English number words (two layers), which are names
                  and titles in a Chinese course, and Roman numerals in Latin letters (IV), which are letters
    words         a reviewed list (二维码, 四舍五入, 两者) and the course's own

Pieces cut out of the text beforehand (ledger numbers, code, formulas) are U+FFFC. Call it on the text of a whole
block, so that a number and its context stand together.
"""

from __future__ import annotations

from course_build.numerals.formula import holds_prose, in_formula, only_number
from course_build.numerals.listing import course_words
from course_build.numerals.scanner import CUT_OUT, Numeral, normal, scan
from course_build.numerals.words import WORDS, Words

__all__ = [
    "CUT_OUT",
    "Numeral",
    "Words",
    "course_words",
    "find",
    "holds_prose",
    "in_formula",
    "only_number",
    "print_key",
    "scan",
]


def find(text: str, words: Words = WORDS) -> list[Numeral]:
    """Return the numerals of `text` that count something, in order."""
    return [numeral for numeral in scan(text, words) if not numeral.exempt]


def print_key(text: str) -> str:
    """Return what all spellings of a printed number have in common: 660,480 and ６６０４８０ give 660480."""
    return normal(text).replace(",", "").replace(" ", "")
