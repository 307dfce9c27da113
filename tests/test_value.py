"""Display rules: what the reader sees of a number."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_build.value import default_spec, format_number, format_vector, parse_spec

finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("value", "spec", "shown"),
    [
        (660480, None, "660,480"),
        (-1.0690449676496976, ".3f", "−1.069"),
        (20.373208337948185, ".3g", "20.4"),
        (0.9696896910076923, ".2f", "0.97"),
        (6e-9, "e", "6 × 10⁻⁹"),
        (1.2345e-7, ".2e", "1.23 × 10⁻⁷"),
        (9.9996e20, ".4g", "1 × 10²¹"),
        (2.5e16, "g", "2.5 × 10¹⁶"),
        (9007199254740993, ".16g", "9007199254740993"),
        (9.999e15, ".3g", "1 × 10¹⁶"),
        (0.0001, "g", "0.0001"),
        (0.000099996, ".4g", "0.0001"),
        (0.00009999, ".4g", "9.999 × 10⁻⁵"),
        (0.616, ".1%", "61.6%"),
        (0.0000237742, ".4%", "0.0024%"),
        (0.616, "%", "61.6%"),
        (27781427952, ".2亿", "277.81亿"),
        (27781427952, "亿", "277.8亿"),
        (660480, "万", "66.05万"),
        (1234567.891, ",.2f", "1,234,567.89"),
        (1234567.0, ",.4g", "1,235,000"),
        (100.0, ".4g", "100"),
        (71.5541752799933, ".4g", "71.55"),
        (3.0, ",d", "3"),
        (5, "+d", "+5"),
        (-5, "+d", "−5"),
        (0, "+d", "0"),
        (-0.0, ".2f", "0.00"),
        (-0.001, ".2f", "0.00"),
        (-0.0, "g", "0"),
        (0.0, "e", "0"),
        (5e-324, ".3g", "4.94 × 10⁻³²⁴"),
        (1.7976931348623157e308, ".3g", "1.8 × 10³⁰⁸"),
        (1e22, ".0f", "10000000000000000000000"),
        (True, None, "是"),
        ("SiLU", None, "SiLU"),
        (10**30, ",d", "1,000,000,000,000,000,000,000,000,000,000"),
    ],
)
def test_shown(value: float, spec: str | None, shown: str) -> None:
    """A value of each kind prints as the table says."""
    assert shown == format_number(value, spec)


@pytest.mark.parametrize(
    ("value", "spec", "shown"),
    [
        (0.125, ".2f", "0.13"),
        (-0.125, ".2f", "−0.13"),
        (0.5, ".0f", "1"),
        (2.5, ".0f", "3"),
        (1.005, ".2f", "1.00"),  # the double lies below the tie
        (2.5, ".1g", "3"),
        (0.00125, ".1%", "0.1%"),  # 0.00125 is stored a little above, 0.125 % -> 0.1
        (0.0625, ".1%", "6.3%"),
        (125000, ".1万", "12.5万"),
        (12500, ".1万", "1.3万"),
        (2.5e-7, ".0e", "2 × 10⁻⁷"),  # the double lies below the tie
    ],
)
def test_ties_look_at_the_exact_value(value: float, spec: str, shown: str) -> None:
    """A true tie goes away from zero; a double that only prints like one does not."""
    assert shown == format_number(value, spec)


@pytest.mark.parametrize(
    "spec", ["", "f", ".f", ".21f", ".0g", ".2d", ",s", "+s", ".2x", "2f", ".2f ", ",+d"]
)
def test_bad_spec_is_explained(spec: str) -> None:
    """A rule that does not parse says which rule it was."""
    with pytest.raises(ValueError, match="display rule"):
        parse_spec(spec)


@pytest.mark.parametrize(
    ("value", "spec"),
    [(math.nan, "g"), (math.inf, "g"), (-math.inf, None), (3.5, "d"), ("text", "d"), (3, "s"), (True, "d")],
)
def test_value_that_does_not_fit(value: float, spec: str | None) -> None:
    """What cannot be shown by a rule is refused, never printed wrongly."""
    with pytest.raises(ValueError, match=r"."):
        format_number(value, spec)


def test_vector() -> None:
    """A vector prints in brackets, each member by the rule; an exact zero is 0, one by rounding keeps its digits."""
    assert format_vector([1, 2, 3, 6]) == "[1, 2, 3, 6]"
    assert format_vector([-1.069, -0.5346, 0.0, 1e-5, 1.6036], ".3f") == "[−1.069, −0.535, 0, 0.000, 1.604]"


def test_defaults() -> None:
    """Whole numbers, fractions and text each have their own default."""
    assert [default_spec(v) for v in (3, 3.0, "x", True)] == [",d", ".4g", "s", "s"]


def _plain(text: str) -> Fraction:
    return Fraction(text.replace("−", "-").replace(",", "").rstrip("%万亿"))


@given(finite.filter(lambda x: abs(x) < 1e30), st.integers(0, 12))
def test_fixed_is_the_nearest_ties_away(value: float, digits: int) -> None:
    """The printed number is the nearest multiple of 10^-N; a tie has the larger magnitude."""
    shown = _plain(format_number(value, f".{digits}f"))
    error, half = abs(shown) - abs(Fraction(value)), Fraction(1, 2 * 10**digits)
    assert -half < error <= half


@given(finite, st.integers(1, 17))
def test_significant_digits_and_sign(value: float, digits: int) -> None:
    """`g` keeps at most N digits, has the value's sign, and never prints a signed zero."""
    shown = format_number(value, f".{digits}g")
    mantissa = shown.split(" × ")[0].lstrip("−")
    assert len(mantissa.replace(".", "").strip("0")) <= digits
    assert shown.startswith("−") == (value < 0)
    assert "-" not in shown


@given(finite.filter(lambda x: abs(x) < 1e15), st.sampled_from([".2%", ".3万", ".1亿"]))
def test_scaled_kinds_scale_exactly(value: float, spec: str) -> None:
    """Percent, 万 and 亿 scale the exact value before rounding, not a rounded product."""
    shift, digits = {"%": 2, "万": -4, "亿": -8}[spec[-1]], int(spec[1])
    exact = abs(Fraction(value)) * Fraction(10) ** shift
    error, half = abs(_plain(format_number(value, spec))) - exact, Fraction(1, 2 * 10**digits)
    assert -half < error <= half


@given(st.integers(-(10**40), 10**40))
def test_integers_are_exact(value: int) -> None:
    """A whole number prints all its digits at any size."""
    assert int(format_number(value).replace(",", "").replace("−", "-")) == value
