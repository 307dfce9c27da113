"""The residual stream of an untrained network: what residuals, RMSNorm and 1/sqrt(N) do to size and gradient.

    x_{l+1} = rho x_l + s W2_l tanh(W1_l nu(x_l)),   W = (g / sqrt(d)) Z,   Z ~ N(0, 1),   l = 1..N

    d    width of the stream and of the hidden layer, 32        N    number of sublayers, 1..128
    g    gain, 0.25..3                                          rho  1 with the residual box, else 0
    nu   x / RMS(x) with the norm box (no eps), else x          s    1 / sqrt(N) with the scale box, else 1

Readings: RMS = sqrt(mean(x_N^2)); ratio = |dL/dx_0| / |dL/dx_N| for L = u . x_N with a random direction u.
Draws (prng.normals): for each l the matrix Z of W1_l, then of W2_l, row-major; x_0 (scaled to RMS 1); then u.
The browser's twin is `docs/live/kernel/residual.js`, equal to the last bit.

    python -m experiments.residual --n 32 --gain 1 --seed 7 --residual --norm --json
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite, sqrt
from typing import NoReturn

from experiments.prng import MASK, normals, tanh

D = 32
N_MAX = 128
GAIN_MIN, GAIN_MAX = 0.25, 3.0

Vector = list[float]
Rows = list[tuple[float, ...]]


@dataclass(frozen=True)
class Setting:
    """What the reader chooses; ValueError when a value is out of range."""

    n: int = 32
    gain: float = 1.0
    seed: int = 7
    residual: bool = False
    norm: bool = False
    scale: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.n <= N_MAX:
            raise ValueError(f"n is {self.n}, must be a whole number from 1 to {N_MAX}")
        if not (isfinite(self.gain) and GAIN_MIN <= self.gain <= GAIN_MAX):
            raise ValueError(f"gain is {self.gain:g}, must be a number from {GAIN_MIN:g} to {GAIN_MAX:g}")
        if not 0 <= self.seed <= MASK:
            raise ValueError(f"seed is {self.seed}, must be a whole number from 0 to {MASK}")


@dataclass(frozen=True)
class Reading:
    """What one network shows; curves have N + 1 points, from x_0 to x_N."""

    ratio: float
    rms: float
    rms_curve: Vector  # sqrt(mean(x_l^2))
    gradient_curve: Vector  # |dL/dx_l| / |dL/dx_N|


@dataclass(frozen=True)
class Draws:
    """The random numbers of one seed: matrices by rows and by columns, start and direction."""

    w1: list[Rows]
    w2: list[Rows]
    w1_columns: list[Rows]
    w2_columns: list[Rows]
    start: Vector
    direction: Vector


@lru_cache(maxsize=4)
def draw(seed: int, n: int) -> Draws:
    """Draw the unit normals of `n` sublayers; the layers of a small n are the first of a larger one's."""
    z = normals(seed, 0, 2 * n * D * D + 2 * D)
    rows = [tuple(z[at : at + D]) for at in range(0, len(z), D)]
    matrices = [rows[at : at + D] for at in range(0, 2 * n * D, D)]
    columns = [list(zip(*matrix, strict=True)) for matrix in matrices]
    start = list(rows[-2])
    size = length(start) / sqrt(D)
    return Draws(
        matrices[0::2],
        matrices[1::2],
        columns[0::2],
        columns[1::2],
        [v / size for v in start],
        list(rows[-1]),
    )


def length(x: Vector) -> float:
    """Return m sqrt(sum((x / m)^2)) with m the largest element: no overflow from 1e-293 to 1e33."""
    m = 0.0
    for v in x:
        m = max(m, abs(v))
    if m == 0.0:
        return 0.0
    total = 0.0
    for v in x:
        r = v / m
        total += r * r
    return m * sqrt(total)


def times(rows: Rows, x: Vector) -> Vector:
    """Return rows @ x, each sum strictly from left to right."""
    out = []
    for row in rows:
        total = 0.0
        for w, v in zip(row, x, strict=True):
            total += w * v
        out.append(total)
    return out


@dataclass(frozen=True)
class Pass:
    """What the forward pass leaves for the backward one."""

    stream: list[Vector]  # x_0 .. x_N
    inputs: list[tuple[Vector, float]]  # nu(x_l) and RMS(x_l), the latter 1 without the norm
    hidden: list[Vector]  # tanh(W1_l nu(x_l))


def simulate(setting: Setting) -> Reading:
    """Run the network forwards and backwards and return its readings."""
    z = draw(setting.seed, setting.n)
    forth = forward(setting, z)
    gradients = backward(setting, z, forth)
    rms_curve = [length(x) / sqrt(D) for x in forth.stream]
    end = length(gradients[-1])
    gradient_curve = [length(g) / end for g in gradients]
    return Reading(gradient_curve[0], rms_curve[-1], rms_curve, gradient_curve)


def forward(setting: Setting, z: Draws) -> Pass:
    """Compute x_0 .. x_N."""
    c = setting.gain / sqrt(D)
    s = 1.0 / sqrt(setting.n) if setting.scale else 1.0
    x = z.start
    forth = Pass([x], [], [])
    for k in range(setting.n):
        size = length(x) / sqrt(D) if setting.norm else 1.0
        y = [v / size for v in x] if setting.norm else x
        h = [tanh(c * v) for v in times(z.w1[k], y)]
        f = [s * (c * v) for v in times(z.w2[k], h)]
        x = [v + w for v, w in zip(x, f, strict=True)] if setting.residual else f
        forth.stream.append(x)
        forth.inputs.append((y, size))
        forth.hidden.append(h)
    return forth


def backward(setting: Setting, z: Draws, forth: Pass) -> list[Vector]:
    """Return dL/dx_0 .. dL/dx_N for L = u . x_N, by the chain rule from the top."""
    c = setting.gain / sqrt(D)
    s = 1.0 / sqrt(setting.n) if setting.scale else 1.0
    g = z.direction
    gradients = [g]
    for k in reversed(range(setting.n)):
        back = times(z.w2_columns[k], g)
        inner = [s * (c * b) * (1.0 - h * h) for b, h in zip(back, forth.hidden[k], strict=True)]
        into = [c * v for v in times(z.w1_columns[k], inner)]
        if setting.norm:
            into = norm_backward(into, *forth.inputs[k])
        g = [a + b for a, b in zip(g, into, strict=True)] if setting.residual else into
        gradients.append(g)
    return gradients[::-1]


def norm_backward(into: Vector, y: Vector, size: float) -> Vector:
    """Carry a gradient through y = x / RMS(x): (g - y mean(g y)) / RMS."""
    total = 0.0
    for a, b in zip(into, y, strict=True):
        total += a * b
    mean = total / D
    return [(a - b * mean) / size for a, b in zip(into, y, strict=True)]


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"{self.prog}: {message}\n")
        raise SystemExit(2)


def main(arguments: list[str] | None = None) -> int:
    """Print the two readings of one setting."""
    parser = _Parser(prog="experiments.residual", description="Readings of the residual simulator.")
    parser.add_argument("--n", type=int, default=32, help=f"sublayers, 1 to {N_MAX} (default 32)")
    parser.add_argument("--gain", type=float, default=1.0, help=f"{GAIN_MIN:g} to {GAIN_MAX:g} (default 1)")
    parser.add_argument("--seed", type=int, default=7, help=f"0 to {MASK} (default 7)")
    parser.add_argument("--residual", action="store_true", help="x + F(x)")
    parser.add_argument("--norm", action="store_true", help="RMSNorm on every sublayer's input")
    parser.add_argument("--scale", action="store_true", help="write back times 1/sqrt(N)")
    parser.add_argument("--json", action="store_true", help='print {"ratio": …, "rms": …}')
    options = vars(parser.parse_args(arguments))
    as_json = options.pop("json")
    try:
        reading = simulate(Setting(**options))
    except ValueError as error:
        parser.error(str(error))
    if as_json:
        print(json.dumps({"ratio": reading.ratio, "rms": reading.rms}))
    else:
        print(f"gradient ratio {reading.ratio!r}\nstream RMS     {reading.rms!r}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
