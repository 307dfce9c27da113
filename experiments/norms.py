"""Normalizations on plain lists of numbers: pure float64, no torch, mirrored by `docs/live/kernel/norms.js`.

    x    one token, d numbers          eps  the small number inside the root, beside the mean of squares
    w    learned gain per dimension    b    learned shift per dimension
    mu   mean(x)                       RMS  sqrt(mean(x^2))

Which numbers the statistics come from is the whole difference: LayerNorm and RMSNorm read the d numbers of
one token, BatchNorm reads one dimension of every token in the batch. Sums run strictly from left to right.
Every function divides by a power of two near the largest element first: exact, and nothing overflows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, sqrt

Vector = list[float]


def mean(x: Sequence[float]) -> float:
    """Return mu = sum(x) / d; the sum may exceed the largest double, the mean never does."""
    unit = _unit(x)
    total = 0.0
    for v in x:
        total += v / unit
    return total / len(x) * unit


def root_mean_square(x: Sequence[float], eps: float = 0.0) -> float:
    """Return sqrt(mean(x^2) + eps)."""
    unit, size = _size(x, eps)
    return unit * size


def rms_norm(x: Sequence[float], eps: float = 0.0, gain: Sequence[float] | None = None) -> Vector:
    """Return x / sqrt(mean(x^2) + eps) * g (Zhang & Sennrich 2019); g is 1 where none is given.

    Raises ZeroDivisionError for a zero vector with eps = 0: it has no direction to keep.
    """
    unit, size = _size(x, eps)
    return [v / unit / size * g for v, g in zip(x, gain or [1.0] * len(x), strict=True)]


def zero_centered_rms_norm(x: Sequence[float], w: Sequence[float], eps: float = 1e-6) -> Vector:
    """Return x / sqrt(mean(x^2) + eps) * (1 + w): the stored w starts at 0, so decay pulls the gain to 1."""
    return rms_norm(x, eps, [1.0 + v for v in w])


def layer_norm(
    x: Sequence[float],
    eps: float = 0.0,
    gain: Sequence[float] | None = None,
    shift: Sequence[float] | None = None,
) -> Vector:
    """Return (x - mu) / sqrt(mean((x - mu)^2) + eps) * g + b (Ba et al. 2016).

    Raises ZeroDivisionError for a constant vector with eps = 0: its variance is 0.
    """
    mu = mean(x)
    centered = rms_norm([v - mu for v in x], eps, gain)
    return [v + b for v, b in zip(centered, shift or [0.0] * len(x), strict=True)]


def batch_norm(batch: Sequence[Sequence[float]], eps: float = 0.0) -> list[Vector]:
    """Return (x - mu_j) / sqrt(var_j + eps) with mu_j, var_j of dimension j over every token of the batch.

    Shapes: batch (tokens, d) -> (tokens, d). The variance divides by the number of tokens, as in training. A
    dimension that does not vary becomes 0 (the limit for eps -> 0): one token alone gives all zeros.
    """
    columns = []
    for column in zip(*batch, strict=True):
        mu = mean(column)
        centered = [v - mu for v in column]
        unit, size = _size(centered, eps)
        columns.append([v / unit / size if size else 0.0 for v in centered])
    return [list(row) for row in zip(*columns, strict=True)]


def _size(x: Sequence[float], eps: float) -> tuple[float, float]:
    """Return (unit, sqrt(mean(x^2) + eps) / unit)."""
    unit = max(_unit(x), _unit([sqrt(eps)])) if eps else _unit(x)
    total = 0.0
    for v in x:
        r = v / unit
        total += r * r
    return unit, sqrt(total / len(x) + eps / unit / unit)


def _unit(x: Sequence[float]) -> float:
    """Return a power of two near the largest element (1 for zeros)."""
    m = 0.0
    for v in x:
        m = max(m, abs(v))
    return 2.0 ** max(frexp(m)[1] - 1, -1022) if m else 1.0
