"""Random numbers and elementary functions with the same bits in Python and in every browser.

Only + - * / sqrt and 32-bit integer arithmetic, in a fixed order: the engines' log, cos, tanh and pow differ
in the last place, and a chaotic network turns a last place into another picture. `docs/live/kernel/prng.js`
mirrors the scalar functions line by line; `normals` is the same arithmetic on whole numpy arrays.

Sources: mulberry32 (T. Ettinger), a counter-based 32-bit mixer; Box-Muller 1958; log, sin and cos after Sun's
fdlibm; tanh after Moshier's Cephes.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

MASK = 0xFFFFFFFF
STEP = 0x6D2B79F5

LN2_HIGH = 6.93147180369123816490e-01  # 33 bits of ln 2, so that k * LN2_HIGH is exact
LN2_LOW = 1.90821492927058770002e-10
SQRT_HALF = 0.7071067811865476
LOG = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)
TURN = 1.4629180792671596e-09  # 2 pi / 2^32
SIN = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COS = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
TANH_P = (-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3)
TANH_Q = (1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3)


def word(seed: int, index: int) -> int:
    """Return random 32-bit word number `index` of stream `seed` (mulberry32; any word, in any order)."""
    a = (seed + (index + 1) * STEP) & MASK
    t = ((a ^ (a >> 15)) * (a | 1)) & MASK
    t = t ^ ((t + (((t ^ (t >> 7)) * (t | 61)) & MASK)) & MASK)
    return t ^ (t >> 14)


def log_unit(w: int) -> float:
    """Return ln(w / 2^32) for 1 <= w < 2^32, within 2.6e-16 relative.

    w / 2^32 = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2); ln(1 + f) by the odd series in s = f / (2 + f).
    """
    bits = w.bit_length()
    m = w / 2.0**bits  # exact, in [1/2, 1)
    k = bits - 32
    if m < SQRT_HALF:
        m = m + m
        k = k - 1
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    q = z * z
    even = q * (LOG[1] + q * (LOG[3] + q * LOG[5]))
    odd = z * (LOG[0] + q * (LOG[2] + q * (LOG[4] + q * LOG[6])))
    half = 0.5 * f * f
    return k * LN2_HIGH - ((half - (s * (half + (even + odd)) + k * LN2_LOW)) - f)


def cos_turn(w: int) -> float:
    """Return cos(2 pi w / 2^32): exact reduction to an eighth of a turn, then the sine or cosine kernel."""
    quarter = ((w + 0x20000000) >> 30) & 3  # the nearest quarter turn
    rest = ((w + 0x20000000) & 0x3FFFFFFF) - 0x20000000
    x = rest * TURN  # radians, |x| <= pi / 4
    z = x * x
    if quarter & 1:
        r = SIN[1] + z * (SIN[2] + z * (SIN[3] + z * (SIN[4] + z * SIN[5])))
        y = x + z * x * (SIN[0] + z * r)
        return -y if quarter == 1 else y
    r = z * (COS[0] + z * (COS[1] + z * (COS[2] + z * (COS[3] + z * (COS[4] + z * COS[5])))))
    y = 1.0 - (0.5 * z - z * r)
    return -y if quarter == 2 else y


def tanh(x: float) -> float:
    """Return tanh(x): a rational at x / 32, doubled five times; exactly +-1 beyond 20."""
    if x > 20.0:
        return 1.0
    if x < -20.0:
        return -1.0
    y = x * 0.03125
    z = y * y
    p = (TANH_P[0] * z + TANH_P[1]) * z + TANH_P[2]
    q = ((z + TANH_Q[0]) * z + TANH_Q[1]) * z + TANH_Q[2]
    t = y + y * (z * (p / q))
    for _ in range(5):
        t = 2.0 * t / (1.0 + t * t)
    return t


def normal(seed: int, index: int) -> float:
    """Return standard normal number `index`: sqrt(-2 ln u) cos(2 pi v) of words 2 index and 2 index + 1."""
    u = word(seed, 2 * index) or 1  # a word of 0 would have no logarithm
    v = word(seed, 2 * index + 1)
    return sqrt(-2.0 * log_unit(u)) * cos_turn(v)


def words(seed: int, start: int, count: int) -> Array:
    """Return words start .. start + count - 1 as a uint32 array."""
    import numpy as np

    index = np.arange(start + 1, start + count + 1, dtype=np.uint32)
    a = np.uint32(seed & MASK) + index * np.uint32(STEP)
    t = (a ^ (a >> np.uint32(15))) * (a | np.uint32(1))
    t = t ^ (t + (t ^ (t >> np.uint32(7))) * (t | np.uint32(61)))
    result: Array = t ^ (t >> np.uint32(14))
    return result


def normals(seed: int, start: int, count: int) -> list[float]:
    """Return normals start .. start + count - 1, bit for bit those of `normal`, about thirty times faster."""
    import numpy as np

    pairs = words(seed, 2 * start, 2 * count)
    values: list[float] = (np.sqrt(-2.0 * _log_unit(pairs[0::2])) * _cos_turn(pairs[1::2])).tolist()
    return values


def _log_unit(w: Array) -> Array:
    """`log_unit` on an array of words."""
    import numpy as np

    m, bits = np.frexp(np.maximum(w, 1).astype(np.float64))
    low = m < SQRT_HALF
    m = np.where(low, m + m, m)
    k = (bits - 32 - low).astype(np.float64)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    q = z * z
    even = q * (LOG[1] + q * (LOG[3] + q * LOG[5]))
    odd = z * (LOG[0] + q * (LOG[2] + q * (LOG[4] + q * LOG[6])))
    half = 0.5 * f * f
    result: Array = k * LN2_HIGH - ((half - (s * (half + (even + odd)) + k * LN2_LOW)) - f)
    return result


def _cos_turn(w: Array) -> Array:
    """`cos_turn` on an array of words."""
    import numpy as np

    moved = w.astype(np.int64) + 0x20000000
    quarter = (moved >> 30) & 3
    x = ((moved & 0x3FFFFFFF) - 0x20000000) * TURN
    z = x * x
    r = SIN[1] + z * (SIN[2] + z * (SIN[3] + z * (SIN[4] + z * SIN[5])))
    sine = x + z * x * (SIN[0] + z * r)
    r = z * (COS[0] + z * (COS[1] + z * (COS[2] + z * (COS[3] + z * (COS[4] + z * COS[5])))))
    cosine = 1.0 - (0.5 * z - z * r)
    y = np.where(quarter & 1, sine, cosine)
    return np.where((quarter == 1) | (quarter == 2), -y, y)
