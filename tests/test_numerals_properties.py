"""The closed-world rule on any text: nothing is overlooked, nothing overlaps, the time is linear."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from course_build.numerals import find, in_formula, only_number, print_key, scan
from tests.growth import is_linear

PROSE = "残差流越写越大，怎样让每个子层读到的输入都落在同一个尺度上？答案是只看自己那一行：算出尺度，再除掉。"
NUMERALS = st.one_of(
    st.integers(3, 10**9).map(str),
    st.integers(1000, 10**9).map("{:,}".format),
    st.floats(0.01, 100).map("{:.3f}".format),
    st.floats(0.01, 100).map("{:.1f}%".format),
    st.integers(1, 30).map("1e-{}".format),
    st.sampled_from(
        ["6 × 10⁻⁹", "−1.069", "１２", "1/8", "百分之一", "一百二十八", "三分之二", "一半", "十一倍", "两种"]
    ),
)


@given(NUMERALS, st.integers(0, len(PROSE)))
@example("一半", 39)  # behind 一: 一一 is a word, 一半 is none
@settings(max_examples=400, deadline=None)
def test_a_numeral_anywhere_in_chinese_prose_is_found(numeral: str, at: int) -> None:
    """Inserted between any two characters, the numeral is found; one of digits is found whole."""
    text = PROSE[:at] + numeral + PROSE[at:]
    found = find(text)
    assert any(n.start < at + len(numeral) and n.end > at for n in found)
    if not numeral[0].isalpha():  # 一 before or behind may join a Chinese numeral
        assert any(n.start <= at and n.end >= at + len(numeral) for n in found)
    assert find(PROSE) == []


@given(
    st.text(
        alphabet=st.sampled_from("一二两十百万第课年半分之点成倍个 0123456789.,:/-–%eE×^⁻⁹₁½①（）()aAxQwenσ￼，。"),
        max_size=40,
    )
)
@settings(max_examples=600, deadline=None)
def test_any_text_is_scanned_in_order_without_overlap(text: str) -> None:
    """Numerals lie inside the text, in order, apart from each other, and quote it."""
    at = 0
    for numeral in scan(text):
        assert at <= numeral.start < numeral.end <= len(text)
        assert text[numeral.start : numeral.end] == numeral.text
        at = numeral.end
    only_number(text)
    in_formula(text)


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_decimal_digit_is_overlooked(text: str) -> None:
    """Every decimal digit of any script lies in some numeral, counted or exempt with a reason."""
    covered = {at for n in scan(text) for at in range(n.start, n.end)}
    assert all(at in covered for at, char in enumerate(text) if char.isdecimal())


@pytest.mark.parametrize(
    "unit",
    [
        "1,",
        "1/",
        "a1.",
        "1e",
        "Aa-1",
        "Qwen3.8-",
        "一",
        "一一点",
        "分之",
        "2016 ",
        "1×10",
        "第1",
        r"\frac{1}{",
        r"\val[",
        "^ ",
    ],
)
def test_time_is_linear(unit: str) -> None:
    """Eight times the text takes about eight times as long, whatever it repeats."""

    def work(count: int) -> None:
        text = "。" + unit * count
        find(text)
        only_number(text)
        in_formula(text)

    assert is_linear(work, 4_000)


def test_print_keys() -> None:
    """All spellings of a printed number have one key."""
    assert {print_key(text) for text in ("660480", "660,480", "６６０４８０", "660 480")} == {"660480"}
    assert print_key("−1.069") == print_key("-1.069")
    assert print_key("61.6 %") == print_key("61.6%")


def test_every_numeral_that_unicode_knows_is_counted() -> None:
    """No character of the categories Nd, Nl and No passes before a measure word."""
    numerals = [c for c in map(chr, range(0x110000)) if unicodedata.category(c) in ("Nd", "Nl", "No")]
    assert [c for c in numerals if not find(f"共{c}个")] == []
