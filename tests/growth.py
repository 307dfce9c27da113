"""How processor time grows with the amount of work: a ratio within one run, so that any machine may judge it."""

from __future__ import annotations

import time
from collections.abc import Callable

FACTOR = 8
GRACE = 0.05  # seconds: what a garbage collection or a cold cache may cost


def is_linear(work: Callable[[int], object], size: int) -> bool:
    """Tell whether eight times `size` takes at most three times eight times as long (quadratic: sixty-four)."""

    def seconds(count: int) -> float:
        start = time.process_time()
        work(count)
        return time.process_time() - start

    small = min(seconds(size) for _ in range(3))
    return min(seconds(FACTOR * size) for _ in range(2)) < 3 * FACTOR * small + GRACE
