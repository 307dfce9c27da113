"""Whole numbers that remember how they were built: from which config keys, by which arithmetic.

    d = Sym.key("hidden_size", 5120, "/text_config/hidden_size")
    (L * 2 + 1) * d      symbol   (num_hidden_layers × 2 + 1) × hidden_size
                         numbers  (64 × 2 + 1) × 5,120
                         value    660480

Nothing is simplified but + 0 and × 1: a formula reads as the family file wrote it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

SUM, QUOTIENT, PRODUCT, ATOM = 0, 1, 2, 3  # how tightly the outermost operation binds


@dataclass(frozen=True, slots=True)
class Sym:
    """A whole number, its formula in config keys, the same formula with numbers put in."""

    value: int
    symbol: str
    numbers: str
    rank: int = ATOM
    pointers: frozenset[str] = frozenset()  # JSON pointers of the config keys it came from

    @classmethod
    def of(cls, value: int | Sym) -> Sym:
        """Return a literal (`value` as it stands), or `value` itself when it is a Sym."""
        return value if isinstance(value, Sym) else cls(value, f"{value:,}", f"{value:,}")

    @classmethod
    def key(cls, name: str, value: int, pointer: str) -> Sym:
        """Return the value of one config key."""
        return cls(value, name, f"{value:,}", ATOM, frozenset((pointer,)))

    def also(self, pointer: str) -> Sym:
        """Return the same formula, depending on one key more (one that is absent, so that this stands for it)."""
        return replace(self, pointers=self.pointers | {pointer})

    def __repr__(self) -> str:
        return f"{self.symbol} = {self.value:,}"

    def __add__(self, other: int | Sym) -> Sym:
        other = Sym.of(other)
        if not other.pointers and other.value == 0:
            return self
        if not self.pointers and self.value == 0:
            return other
        return _join(self, other, " + ", SUM, self.value + other.value)

    def __radd__(self, other: int) -> Sym:
        return Sym.of(other) + self

    def __sub__(self, other: int | Sym) -> Sym:
        other = Sym.of(other)
        return _join(self, other, " − ", SUM, self.value - other.value, right=PRODUCT)

    def __mul__(self, other: int | Sym) -> Sym:
        other = Sym.of(other)
        if other == ONE:
            return self
        if self == ONE:
            return other
        return _join(self, other, " × ", PRODUCT, self.value * other.value)

    def __rmul__(self, other: int) -> Sym:
        return Sym.of(other) * self

    def __floordiv__(self, other: int | Sym) -> Sym:
        """Return the quotient rounded down; the brackets ⌊ ⌋ show only when rounding happened."""
        other = Sym.of(other)
        value, rest = divmod(self.value, other.value)
        made = _join(self, other, " ÷ ", QUOTIENT, value, right=ATOM)
        if not rest:
            return made
        return Sym(value, f"⌊{made.symbol}⌋", f"⌊{made.numbers}⌋", ATOM, made.pointers)

    def round_up(self, multiple: int | Sym) -> Sym:
        """Return the next multiple of `multiple`, written ⌈a ÷ m⌉ × m unless it is one already."""
        multiple = Sym.of(multiple)
        up = -(-self.value // multiple.value)
        made = _join(self, multiple, " ÷ ", QUOTIENT, up, right=ATOM)
        return Sym(up, f"⌈{made.symbol}⌉", f"⌈{made.numbers}⌉", ATOM, made.pointers) * multiple

    def wrapped(self, rank: int) -> tuple[str, str]:
        """Return (symbol, numbers), in parentheses when the formula binds less tightly than `rank`."""
        return (self.symbol, self.numbers) if self.rank >= rank else (f"({self.symbol})", f"({self.numbers})")


def _join(a: Sym, b: Sym, sign: str, rank: int, value: int, right: int | None = None) -> Sym:
    """Return `a sign b`; `right` is the rank that b needs when it is not `rank`: a − (b + c)."""
    one, two = a.wrapped(rank), b.wrapped(rank if right is None else right)
    pointers = a.pointers | b.pointers
    return Sym(value, f"{one[0]}{sign}{two[0]}", f"{one[1]}{sign}{two[1]}", rank, pointers)


ZERO, ONE = Sym.of(0), Sym.of(1)


def product(factors: Iterable[Sym]) -> Sym:
    """Return the product, 1 when there is no factor."""
    return math.prod(factors, start=ONE)


def total(terms: Iterable[Sym]) -> Sym:
    """Return the sum with equal terms collected: L + L + 1 -> L × 2 + 1 (order of first appearance)."""
    times: dict[str, tuple[Sym, int]] = {}
    for term in terms:
        seen = times.get(term.symbol)
        times[term.symbol] = (term, seen[1] + 1 if seen else 1)
    literal, out = 0, ZERO
    for term, n in times.values():
        if term.pointers:
            out = out + term * n
        else:
            literal += term.value * n
    return out + literal
