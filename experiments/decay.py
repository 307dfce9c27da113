"""What weight decay alone does to a gain: to 0 if the gain is stored, to 1 if its distance from 1 is stored.

    g0   the gain that training reached       lr      learning rate
    t    steps with decay only                decay   weight decay (AdamW: w <- w - lr decay w each step)

The power is exact repeated multiplication by squaring, not exp(-lr decay t), and has the same bits in
`docs/live/kernel/decay.js`.
"""

from __future__ import annotations

from collections.abc import Iterable


def power(base: float, exponent: int) -> float:
    """Return base^exponent by squaring: multiplications only."""
    result = 1.0
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * base
        base = base * base
        exponent = exponent // 2
    return result


def stored_gain(g0: float, steps: int, lr: float, decay: float) -> float:
    """Return the gain after `steps` when g itself is stored: g0 (1 - lr decay)^t."""
    return g0 * power(1.0 - lr * decay, steps)


def zero_centered_gain(g0: float, steps: int, lr: float, decay: float) -> float:
    """Return the gain after `steps` when w = g - 1 is stored: 1 + (g0 - 1)(1 - lr decay)^t."""
    return 1.0 + (g0 - 1.0) * power(1.0 - lr * decay, steps)


def curves(g0: float, steps: Iterable[int], lr: float, decay: float) -> dict[str, list[float]]:
    """Return both gains at each of `steps`."""
    at = list(steps)
    return {
        "stored": [stored_gain(g0, t, lr, decay) for t in at],
        "zero_centered": [zero_centered_gain(g0, t, lr, decay) for t in at],
    }
