"""Mean-field theory of the residual simulator, with its finite-width band; nothing is fitted.

    z ~ N(0, 1);  V(s) = E tanh^2(s z);  C(s) = E sech^4(s z);  E8(s) = E sech^8(s z)
    q_0 = 1;  sigma_l = g (norm) or g sqrt(q_l);  q_{l+1} = rho q_l + s^2 g^2 V(sigma_l);  RMS_l = sqrt(q_l)
    chi_l = s^2 g^4 C(sigma_l) / (q_l with norm, else 1);  ratio_l = prod_{k >= l} (rho + chi_k)^(1/2)
    as RMS_{l+1} = RMS_l sqrt(rho + s^2 g^4 (V / sigma_l^2) / (q_l with norm, else 1)): q itself underflows
    v_l = (1/d) sum_{k >= l} [4 rho chi + chi^2 (1 + 3 E8 / C^2)] / (rho + chi)^2
    median = mean field * exp(-v / 4);  5, 95 % = median * exp(-+ 1.645 sqrt(v) / 2);  no band where v > 4
    RMS band (residual only): sqrt(q) (1 -+ 1.645 sqrt((1 - q^-2) / (2 d)))

Letters as in `residual.py`. The twin is `docs/live/kernel/meanfield.js`; both agree to 1e-12:
exp is each engine's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt

from experiments.prng import tanh
from experiments.residual import D, Setting

Z95 = 1.645  # 95 % point of a normal
V_MAX = 4.0  # beyond it the log-normal band says nothing
STEP = 0.1  # of the trapezoid, in units of min(1, 1 / s)
REACH_Z, REACH_U = 9.0, 20.0  # phi(9) and sech^4(20) are below 1e-17

Curve = list[float]
Band = list[float | None]


@dataclass(frozen=True)
class Theory:
    """Curves of N + 1 points along depth; None in a band means: theory gives none here."""

    rms: Curve
    rms_low: Band
    rms_high: Band
    ratio: Curve  # mean field, from x_l to x_N
    ratio_low: Band
    ratio_median: Band
    ratio_high: Band


def integrals(s: float) -> tuple[float, float, float]:
    """Return V / s^2, C, E8 at `s` by the trapezoid rule on [-9, 9], both halves at once.

    The step shrinks as 1 / s and the range ends where sech is spent: the rule errs by less than 1e-14.
    V is 1 - E sech^2 for large s and E tanh^2 itself for small s, where the difference would cancel.
    """
    scale = max(1.0, s)
    h = STEP / scale
    reach = min(REACH_Z, REACH_U / s)
    slope = two = four = eight = 0.0
    k = 0
    while k * h <= reach:
        z = k * h
        t = tanh(s * z)
        a = 1.0 - t * t  # sech^2
        weight = exp(-0.5 * z * z) * (0.5 if k == 0 else 1.0)
        slope += weight * ((t / s) * (t / s))
        two += weight * a
        four += weight * (a * a)
        eight += weight * (a * a * a * a)
        k += 1
    norm = h * 0.7978845608028654  # 2 / sqrt(2 pi)
    v = slope * norm if s < 1.0 else (1.0 - two * norm) / (s * s)
    return v, four * norm, eight * norm


def theory(setting: Setting) -> Theory:
    """Return the mean-field curves of a setting (its seed plays no part)."""
    rho = 1.0 if setting.residual else 0.0
    s2 = 1.0 / setting.n if setting.scale else 1.0
    g2 = setting.gain * setting.gain
    rms = [1.0]
    factors, spread = [], []
    fixed = integrals(setting.gain) if setting.norm else None
    for k in range(setting.n):
        v, c, e8 = fixed or integrals(setting.gain * rms[k])
        a = s2 * g2 * g2 / (rms[k] * rms[k] if setting.norm else 1.0)
        chi = a * c
        factors.append(rho + chi)
        spread.append(
            (4.0 * rho * chi + chi * chi * (1.0 + 3.0 * e8 / (c * c))) / ((rho + chi) * (rho + chi)) / D
        )
        rms.append(rms[k] * sqrt(rho + a * v))
    return _curves(rms, factors, spread, setting.residual)


def _curves(rms: Curve, factors: Curve, spread: Curve, residual: bool) -> Theory:
    """Turn the recursion's terms into curves with bands."""
    ratio, variance = [1.0], [0.0]
    for factor, part in zip(reversed(factors), reversed(spread), strict=True):
        ratio.append(ratio[-1] * sqrt(factor))
        variance.append(variance[-1] + part)
    ratio.reverse()
    variance.reverse()
    wide: Band = [Z95 * sqrt((1.0 - 1.0 / (r * r * r * r)) / (2.0 * D)) if residual else None for r in rms]
    median: Band = [r * exp(-v / 4.0) if v <= V_MAX else None for r, v in zip(ratio, variance, strict=True)]
    widen = [exp(Z95 * sqrt(v) / 2.0) for v in variance]
    return Theory(
        rms,
        [None if w is None else r * (1.0 - w) for r, w in zip(rms, wide, strict=True)],
        [None if w is None else r * (1.0 + w) for r, w in zip(rms, wide, strict=True)],
        ratio,
        [None if m is None else m / f for m, f in zip(median, widen, strict=True)],
        median,
        [None if m is None else m * f for m, f in zip(median, widen, strict=True)],
    )
