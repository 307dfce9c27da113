"""The claim language: what it says, what it refuses, and that it agrees with Python where both speak."""

import math
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from course_build.expr import Expr, ExprError, parse, plain
from course_build.expr.parser import FUNCTIONS

VALUES: dict[str, object] = {
    "norm.a": 20.4,
    "norm.b": 3.5,
    "norm.n": 32,
    "norm.x": [1, 2, 3, 6],
    "norm.y": [-1.069, -0.535, 0.0, 1.604],
    "norm.neg": -1.069,
    "norm.zero": 0,
    "norm.yes": True,
    "anchor.name": "Qwen3.8-27B",
    "run.32.loss": 4.6,
}


def shown(name: str) -> str:
    """Return one of VALUES as a reader sees it."""
    found = VALUES[name]
    return plain(tuple(found) if isinstance(found, list) else found)  # type: ignore[arg-type]


def value(text: str) -> object:
    """Return the value of `text` over VALUES."""
    return parse(text).evaluate(VALUES.__getitem__)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("norm.a > norm.b", True),
        ("norm.a > norm.b > norm.zero", True),
        ("norm.a < norm.b < 1 / norm.zero", False),
        ("norm.zero != 0 and 1 / norm.zero > 1", False),
        ("norm.zero == 0 or 1 / norm.zero > 1", True),
        ("not norm.a < norm.b", True),
        ("norm.yes and not norm.yes", False),
        ("-norm.b ** 2", -12.25),
        ("2 ** -1", 0.5),
        ("2 ** 3 ** 2", 512),
        ("1 - 2 - 3", -4),
        ("8 / 2 / 2", 2.0),
        ("norm.n * 2 + 1", 65),
        ("+norm.n", 32),
        ("norm.x * 2 + norm.x", (3, 6, 9, 18)),
        ("norm.x ** 2", (1, 4, 9, 36)),
        ("-norm.x", (-1, -2, -3, -6)),
        ("sum(norm.x)", 12),
        ("mean((norm.x - mean(norm.x)) ** 2)", 3.5),
        ("sqrt(mean(norm.x ** 2)) > 3.535", True),
        ("len(norm.x)", 4),
        ("min(norm.x) + max(norm.x)", 7),
        ("max(norm.a, norm.b, 30)", 30),
        ("first(norm.x) + last(norm.x)", 7),
        ("norm.x[0] + norm.x[-1]", 7),
        ("norm.x[norm.n - 31]", 2),
        ("norm.x[1:3]", (2, 3)),
        ("norm.x[-2:]", (3, 6)),
        ("norm.x[:2][1]", 2),
        ("norm.x[9:]", ()),
        ("rising(norm.x) and not falling(norm.x)", True),
        ("falling(-norm.x)", True),
        ("rising(norm.x * 0)", False),
        ("all(norm.x > 0)", True),
        ("all(0 < norm.x < 6)", False),
        ("any(norm.x == norm.y)", False),
        ("all(norm.x > norm.y)", True),
        ("abs(norm.neg)", 1.069),
        ("abs(norm.y)", (1.069, 0.535, 0.0, 1.604)),
        ("round(0.125, 2)", 0.13),
        ("round(-2.5)", -3),
        ("round(2.5)", 3),
        ("round(1234, -2)", 1200),
        ("log(1)", 0.0),
        ('anchor.name == "Qwen3.8-27B"', True),
        ("anchor.name != 'Qwen3.8-27B'", False),
        ("run.32.loss < 5", True),
        (" norm.a\n > norm.b\t", True),
    ],
)
def test_values(text: str, expected: object) -> None:
    """Each construct of the language has the value that its description gives it."""
    assert value(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("", 0, "empty"),
        ("a" * 501, 0, "501 characters, at most 500"),
        ("norm.a ≤ 3", 8, "write <="),
        ("norm.a = 3", 8, "write =="),
        ("norm.a ^ 3", 8, "write **"),
        ("norm.a × 3", 8, "write *"),
        ("norm.a − 3", 8, "write -"),
        ("norm.a @ 3", 8, "not part of the language"),
        ("norm.a % 3", 8, "fraction"),
        ("norm.a > 0x10", 10, "neither a number nor an id"),
        ("norm.a > 1_000", 10, "neither a number nor an id"),
        ("2norm.a > 1", 1, "neither a number nor an id"),
        ("norm.a > 1e400", 10, "is a fact"),
        ("norm.a > 9999999999999999", 10, "is a fact"),
        ("norm.a // 3 > 1", 9, "found `/`"),
        ("norm.a <> 3", 9, "found `>`"),
        ("norm.a > ", 9, "found the end"),
        ("(norm.a > 1", 12, "expected `)`"),
        ("norm.a > 1)", 11, "found `)`"),
        ("norm.a norm.b", 8, "found `norm.b`"),
        ("norm.x[]", 8, "found `]`"),
        ("norm.x[0:1:2]", 11, "expected `]`"),
        ("len()", 1, "takes 1 argument(s), got 0"),
        ("round(1, 2, 3)", 1, "1 to 2 argument(s), got 3"),
        ("open('x')", 1, "open() is not one of the functions"),
        ("norm.a.bit_length()", 1, "not one of the functions"),
        ("(norm.a)(1)", 9, "found `(`"),
        ("(norm.a).real > 1", 9, "not part of the language"),
        ("lambda: 1", 7, "found `:`"),
        ("[norm.a][0]", 1, "expected an id"),
        ("{norm.a} > 1", 1, "the id alone"),
        ('anchor.name == "a\\"b"', 16, "not closed"),
        ('anchor.name == "abc', 16, "not closed"),
        ("(" * 21 + "1" + ")" * 21, 22, "deeper than 20"),
        ("-" * 21 + "1", 22, "deeper than 20"),
        ("not " * 21 + "norm.yes", 85, "deeper than 20"),
        ("norm.x" + "[0]" * 21, 67, "deeper than 20"),
        ("2" + " ** 2" * 21, 106, "deeper than 20"),
    ],
)
def test_parse_errors_name_the_column_and_what_would_be_right(text: str, column: int, says: str) -> None:
    """What cannot be read is refused at its column."""
    with pytest.raises(ExprError) as caught:
        parse(text)
    assert caught.value.column == column
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("norm.nope > 1", 1, "unknown id norm.nope"),
        ("1 + 1 / norm.zero > 1", 5, "1 / 0 divides by zero (with norm.zero = 0)"),
        ("norm.zero ** -1 > 1", 1, "divides by zero"),
        ("3 ** 9999", 1, "too large"),
        ("2 ** norm.a ** 9", 1, "too large"),
        ("(2 ** 999) ** 999 > 1", 1, "too large"),
        ("norm.neg ** 0.5 > 1", 1, "not a real number"),
        ("sqrt(norm.neg) > 1", 1, "negative number -1.069"),
        ("log(norm.zero) > 1", 1, "positive number"),
        ("(1e15 ** 20) * 1e15 > 1", 1, "too large"),
        ("norm.x > 0 and norm.yes", 1, "all(...) or any(...)"),
        ("norm.a and norm.b", 1, "a comparison is needed here, this is a number"),
        ("not norm.a", 1, "a comparison is needed"),
        ("norm.yes + 1", 1, "a number is needed here, this is a truth value"),
        ("norm.yes > norm.zero", 1, "compared with a number"),
        ("anchor.name > 'a'", 1, "no order"),
        ("anchor.name == norm.a", 1, "compared with a number"),
        ("anchor.name + 1", 1, "this is the text"),
        ("norm.x[4] > 1", 1, "index 4 of a vector with 4 elements"),
        ("norm.x[norm.b] > 1", 1, "whole number is needed here, this is 3.5"),
        ("norm.a[0] > 1", 1, "vector is needed"),
        ("norm.x + norm.x[1:] > 1", 1, "vectors of 4 and 3 elements"),
        ("all(norm.x > 1 < norm.x[1:])", 5, "elements"),
        ("mean(norm.x[4:]) > 1", 1, "mean() of an empty vector"),
        ("all(norm.x[4:] > 1)", 1, "at least one element"),
        ("rising(norm.x[3:])", 1, "at least two elements"),
        ("sum(norm.a) > 1", 1, "vector is needed"),
        ("max(norm.x, 1) > 1", 1, "number is needed"),
        ("round(norm.a, 99) > 1", 1, "99 places"),
    ],
)
def test_undefined_values_are_errors_that_name_the_values(text: str, column: int, says: str) -> None:
    """What has no finite real value, or mixes kinds, is refused with the values at hand."""
    with pytest.raises(ExprError) as caught:
        value(text)
    assert caught.value.column == column
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "bad", [math.nan, math.inf, None, {"a": 1}, [[1]], ["a"], [math.nan], b"1", 2 << 9000, [True]]
)
def test_a_value_that_no_expression_can_use_is_named(bad: object) -> None:
    """NaN, infinity and foreign types never enter an expression."""
    with pytest.raises(ExprError, match=r"norm\.bad: "):
        parse("norm.bad == 1").evaluate({"norm.bad": bad}.__getitem__)


def test_an_error_in_a_huge_number_can_be_printed() -> None:
    """Python refuses to print integers of more than 4,300 digits; the error text must not trip over that."""
    with pytest.raises(ExprError, match="too large"):
        parse("a ** 64 > 1").evaluate({"a": 10**2000}.__getitem__)
    with pytest.raises(ExprError, match="a number of 6644 bits"):
        parse("a / 0 > 1").evaluate({"a": 10**2000}.__getitem__)


def test_names_and_constants() -> None:
    """Ids come in the order of first use; constants are kept with their place."""
    expr = parse("b.c > 2 * a and b.c < 1e-3")
    assert expr.names == ("b.c", "a")
    assert [(part.value, part.start) for part in expr.constants] == [(2, 6), (1e-3, 22)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("norm.a >= norm.b", "20.4 ≥ 3.5"),
        ("norm.a != norm.b or norm.yes", "20.4 ≠ 3.5 或 是"),
        ("not (norm.a > norm.b) and norm.yes", "非 (20.4 > 3.5) 且 是"),
        ("norm.a - norm.neg < 2", "20.4 − (−1.069) < 2"),
        ("norm.neg - norm.a < 2", "−1.069 − 20.4 < 2"),
        ("norm.neg ** 2 > 1", "(−1.069)² > 1"),
        ("-norm.a ** 2 > 1", "−20.4² > 1"),
        ("2 ** -norm.b > 1", "2^(−3.5) > 1"),
        ("2 ** -3 > 1", "2⁻³ > 1"),
        ("(norm.a + 1) * 2 / 3 > 1", "(20.4 + 1) × 2 ÷ 3 > 1"),
        ("norm.a - (norm.b - 1) > 1", "20.4 − (3.5 − 1) > 1"),
        ("abs(norm.a - norm.b) < 1e-3", "|20.4 − 3.5| < 0.001"),
        ("sqrt(norm.n + 1) > 2", "√(32 + 1) > 2"),
        ("sqrt(norm.n) > 2", "√32 > 2"),
        ("sum(norm.x) == 12", "1 + 2 + 3 + 6 = 12"),
        ("mean(norm.x ** 2) == 12.5", "(1² + 2² + 3² + 6²) ÷ 4 = 12.5"),
        ("norm.x[-1] > norm.x[0]", "6 > 1"),
        ("all(norm.x[1:3] > 0)", "每一项都满足([2, 3] > 0)"),
        ("max(norm.a, norm.b) > 1", "最大(20.4, 3.5) > 1"),
        ("anchor.name == 'x'", "Qwen3.8-27B = 「x」"),
        ("norm.x[norm.zero] > 0", "[1, 2, 3, 6][0] > 0"),
        ("norm.x[:2] > 0", "[1, 2] > 0"),
        ("mean((norm.x - mean(norm.x)) ** 2) > 0", "((1 − 平均([1, 2, 3, 6]))² + (2 − 平均([1, 2, 3, 6]))² + "
         "(3 − 平均([1, 2, 3, 6]))² + (6 − 平均([1, 2, 3, 6]))²) ÷ 4 > 0"),
        ("sum(norm.y) < 1", "−1.069 + (−0.535) + 0 + 1.604 < 1"),
    ],
)
def test_filled(text: str, expected: str) -> None:
    """A reader sees numbers, signs and brackets of mathematics, none of the ids."""
    assert parse(text).filled(shown) == expected


def test_filled_shows_in_the_manner_of_each_id() -> None:
    """`show` decides how a value looks, also for one element; its own `×` is bracketed in a product."""
    texts = {"norm.x": "[1.00, 2.00, 6 × 10⁻⁹]", "norm.a": "61.6%"}
    shown = parse("norm.x[2] / norm.a ** 2 > norm.x[1]").filled(texts.__getitem__)
    assert shown == "6 × 10⁻⁹ ÷ (61.6%)² > 2.00"
    assert parse("norm.a / norm.x[2] > 1").filled(texts.__getitem__) == "61.6% ÷ (6 × 10⁻⁹) > 1"


def test_a_long_vector_is_not_written_out() -> None:
    """Nine elements and more stay a vector, cut in the middle."""
    assert parse("mean(v) > 1").filled(lambda _: plain(tuple(range(9)))) == "平均([0, 1, 2, …, 7, 8]) > 1"
    nine = "[0, 1, 2, 3, 4, 5, 6, 7, 8]"
    assert parse("mean(v) > 1").filled(lambda _: nine) == f"平均({nine}) > 1"


@pytest.mark.parametrize(
    ("number", "shown"), [(1e-6, "1 × 10⁻⁶"), (-2.5, "−2.5"), (4.0, "4"), (2.5e20, "2.5 × 10²⁰")]
)
def test_plain(number: float, shown: str) -> None:
    """Without a display rule a number has its shortest digits and true signs."""
    assert plain(number) == shown


def test_exact_counting() -> None:
    """In exact mode a division loses nothing and roots of squares are whole."""
    big = {"n": 10**40 + 1}
    assert parse("n / 3 * 3 == n").evaluate(big.__getitem__, exact=True) is True
    assert parse("n / 3 * 3 == n").evaluate(big.__getitem__) is False
    assert parse("sqrt(n * n) == n").evaluate(big.__getitem__, exact=True) is True
    assert parse("n / 3").evaluate(big.__getitem__, exact=True) == Fraction(10**40 + 1, 3)


TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            ["norm.a", "norm.x", "norm.yes", "anchor.name", "nope", "2", "0", "1e9", ".5", "'t'", "(", ")",
             "[", "]", ":", ",", "+", "-", "*", "/", "**", "<", "<=", "==", "!=", "and", "or", "not",
             *(f"{f}(" for f in FUNCTIONS)]
        ),
        max_size=25,
    ).map(" ".join),
)  # fmt: skip


@given(TEXTS)
@example("9" * 500)
@example("1e" + "9" * 400)
@example("a" + ".a" * 249)
@example("((((((((((((((((((((a[0][0][0] ** 2")
@settings(max_examples=600, deadline=None)
def test_nothing_but_its_own_error(text: str) -> None:
    """Whatever is written: a tree or an ExprError, then a value or an ExprError; a tree has a text."""
    try:
        expr = parse(text)
    except ExprError:
        return
    with suppress(ExprError):
        expr.evaluate(VALUES.__getitem__)
    with suppress(ExprError):
        expr.evaluate(VALUES.__getitem__, exact=True)
    assert expr.filled(lambda name: name)


PYTHON = st.recursive(
    st.sampled_from(["a", "b", "n", "v[0]", "v[-1]", "sum(v)", "len(v)", "2", "0.5", "7"]),
    lambda part: st.one_of(
        st.tuples(part, st.sampled_from(["+", "-", "*", "/"]), part).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(part, st.sampled_from(["+", "-", "*", "/"]), part).map(" ".join),
        st.tuples(part, part).map(lambda t: f"max({t[0]}, {t[1]})"),
        part.map(lambda t: f"abs({t})"),
        part.map(lambda t: f"-{t}"),
        st.tuples(part, st.sampled_from(["** 2", "** 3"])).map(lambda t: f"({t[0]}) {t[1]}"),
    ),
    max_leaves=8,
)
NUMBERS = st.integers(-1000, 1000) | st.floats(-1e6, 1e6)


@given(
    PYTHON, PYTHON, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), NUMBERS, NUMBERS, st.integers(-9, 9)
)
@settings(max_examples=400, deadline=None)
def test_agrees_with_python(left: str, right: str, op: str, a: float, b: float, n: int) -> None:
    """On the common subset the language and Python give the same value, or neither gives one."""
    values = {"a": a, "b": b, "n": n, "v": [n, n + 1, 3]}
    text = f"{left} {op} {right}"
    if len(text) > 500:
        return
    for part in (left, right, text):
        try:
            expected = eval(
                part, {"__builtins__": {"abs": abs, "max": max, "sum": sum, "len": len}}, dict(values)
            )
        except (ZeroDivisionError, OverflowError):
            with pytest.raises(ExprError):
                parse(part).evaluate(values.__getitem__)
            return
        assert parse(part).evaluate(values.__getitem__) == expected


@given(PYTHON, NUMBERS, NUMBERS, st.integers(-9, 9))
@settings(max_examples=200, deadline=None)
def test_filled_text_means_the_same(text: str, a: float, b: float, n: int) -> None:
    """Reading the filled text as mathematics gives the value back: no bracket is missing."""
    values = {"a": a, "b": b, "n": n, "v": [n, n + 1, 3]}
    try:
        expr = parse(text)
        result = expr.evaluate(values.__getitem__)
    except ExprError:
        return
    shown = expr.filled(lambda name: repr(values[name]).replace("-", "−"))
    back = shown.replace("−", "-").replace("×", "*").replace("÷", "/").replace("²", "**2").replace("³", "**3")
    back = back.replace("最大", "max").replace("个数", "len").replace("|", "'")
    if "'" not in back:
        assert eval(back, {"__builtins__": {"max": max, "len": len}}) == pytest.approx(result)


def test_a_part_is_an_expression_of_its_own() -> None:
    """A part of a claim can be quoted and evaluated."""
    expr = parse("norm.a > 1 and norm.b > 2")
    part: Expr = expr.part(expr.node.rest[0][1])  # type: ignore[union-attr]
    assert part.text == "norm.b > 2"
    assert part.evaluate(VALUES.__getitem__) is True
