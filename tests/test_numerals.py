"""The closed world of numbers: what counts, what is exempt and why, hiding places."""

from __future__ import annotations

import pytest

from course_build.numerals import Words, course_words, find, in_formula, only_number, scan, words
from course_build.numerals.chinese import value_of
from tests.numeral_examples import COUNTED, EXEMPT


@pytest.mark.parametrize(("text", "expected"), COUNTED)
def test_counted(text: str, expected: list[str]) -> None:
    """Each of these is a numeral that a reader reads as a number, whole and with its place."""
    found = find(text)
    assert [numeral.text for numeral in found] == expected
    assert [text[numeral.start : numeral.end] for numeral in found] == expected


@pytest.mark.parametrize("text", EXEMPT)
def test_exempt(text: str) -> None:
    """None of these counts anything."""
    assert find(text) == []


def test_the_tables_are_as_large_as_promised() -> None:
    """About 120 examples of each kind keep the rule honest."""
    assert len(COUNTED) >= 120
    assert len(EXEMPT) >= 120


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("660,480", 660480),
        ("0.0024%", 0.000024),
        ("7‰", 0.007),
        ("6 × 10⁻⁹", 6e-9),
        ("2¹⁰", 1024),
        ("10^{-6}", 1e-6),
        ("1e-6", 1e-6),
        ("−1.069", -1.069),
        ("1/8", 0.125),
        ("1/0", None),
        ("1e400", None),
        ("1e999999999", None),
        ("9" * 400, None),
        ("１２．５", 12.5),
        ("278 亿", 27.8e9),
        ("½", 0.5),
        ("十一倍", 11),
        ("两种", 2),
        ("三成", 0.3),
        ("百分之一", 0.01),
        ("三分之二", 2 / 3),
        ("三点一四", 3.14),
        ("一半", 0.5),
        ("三四个", None),
        ("十万个", 100000),
    ],
)
def test_values(text: str, value: float | None) -> None:
    """The value lets the caller name ledger ids that are equal."""
    (numeral,) = find(text)
    assert numeral.value == value


@pytest.mark.parametrize(
    ("run", "value"),
    [
        ("零", 0), ("十", 10), ("十一", 11), ("二十", 20), ("一百零五", 105), ("两百", 200), ("三万五千", 35000),
        ("一亿二千万", 120_000_000), ("两千七百七十八亿", 277_800_000_000), ("一万亿", 10**12), ("二〇二六", 2026),
        ("三四", None), ("万万", None), ("千百", None), ("一" * 100, None), ("〇" * 5000, None),
    ],
)  # fmt: skip
def test_chinese_numbers(run: str, value: int | None) -> None:
    """Units multiply what stands before them; what is no number has no value."""
    assert value_of(run) == value


def test_exempt_numerals_have_a_reason() -> None:
    """`scan` tells why something counts nothing."""
    reasons = {
        n.text: n.exempt for n in scan("C8 第 2 课，Ba 等 2016，Qwen3.8，①，第一，x²，一个，2026-09-26，a/b.py:3")
    }
    assert reasons == {
        "8": "identifier",
        "2": "place",
        "2016": "year of a citation",
        "3.8": "listed name",
        "①": "mark of a section",
        "一": "一 with a measure word",
        "²": "notation",
        "2026-09-26": "date",
        "3": "file",
    }


@pytest.mark.parametrize("word", sorted(words.FIXED))
def test_every_fixed_word_is_needed(word: str) -> None:
    """A word stands in the list because the rule would count it without, alone or where it usually stands."""
    assert not find(word)
    bare = {piece for ending in ("", "个", "对", "一组") for piece in _counted_without_list(word + ending)}
    assert bare


def _counted_without_list(text: str) -> list[str]:
    """Count with the fixed words broken up by nothing but their absence: each is spelled apart from its list."""
    from course_build.numerals import scanner

    class Bare(Words):
        def pattern(self, numerals: str) -> str:
            return "(?!)"

    return [n.text for n in scanner.scan(text, Bare()) if not n.exempt]


def test_a_course_adds_names_and_words_with_reasons() -> None:
    """Names may carry a version, glued or behind a hyphen; words are exempt as they stand and nowhere else."""
    own = course_words(
        {"names": {"Mamba": "模型名"}, "words": {"Llama 3": "模型名", "一千零一夜": "书名", "1-bit": "量化方法"}}
    )
    assert not find("Mamba2.5 与 Mamba-2.8b，Llama 3 的，《一千零一夜》，1-bit", own)
    assert [n.text for n in find("Mamba 7，Llama 31，Llama 3.5，1-bits，一千零一个", own)] == [
        "7",
        "31",
        "3.5",
        "1",
        "一千零一",
    ]
    assert not find("Qwen3.8", own)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"name": {}}, "unknown section 'name'"),
        ({"names": ["GPT"]}, "mapping from each entry to the reason"),
        ({"names": {"GPT": ""}}, "has no reason"),
        ({"names": {"GPT": None}}, "has no reason"),
        ({"names": {"GPT-4": "模型"}}, "without its version"),
        ({"names": {"x": "太短"}}, "2 to 24 characters"),
        ({"words": {"5120": "宽度"}}, "only a number"),
        ({"words": {"1e-6": "eps"}}, "only a number"),
        ({"words": {"三十二": "层数"}}, "only a number"),
        ({"words": {"两种": "太宽"}}, "only a number"),
        ({"words": {"长" * 25: "太长"}}, "2 to 24 characters"),
    ],
)
def test_an_entry_that_would_open_a_hole_is_refused(data: dict[str, object], says: str) -> None:
    """A number, or a quantity, never becomes a word."""
    with pytest.raises(ValueError, match=says):
        course_words(data)


ONLY = [
    "5120", "5,120", "5_120", "5{,}120", "10^{-9}", r"\frac{1}{8}", r"\tfrac12", r"\approx 3.5",
    r"6 \times 10^{-9}", "1e-6",
    "−1.069", "[1, 2, 3, 6]", "64 * 2 * 5120 + 5120", "27B", "3.4d", "5 ms", "d = 5120", "eps=1e-6",
    r"\sigma = 1.871", "$0$",
    "0", "0x1400", "两倍", "十一", "百分之一", r"\text{5120}", r"\mathrm{5120}", r"{\rm 5120}",
    r"\sqrt{129} = 11.36", "１２",
    "x_0 = 3", r"90^\circ", "3×3", "1/8", "7%–64%", r"7\%", "(64 × 2 + 1)", "½", " 42 ", r"\left[1,\,2\right]",
    "N: 128",
    r"\frac{\frac{1}{2}}{3}", "x_{1} = 5",
]  # fmt: skip
MORE = [
    "dim=-1", "axis=0", "keepdim=True", "x[0]", "norm.l", "1.2.3", "2026-09-26", "①", "x", "float32",
    "torch.tensor([1,2])",
    "--steps 5000", "1+w", r"\sqrt{d}", r"\val{norm.x}", r"\val{norm.x} = 5", "T5", "C8", "", "  ", "x^2",
    r"\frac{1}{d}",
    "第 2 课", "()", "W_1", "Qwen3.8-27B", "range(2)", r"\mathrm{LN}(x)", "x = y", "python3", "-m", "...",
]  # fmt: skip


@pytest.mark.parametrize("text", ONLY)
def test_a_code_span_or_formula_that_is_only_a_number(text: str) -> None:
    """A number, arithmetic on numbers, or a name that is said to be a number: no hiding place."""
    assert only_number(text)


@pytest.mark.parametrize("text", MORE)
def test_code_and_formulas_that_say_more(text: str) -> None:
    """Code, symbols and ledger values are what code spans and formulas are for."""
    assert not only_number(text)


@pytest.mark.parametrize(
    ("latex", "operands"),
    [
        (r"x_L = x_0 + \sum_{l=1}^{N} F_l, \qquad N = \val{anchor.sublayers}", []),
        (r"y = \term{x3}{x} / \sqrt{\tfrac{1}{d}\sum_i x_i^2 + 10^{-6}}", ["10", "6"]),
        (r"x = [1, 2, 3, 6]", ["3", "6"]),
        (r"\sqrt{(\val{a} + 4) / 4} = 3.536", ["4", "4", "3.536"]),
        (r"\sum_{i=1}^{128} x_{17}^{2}", ["128"]),
        (r"5{,}120\,d \\[3pt] 8d/3", ["5{,}120", "8", "3"]),
        (r"\hspace{12pt} \begin{array}{c3} x^{-1} \end{array}", []),
        ("５１２０ d", ["５１２０"]),
        (r"= 65536 = 2 \cdot 999 \cdot \term{kv}{n_{kv}}", ["65536", "999"]),
        (r"\term{w}{37} \cdot 2^{16} \cdot 77", ["37", "16", "77"]),
        (r"½ x + Ⅻ", ["½", "Ⅻ"]),
        (r"\text{每层十六个头} + \text{第 2 课的 } w", ["十六"]),
    ],
)
def test_typed_operands_of_a_formula(latex: str, operands: list[str]) -> None:
    """Indices, small exponents, 0, 1, 2 and ledger values belong to the formula; other numbers are typed."""
    found = in_formula(latex)
    assert [numeral.text for numeral in found] == operands
    assert [latex[numeral.start : numeral.end] for numeral in found] == operands
