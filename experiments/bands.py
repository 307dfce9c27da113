"""How typical is one seed? The residual simulator over many seeds, vectorised with numpy.

Last places do not matter for a band, so this path uses numpy's own log, cos, tanh and matrix products; it
agrees with `residual.simulate` to 1e-9 where the network is not chaotic (N <= 32, gain <= 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from experiments.prng import words
from experiments.residual import D, Setting

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

Boxes = tuple[bool, bool, bool]  # residual, norm, scale
LADDER: tuple[Boxes, ...] = ((True, False, False), (True, True, False), (True, True, True))
PERCENTS = (5, 50, 95)
CHUNK = 64  # seeds at once: 34 MB of normals at N = 32
SEED = 7  # the published seed


def seed_bands(n: int, gain: float, seeds: Iterable[int], boxes: Sequence[Boxes] = LADDER) -> dict[str, Any]:
    """Return the spread of both readings over `seeds` for each setting of the boxes, in order.

    settings[i]: residual, norm, scale; ratio and rms each {p5, p50, p95, seed: value of seed 7, percentile:
    % of seeds below it}; curves: rms and gradient each {p5, p50, p95} of N + 1 points.
    steps[i]: the share of seeds in which ratio and rms fall from setting i to i + 1; falls: at every step.
    """
    import numpy as np

    numbers = list(seeds)
    if not numbers:
        raise ValueError("seeds is empty, at least one seed makes a band")
    chunks = [numbers[at : at + CHUNK] for at in range(0, len(numbers), CHUNK)]
    parts = [_run(chunk, n, gain, boxes) for chunk in chunks]
    curves = np.concatenate(parts, axis=2)  # (boxes, 2, seeds, N + 1)
    own = _run([SEED], n, gain, boxes)
    readings = np.stack([curves[:, 0, :, -1], curves[:, 1, :, 0]])  # rms, ratio: (2, boxes, seeds)
    mine = np.stack([own[:, 0, 0, -1], own[:, 1, 0, 0]])
    settings = []
    for i, (residual, norm, scale) in enumerate(boxes):
        row: dict[str, Any] = {"residual": residual, "norm": norm, "scale": scale}
        for j, name in enumerate(("rms", "ratio")):
            below = float(np.mean(readings[j, i] < mine[j, i])) * 100.0
            row[name] = {**_spread(readings[j, i]), "seed": float(mine[j, i]), "percentile": below}
        row["curves"] = {"rms": _spread(curves[i, 0]), "gradient": _spread(curves[i, 1])}
        settings.append(row)
    fall = readings[:, 1:, :] < readings[:, :-1, :]
    steps = [
        {"rms": float(fall[0, i].mean()), "ratio": float(fall[1, i].mean())} for i in range(len(boxes) - 1)
    ]
    always = {"rms": float(fall[0].all(axis=0).mean()), "ratio": float(fall[1].all(axis=0).mean())}
    return {
        "n": n,
        "gain": gain,
        "seeds": len(numbers),
        "settings": settings,
        "steps": steps,
        "falls": always,
    }


def _spread(values: Array) -> dict[str, Any]:
    """Return the 5, 50 and 95 % points over seeds (axis 0)."""
    import numpy as np

    points = np.percentile(values, PERCENTS, axis=0)
    return {f"p{percent}": point.tolist() for percent, point in zip(PERCENTS, points, strict=True)}


def _run(seeds: Sequence[int], n: int, gain: float, boxes: Sequence[Boxes]) -> Array:
    """Return curves (boxes, 2, seeds, N + 1): RMS of the stream, then gradient relative to the top."""
    import numpy as np

    z = np.stack([_normals(seed, 2 * n * D * D + 2 * D) for seed in seeds])
    w = z[:, : 2 * n * D * D].reshape(len(seeds), n, 2, D, D) * (gain / np.sqrt(D))
    start, direction = z[:, -2 * D : -D, None], z[:, -D:, None]
    start = start / np.sqrt(np.mean(start * start, axis=1, keepdims=True))
    results = []
    for residual, norm, scale in boxes:
        setting = Setting(n=n, gain=gain, residual=residual, norm=norm, scale=scale)
        results.append(_simulate(setting, w, start, direction))
    return np.stack(results)


def _normals(seed: int, count: int) -> Array:
    """Return the stream's first normals, by numpy's log and cos."""
    import numpy as np

    pairs = np.maximum(words(seed, 0, 2 * count), 1) / 2.0**32
    values: Array = np.sqrt(-2.0 * np.log(pairs[0::2])) * np.cos(2.0 * np.pi * pairs[1::2])
    return values


def _simulate(setting: Setting, w: Array, x: Array, g: Array) -> Array:
    """Run all seeds of one setting; w (seeds, N, 2, d, d), x and g (seeds, d, 1)."""
    import numpy as np

    rho = 1.0 if setting.residual else 0.0
    s = 1.0 / np.sqrt(setting.n) if setting.scale else 1.0
    rms, gradient, saved = [_rms(x)], [_rms(g)], []
    for k in range(setting.n):
        size = _rms(x) if setting.norm else np.ones((len(x), 1, 1))
        y = x / size
        h = np.tanh(w[:, k, 0] @ y)
        saved.append((y, size, h))
        x = rho * x + s * (w[:, k, 1] @ h)
        rms.append(_rms(x))
    for k in reversed(range(setting.n)):
        y, size, h = saved[k]
        into = w[:, k, 0].transpose(0, 2, 1) @ (s * (w[:, k, 1].transpose(0, 2, 1) @ g) * (1.0 - h * h))
        if setting.norm:
            into = (into - y * np.mean(into * y, axis=1, keepdims=True)) / size
        g = rho * g + into
        gradient.append(_rms(g))
    curves = np.stack([np.concatenate(rms, axis=1), np.concatenate(gradient[::-1], axis=1)])[..., 0]
    curves[1] /= curves[1][:, -1:]
    return curves


def _rms(x: Array) -> Array:
    """Return sqrt(mean(x^2)) of each seed's vector, (seeds, 1, 1)."""
    import numpy as np

    m = np.max(np.abs(x), axis=1, keepdims=True)
    r = x / m
    size: Array = m * np.sqrt(np.mean(r * r, axis=1, keepdims=True))
    return size
