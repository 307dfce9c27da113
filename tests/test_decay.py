"""Weight decay on the two ways to store a gain."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments import decay


def test_published_values() -> None:
    """Gain 1.50 after 5,000 steps at lr 3e-3, decay 0.1: 0.335 against 1.112."""
    assert round(decay.stored_gain(1.5, 5000, 3e-3, 0.1), 3) == 0.335
    assert round(decay.zero_centered_gain(1.5, 5000, 3e-3, 0.1), 3) == 1.112


@given(st.floats(0.5, 1.0), st.integers(0, 60))
def test_power_is_exact_but_for_rounding(base: float, exponent: int) -> None:
    """The power equals the rational one to a few units in the last place."""
    assert decay.power(base, exponent) == pytest.approx(float(Fraction(base) ** exponent), rel=1e-13)


def test_it_is_not_the_exponential() -> None:
    """The exact power differs visibly from exp(-lr decay t) at large steps."""
    assert decay.power(1.0 - 0.1, 10) == pytest.approx(0.3486784401, rel=1e-12)


def test_limits() -> None:
    """No step changes nothing; decay alone ends at 0 and at 1."""
    assert decay.stored_gain(1.5, 0, 3e-3, 0.1) == decay.zero_centered_gain(1.5, 0, 3e-3, 0.1) == 1.5
    assert decay.curves(1.5, [0, 10**7], 3e-3, 0.1) == {"stored": [1.5, 0.0], "zero_centered": [1.5, 1.0]}
