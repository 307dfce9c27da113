"""Primes near a given number, fast enough to look up sixteen hash table sizes while a page is built."""

from __future__ import annotations

_WITNESSES = (2, 3, 5, 7, 11, 13, 17)  # decide every n below 341,550,071,728,321 (Jaeschke 1993)


def is_prime(n: int) -> bool:
    """Tell whether n is prime (Miller-Rabin; for n < 3.4e14 these witnesses leave no doubt)."""
    if n < 2:
        return False
    for p in _WITNESSES:
        if n % p == 0:
            return n == p
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_passes(pow(a, odd, n), twos, n) for a in _WITNESSES)


def primes_from(start: int, count: int) -> list[int]:
    """Return the first `count` primes p >= start, in order."""
    found: list[int] = []
    n = start
    while len(found) < count:
        if is_prime(n):
            found.append(n)
        n += 1
    return found


def _passes(x: int, twos: int, n: int) -> bool:
    if x in (1, n - 1):
        return True
    for _ in range(twos - 1):
        x = x * x % n
        if x == n - 1:
            return True
    return False
