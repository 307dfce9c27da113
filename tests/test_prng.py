"""Random words, normals and elementary functions: right, and the same bits on both Python paths."""

from __future__ import annotations

import math

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments import prng

words32 = st.integers(1, 2**32 - 1)
seeds = st.integers(0, 2**32 - 1)


def _ulps(value: float, exact: mpmath.mpf) -> float:
    return abs(float((mpmath.mpf(value) - exact) / mpmath.mpf(math.ulp(float(exact)))))


def test_words_are_mulberry32() -> None:
    """The first words of stream 7 are those of the sequential generator as it is usually written."""
    a, expected = 7, []
    for _ in range(5):
        a = (a + 0x6D2B79F5) & 0xFFFFFFFF
        t = ((a ^ (a >> 15)) * (1 | a)) & 0xFFFFFFFF
        t = ((t + (((t ^ (t >> 7)) * (61 | t)) & 0xFFFFFFFF)) & 0xFFFFFFFF) ^ t
        expected.append(t ^ (t >> 14))
    assert expected == [prng.word(7, i) for i in range(5)]


@given(words32)
def test_log_is_within_an_ulp(w: int) -> None:
    """ln(w / 2^32) is right to 1.2 units in the last place."""
    with mpmath.workprec(120):
        assert _ulps(prng.log_unit(w), mpmath.log(mpmath.mpf(w) / 2**32)) < 1.2


@given(st.integers(0, 2**32 - 1))
def test_cos_is_close_everywhere(w: int) -> None:
    """cos of a turn is right to 2e-16."""
    with mpmath.workprec(120):
        assert abs(prng.cos_turn(w) - mpmath.cos(2 * mpmath.pi * w / 2**32)) < 2.5e-16


@given(st.floats(-40, 40))
def test_tanh(x: float) -> None:
    """Tanh is right to 2e-15 relative, odd, and never beyond 1."""
    with mpmath.workprec(120):
        exact = mpmath.tanh(mpmath.mpf(x))
    assert abs(prng.tanh(x) - float(exact)) <= 2e-15 * abs(float(exact)) + 5e-322  # the last subnormals
    assert prng.tanh(-x) == -prng.tanh(x)
    assert abs(prng.tanh(x)) <= 1.0


@pytest.mark.parametrize(
    ("x", "y"), [(20.1, 1.0), (-1e300, -1.0), (math.inf, 1.0), (0.0, 0.0), (1e-300, 1e-300)]
)
def test_tanh_at_the_edges(x: float, y: float) -> None:
    """Large arguments saturate exactly, tiny ones pass through."""
    assert y == prng.tanh(x)


@given(seeds, st.integers(0, 2**20))
def test_numpy_path_has_the_same_bits(seed: int, start: int) -> None:
    """`normals` and `words` are the scalar functions, bit for bit."""
    assert [prng.word(seed, start + i) for i in range(8)] == prng.words(seed, start, 8).tolist()
    assert [prng.normal(seed, start + i) for i in range(8)] == prng.normals(seed, start, 8)


def test_a_word_of_zero_counts_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one word without a logarithm gives the largest normal, on both paths."""
    monkeypatch.setattr(prng, "word", lambda seed, index: 0)
    monkeypatch.setattr(prng, "words", lambda seed, start, count: np.zeros(count, dtype=np.uint32))
    assert math.sqrt(64 * math.log(2)) == pytest.approx(prng.normal(0, 0), rel=1e-15)
    assert [prng.normal(0, 0)] == prng.normals(0, 0, 1)


def test_normals_are_normal() -> None:
    """Mean, variance and fourth moment of 200,000 normals are 0, 1 and 3 within five standard errors."""
    z = np.array(prng.normals(7, 0, 200_000))
    error = 5 / math.sqrt(len(z))
    assert abs(z.mean()) < error
    assert abs((z**2).mean() - 1) < error * math.sqrt(2)
    assert abs((z**4).mean() - 3) < error * math.sqrt(96)
