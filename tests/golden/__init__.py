"""Golden files: what Python computes and the browser must compute too. One command writes them all:

    python -m tests.golden

Each file holds arguments and results as JSON; doubles survive the round trip. They are never edited by hand.
"""

from __future__ import annotations

import itertools
import json
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course_build.value import format_number
from experiments import decay, meanfield, norms, prng
from experiments.prng import MASK
from experiments.residual import Setting, simulate

FOLDER = Path(__file__).parent
SEEDS = (7, 0, 1, MASK)
DEPTHS = (1, 2, 5, 16, 32, 64, 128)
GAINS = (0.25, 0.7, 1.0, 1.5, 3.0)
BOXES = tuple(itertools.product((False, True), repeat=3))
SPECS = (
    [f".{n}f" for n in (0, 1, 2, 3, 6, 20)] + [f".{n}g" for n in (1, 2, 3, 4, 17, 20)] + ["g", ",g", "+.3g", ",.2f"]
) + ["e", ".0e", ".2e", "%", ".0%", ".2%", "万", ".1万", "亿", ".2亿", ",.1万", ",d", "d", "+,d"]


def settings() -> list[Setting]:
    """Return the simulator's whole grid."""
    return [
        Setting(n=n, gain=gain, seed=seed, residual=residual, norm=norm, scale=scale)
        for seed in SEEDS
        for n in DEPTHS
        for gain in GAINS
        for residual, norm, scale in BOXES
    ]


def boxes(setting: Setting) -> dict[str, Any]:
    """Return a setting as the browser takes it."""
    return {name: getattr(setting, name) for name in ("n", "gain", "seed", "residual", "norm", "scale")}


def reading(setting: Setting) -> list[float]:
    """Return both readings and a point in the middle of each curve."""
    found = simulate(setting)
    return [found.ratio, found.rms, found.gradient_curve[setting.n // 2], found.rms_curve[setting.n // 2]]


def residual() -> dict[str, Any]:
    """Every setting of the grid: 1,120 networks, four doubles each, by the order of `settings`."""
    return {"seeds": SEEDS, "depths": DEPTHS, "gains": GAINS, "readings": [reading(s) for s in settings()]}


def theory() -> list[Any]:
    """The theory's curves on part of the grid (seeds play no part)."""
    rows = []
    for setting in settings():
        if setting.seed == SEEDS[0] and setting.n in (1, 5, 32, 128):
            found = meanfield.theory(setting)
            ends = [found.ratio[0], found.ratio_low[0], found.ratio_median[0], found.ratio_high[0]]
            rows.append([boxes(setting), [*ends, found.rms[-1], found.rms_low[-1], found.rms_high[-1]]])
    return rows


def kernels() -> dict[str, Any]:
    """Random words and normals, elementary functions, norms, decay."""
    rng = random.Random(7)
    words = [1, 2, 3, 2**31, 2**31 - 1, MASK, MASK - 1, *(rng.randrange(1, 2**32) for _ in range(60))]
    points = [0.0, 5e-324, 1e-9, 20.0, 20.5, -20.0, -30.0, *(rng.uniform(-21, 21) for _ in range(60))]
    vectors = [
        [1.0, 2.0, 3.0, 6.0],
        [1e300, -1e300, 3e299, 0.0],
        [5e-324, 0.0, 1e-310, 0.0],
        [1e-200, 2.0, 1e200, 3.0],
    ]
    vectors += [[rng.gauss(0, 10.0 ** rng.randrange(-8, 9)) for _ in range(4)] for _ in range(40)]
    return {
        "word": [[seed, i, prng.word(seed, i)] for seed in SEEDS for i in (0, 1, 2, 1000, 2**20)],
        "log": [[w, prng.log_unit(w)] for w in words],
        "cos": [[w, prng.cos_turn(w)] for w in words],
        "tanh": [[x, prng.tanh(x)] for x in points],
        "normal": [[seed, i, prng.normal(seed, i)] for seed in SEEDS for i in range(40)],
        "rms": [[x, eps, norms.rms_norm(x, eps)] for x in vectors for eps in (0.0, 1e-6, 0.1)],
        "layer": [[x, eps, norms.layer_norm(x, eps)] for x in vectors for eps in (0.0, 1e-6, 0.1)],
        "centered": [[x, vectors[0], norms.zero_centered_rms_norm(x, vectors[0])] for x in vectors],
        "batch": [[vectors[at : at + 5], norms.batch_norm(vectors[at : at + 5], 1e-5)] for at in range(4, 40, 5)],
        "decay": [
            [g, t, decay.stored_gain(g, t, 3e-3, 0.1), decay.zero_centered_gain(g, t, 3e-3, 0.1)]
            for g in (0.5, 1.0, 1.5, 2.75)
            for t in (0, 1, 2, 3, 999, 5000, 20000)
        ],
    }


def numbers() -> list[float]:
    """Ties, neighbours of powers of ten, extremes, negative zero, and doubles of random bits."""
    rng = random.Random(7)
    ties = [k / 2**m for k in (1, 3, 5, 7, 25, 125, 625, 12345) for m in (1, 2, 3, 4, 7, 10)]
    powers = [10.0**k for k in (-320, -300, -5, -4, -1, 0, 1, 4, 8, 15, 16, 21, 22, 23, 300)]
    near = [p * f for p in powers for f in (1 - 2**-53, 1 + 2**-52, 0.99995, 0.9995, 0.5, 4.9999999999999999e-1)]
    bits = [struct.unpack("<d", rng.randbytes(8))[0] for _ in range(120)]
    plain = [rng.uniform(-1, 1) * 10.0 ** rng.randrange(-7, 18) for _ in range(200)]
    special = [
        0.0,
        -0.0,
        5e-324,
        1.7976931348623157e308,
        660480.0,
        27781427952.0,
        1.005,
        2.5e-7,
        9007199254740993.0,
    ]
    values = [*ties, *powers, *near, *bits, *plain, *special]
    return [v for x in values if x == x and abs(x) != float("inf") for v in (x, -x)]


def format_rows() -> list[Any]:
    """[value, spec, shown]; every spec meets every special value, random ones take turns."""
    rows = []
    for i, value in enumerate(numbers()):
        for j, spec in enumerate(SPECS):
            whole = value == int(value) and abs(value) < 2**53
            if (i + j) % 8 == 0 and (whole or not spec.endswith("d")):
                rows.append([value, spec, format_number(value, spec)])
    return rows


FILES: dict[str, Callable[[], Any]] = {
    "residual": residual,
    "theory": theory,
    "kernels": kernels,
    "format": format_rows,
}


def read(name: str) -> Any:
    """Return a golden file's content."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def text(content: Any) -> str:
    """Return content as the file holds it: one row a line, so that a diff shows what moved."""
    if isinstance(content, list):
        return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in content) + "\n]\n"
    members = []
    for name, rows in content.items():
        short = name in ("seeds", "depths", "gains")
        members.append(f'"{name}": {json.dumps(rows) if short else text(rows).rstrip()}')
    return "{\n" + ",\n".join(members) + "\n}\n"


def write() -> None:
    """Write every golden file."""
    for name, make in FILES.items():
        (FOLDER / f"{name}.json").write_text(text(make()), encoding="utf-8")
