"""Derivations: what they say, how they are filled, and that a wrong one is caught at the last digit."""

import math
import re
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_build.facts import how
from course_build.facts.how import ExprError
from course_build.value import format_number, format_vector

VALUES: dict[str, object] = {
    "L": 64,
    "d": 5120,
    "x": [1, 2, 3, 6],
    "y": [-1.069, 0.5],
    "m": 3,
    "n": 4,
    "neg": -1.5,
    "lr": 3e-3,
    "wd": 0.1,
    "t": 5000,
    "tiny": 6e-9,
    "name": "Qwen",
    "σ": 2,
}


def show(value: object) -> str:
    """Show a value by its default display rule."""
    if isinstance(value, list):
        return format_vector(value)
    assert isinstance(value, int | float | str)
    return format_number(value)


@pytest.mark.parametrize(
    ("template", "filled", "value"),
    [
        ("({L} × 2 + 1) × {d}", "(64 × 2 + 1) × 5,120", 660480),
        ("{d} ÷ 4", "5,120 / 4", 1280),
        ("{d} / 3 · 3", "5,120 / 3 × 3", 5120),
        ("√(1 + {L} * 2)", "√(1 + 64 × 2)", math.sqrt(129)),
        ("√{d}", "√5,120", math.sqrt(5120)),
        ("√√{σ}", "√(√2)", 2**0.25),
        ("Σ{x}", "1 + 2 + 3 + 6", 12),
        ("∑{x}²", "1² + 2² + 3² + 6²", 50),
        ("√(mean({x}²))", "√((1² + 2² + 3² + 6²) / 4)", math.sqrt(12.5)),
        ("Σ({x} − {m})² / {n}", "((1 − 3)² + (2 − 3)² + (3 − 3)² + (6 − 3)²) / 4", 3.5),
        ("Σ|{x} − {m}|", "|1 − 3| + |2 − 3| + |3 − 3| + |6 − 3|", 6),
        ("Σ{y}", "−1.069 + 0.5", -0.569),
        ("{x} − {m}", "[1, 2, 3, 6] − 3", (-2, -1, 0, 3)),
        ("{x}[0] + {x}[-1]", "1 + 6", 7),
        ("(1 − {lr} × {wd})^{t}", "(1 − 0.003 × 0.1)⁵⁰⁰⁰", (1 - 0.003 * 0.1) ** 5000),
        ("2 ** {neg}", "2^(−1.5)", 2**-1.5),
        ("{m}³ − {neg}", "3³ − (−1.5)", 28.5),
        ("{σ}⁻²", "2⁻²", 0.25),
        ("−{neg}", "−(−1.5)", 1.5),
        ("{neg}²", "(−1.5)²", 2.25),
        ("|{neg}|", "|−1.5|", 1.5),
        ("{tiny} × 2", "6 × 10⁻⁹ × 2", 1.2e-8),
        ("1 / {tiny}", "1 / (6 × 10⁻⁹)", 1 / 6e-9),
        ("ln({d}) + max({L}, {m})", "ln(5,120) + 最大(64, 3)", math.log(5120) + 64),
        ("round({d} / 3)", "舍入(5,120 / 3)", 1707),
        ("0.5 × {L}", "0.5 × 64", 32),
    ],
)
def test_filled_and_evaluated(template: str, filled: str, value: float) -> None:
    """A template reads as arithmetic with numbers, and gives what that arithmetic gives."""
    assert how.fill(template, VALUES, show) == filled
    assert how.evaluate(template, VALUES) == pytest.approx(value, rel=1e-14)


def test_texts_fill_as_they_stand() -> None:
    """Values may come already shown; a shown vector is written out like any other."""
    shown = {"x": "[1.0, 2.0]", "n": "2 个", "L": "61.6%"}
    assert how.fill("Σ{x} / {n} + {L}", shown) == "(1.0 + 2.0) / 2 个 + 61.6%"


@pytest.mark.parametrize(
    ("template", "column", "says"),
    [
        ("L × 2", 1, "a parameter is written {L}"),
        ("{L} x 2", 5, "a parameter is written {x}"),
        ("2{L}", 2, "a sign is missing before `{L}`; write ×"),
        ("{L}{d}", 4, "a sign is missing"),
        ("{L}({d})", 4, "a sign is missing"),
        ("({L})√{d}", 6, "a sign is missing"),
        ("√{L}²", 5, "two ways"),
        ("{L}²³", 0, ""),
        ("{L}² ³", 6, "one exponent only"),
        ("{L} = 64", 5, "no part of a formula"),
        ("{L} × 二", 7, "no part of a formula"),
        ("{a b}", 1, "not a parameter's name"),
        ("{}", 1, "not a parameter's name"),
        ("{L", 1, "no part of a formula"),
        ("{L} ×", 6, "found the end"),
        ("({L}", 5, "expected `)`"),
        ("eval({L})", 1, "functions are"),
        ("{Ld}", 0, "{Ld} is not a parameter of the function"),
        ("1" * 501, 0, "at most 500"),
        ("(" * 21 + "1", 22, "deeper than 20"),
        ("{L} / ({n} − 4)", 1, "divides by zero (with L = 64, n = 4)"),
        ("√{neg}", 1, "√ of the negative number -1.5"),
        ("{name} × 2", 1, "this is the text 'Qwen'"),
        ("{x} × {y}", 1, "vectors of 4 and 2 elements"),
        ("{d}^9999", 1, "too large"),
    ],
)
def test_errors_name_the_column_and_what_would_be_right(template: str, column: int, says: str) -> None:
    """What is no arithmetic, or has no value, is refused at its place."""
    if not says:
        how.parse(template)  # ²³ is one exponent, 23
        return
    with pytest.raises(ExprError) as caught:
        how.evaluate(template, VALUES)
    assert says in str(caught.value)
    assert caught.value.column == column


def test_a_right_derivation_passes() -> None:
    """Exact for whole numbers; to 1e-9 and in the shown digits for others; vectors element by element."""
    assert how.check("({L} × 2 + 1) × {d}", VALUES, 660480, ",d") is None
    assert how.check("√(mean({x}²))", VALUES, 3.5355339059327378, ".3f") is None
    assert how.check("{x} × 3", VALUES, [3, 6, 9, 18]) is None
    assert how.check("{d} / 2", VALUES, 2560.0, "") is None


@pytest.mark.parametrize(
    ("template", "result", "spec", "says"),
    [
        ("({L} × 2 + 1) × {d}", 660481, ",d", "gives 660480, the function returned 660481"),
        ("{L} × 2 × {d} + 1", 655360, ",d", "gives 655361"),
        ("√{d}", 71.554177, ".2f", "the function returned 71.554177"),
        ("{x} × 3", [3, 6, 9, 19], None, "gives [3, 6, 9, 18]"),
        ("{x} × 3", [3, 6, 9], None, "gives 4 elements, the function returned 3"),
        ("{x} × 3", 36, None, "Σ adds a vector up"),
        ("{L} × 2", [128], None, "gives a number, the function returned a vector"),
        ("{L}", "64", None, "use by= instead of how="),
        ("{L}", True, None, "use by= instead of how="),
        ("{L}", math.nan, None, "returned nan"),
        ("{L}", 10**400, None, "a number of 1329 bits"),
        ("{L} / {n} − 16", 0.001, None, "gives 0"),
        ("{n} / 27781427952", 0, ".3g", "gives 1.4398"),
    ],
)
def test_a_wrong_derivation_is_named(template: str, result: object, spec: str | None, says: str) -> None:
    """The message holds what the formula gives and what the function returned."""
    message = how.check(template, VALUES, result, spec)
    assert message
    assert says in message


def test_a_difference_below_the_tolerance_that_shows_is_named() -> None:
    """Two results on both sides of a rounding tie agree to 1e-9 and still print differently."""
    tie = {"a": 0.12499999999999}
    assert how.check("{a}", tie, 0.125, ".3f") is None
    assert how.check("{a}", tie, 0.125, ".2f") == (
        "the formula prints 0.12, the function's result prints 0.13; round alike"
    )


def test_what_cancels_to_zero_is_zero() -> None:
    """The mean of a centred vector is rounding noise on one side and exactly zero on the other."""
    values = {"v": [0.1, 0.2, -0.3]}
    noise = how.evaluate("mean({v})", values)
    assert noise == pytest.approx(0, abs=1e-16)
    assert noise != 0
    assert how.check("mean({v})", values, 0.0, ".3f") is None
    assert how.check("{a} + {b} − {c}", {"a": 0.1, "b": 0.2, "c": 0.3}, 0, ".3g") is None
    assert how.check("mean({v})", values, 1e-12, ".3g") is not None


def test_whole_numbers_stay_exact_beyond_floats() -> None:
    """27 billion and its neighbour, and numbers beyond 2**53, are told apart through a division."""
    big = {"n": 10**18 + 1, "three": 3}
    assert how.evaluate("{n} × {three} / {three}", big) == 10**18 + 1
    assert how.check("{n} × {three} / {three}", big, 10**18 + 1) is None
    assert how.check("{n} × {three} / {three}", big, 10**18) is not None


@given(st.text(max_size=40) | st.lists(
    st.sampled_from(["{L}", "{x}", "{nope}", "2", "0.5", "(", ")", "|", "√", "Σ", "²", "⁻³", "^", "×", "/", "−", "+",
                     "mean(", "max(", ",", "[", "]", ":", " "]), max_size=20).map("".join))  # fmt: skip
@settings(max_examples=500, deadline=None)
def test_nothing_but_its_own_error(template: str) -> None:
    """Whatever is written: a text and a value, or an ExprError."""
    with suppress(ExprError):
        how.fill(template, VALUES, show)
    with suppress(ExprError):
        how.evaluate(template, VALUES)
    with suppress(ExprError):
        how.check(template, VALUES, 1.5, ".3g")


TEMPLATES = st.recursive(
    st.sampled_from(["{a}", "{b}", "{c}", "2", "1"]),
    lambda part: st.one_of(
        st.tuples(part, st.sampled_from([" + ", " − ", " × ", " / "]), part).map("".join),
        st.tuples(part, st.sampled_from([" + ", " − ", " × ", " / "]), part).map(lambda t: f"({''.join(t)})"),
        part.map(lambda t: f"({t})²"),
        part.map(lambda t: f"|{t}|" if "|" not in t else t),
    ),
    max_leaves=8,
)


@given(TEMPLATES, st.integers(-99, 99), st.integers(-99, 99), st.integers(-99, 99))
@settings(max_examples=300, deadline=None)
def test_the_filled_text_is_the_arithmetic(template: str, a: int, b: int, c: int) -> None:
    """Reading the filled text with Python's exact fractions gives the value: no bracket is lost."""
    values = {"a": a, "b": b, "c": c}
    with suppress(ExprError):
        value = how.evaluate(template, values)
        text = how.fill(template, values, show)
        python = text.replace("−", "-").replace("×", "*").replace("²", "**2")
        python = re.sub(r"\|([^|]*)\|", r"abs(\1)", python)
        python = re.sub(r"\d+(?!\d)", lambda n: f"F({n[0]})", python).replace("**F(2)", "**2")
        assert value == pytest.approx(float(eval(python, {"F": Fraction, "abs": abs})), rel=1e-12)
        if isinstance(value, int):
            assert how.check(template, values, value + 1) is not None
