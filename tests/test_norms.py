"""Normalizations: the lesson's worked numbers, torch's results, and inputs at the edge."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from experiments import norms

X = [1.0, 2.0, 3.0, 6.0]
vectors = st.lists(st.floats(-1e6, 1e6).map(lambda v: round(v, 6)), min_size=2, max_size=9)
EPS = [1e-6, 1e-5, 0.1]


def rounded(values: list[float]) -> list[float]:
    """Return the values as the lesson prints them."""
    return [round(v, 3) for v in values]


def test_worked_layer_norm() -> None:
    """[1, 2, 3, 6]: mean 3, deviation 1.871, and the third element exactly 0."""
    assert norms.mean(X) == 3.0
    assert norms.root_mean_square([v - 3.0 for v in X]) == math.sqrt(3.5)
    assert rounded(norms.layer_norm(X)) == [-1.069, -0.535, 0.0, 1.604]
    assert norms.layer_norm(X)[2] == 0.0


def test_worked_rms_norm() -> None:
    """[1, 2, 3, 6]: RMS sqrt(12.5); shifting by 2 changes the output, scaling by 3 does not."""
    assert norms.root_mean_square(X) == math.sqrt(12.5)
    assert rounded(norms.rms_norm(X)) == [0.283, 0.566, 0.849, 1.697]
    assert rounded(norms.rms_norm([v + 2 for v in X])) == [0.562, 0.749, 0.937, 1.499]
    assert rounded(norms.rms_norm([3 * v for v in X])) == [0.283, 0.566, 0.849, 1.697]


def test_batch_norm_depends_on_mates_and_is_zero_alone() -> None:
    """BatchNorm's answer for a token changes with its mates; one token alone gives zeros."""
    with_a = norms.batch_norm([X, [0.0, 1.0, 2.0, 3.0]])[0]
    with_b = norms.batch_norm([X, [9.0, 1.0, 5.0, 3.0]])[0]
    assert with_a != with_b
    assert norms.batch_norm([X]) == [[0.0, 0.0, 0.0, 0.0]]


TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-6, torch.bfloat16: 1e-2}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("eps", EPS)
@pytest.mark.parametrize("scale", [1.0, 1e-3, 300.0])
def test_against_torch(dtype: torch.dtype, eps: float, scale: float) -> None:
    """All four norms equal torch's, for every eps (0.1 tells where it stands) and precision."""
    generator = torch.Generator().manual_seed(7)
    batch = (torch.randn(5, 16, generator=generator, dtype=torch.float64) * scale).to(dtype)
    w = (torch.randn(16, generator=generator, dtype=torch.float64) * 0.1).to(dtype)
    b = (torch.randn(16, generator=generator, dtype=torch.float64) * 0.1).to(dtype)
    rows, gain, shift = batch.double().tolist(), w.double().tolist(), b.double().tolist()

    def same(ours: list[list[float]], theirs: torch.Tensor) -> None:
        tolerance = TOLERANCE[dtype]
        torch.testing.assert_close(
            torch.tensor(ours, dtype=torch.float64), theirs.double(), rtol=tolerance, atol=tolerance
        )

    same(
        [norms.layer_norm(x, eps, gain, shift) for x in rows], functional.layer_norm(batch, (16,), w, b, eps)
    )
    same([norms.rms_norm(x, eps, gain) for x in rows], functional.rms_norm(batch, (16,), w, eps))
    zero_centered = functional.rms_norm(batch, (16,), 1.0 + w, eps)
    ones = (1.0 + w).double() - 1.0  # what 1 + w holds in this precision
    same([norms.zero_centered_rms_norm(x, ones.tolist(), eps) for x in rows], zero_centered)
    same(norms.batch_norm(rows, eps), functional.batch_norm(batch, None, None, training=True, eps=eps))


@pytest.mark.parametrize("norm", [norms.layer_norm, norms.rms_norm])
@given(x=vectors, power=st.integers(-900, 900))
def test_scale_invariance_is_exact_for_powers_of_two(
    norm: Callable[[list[float]], list[float]], x: list[float], power: int
) -> None:
    """Without eps, Norm(2^k x) = Norm(x) to the last bit, however large or small."""
    if len(set(x)) < 2:
        return
    assert norm([v * 2.0**power for v in x]) == norm(x)


@given(vectors)
def test_length_of_the_output(x: list[float]) -> None:
    """RMSNorm puts every vector on the sphere of radius sqrt(d)."""
    if not any(x):
        return
    assert math.hypot(*norms.rms_norm(x)) == pytest.approx(math.sqrt(len(x)))


def test_eps_stands_beside_the_mean_of_squares() -> None:
    """With eps = 0.1, y = x / sqrt(12.5 + 0.1), not x / (sqrt(12.5) + 0.1) nor x / sqrt(12.5 + 0.01)."""
    assert norms.rms_norm(X, 0.1)[0] == pytest.approx(1 / math.sqrt(12.6), rel=1e-15)


def test_zero_vectors() -> None:
    """A zero vector stays zero with eps and has no answer without."""
    assert norms.rms_norm([0.0, 0.0], 1e-6) == [0.0, 0.0]
    assert norms.layer_norm([5.0, 5.0], 1e-6) == [0.0, 0.0]
    with pytest.raises(ZeroDivisionError):
        norms.rms_norm([0.0, 0.0])
    with pytest.raises(ZeroDivisionError):
        norms.layer_norm([5.0, 5.0])


def test_extreme_sizes() -> None:
    """Squares beyond the largest and below the smallest double do no harm."""
    assert rounded(norms.rms_norm([v * 1e300 for v in X])) == [0.283, 0.566, 0.849, 1.697]
    assert rounded(norms.rms_norm([v * 1e-300 for v in X])) == [0.283, 0.566, 0.849, 1.697]
    assert rounded(norms.layer_norm([v * 2e307 for v in X], 1e-6)) == [-1.069, -0.535, 0.0, 1.604]
    assert norms.rms_norm([v * 1e-300 for v in X], 1e-6) == pytest.approx([v * 1e-297 for v in X], rel=1e-12)
    assert norms.rms_norm([5e-324, 0.0]) == pytest.approx([math.sqrt(2), 0.0], rel=1e-15)


def test_wrong_lengths_are_refused() -> None:
    """A gain or shift of another length is an error."""
    with pytest.raises(ValueError, match="zip"):
        norms.rms_norm(X, 0.0, [1.0])
