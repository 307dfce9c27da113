"""The parameter inventory of a model: its tensors, counted by part and scope, with formulas.

    inv = inventory(load("experiments/configs/anchor-model.json", root))
    inv.total                                 27781427952
    inv.parts()["norm.main"]                  660480
    inv.select(part="norm.main").numbers      (64 × 2 + 1) × 5,120

Parts and scopes are disjoint: their counts add up to the total.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from course_build.params.plan import Traits
from course_build.params.sym import ZERO, Sym, total
from course_build.params.tensor import Tensor


@dataclass(frozen=True)
class Selection:
    """Some of a model's tensors, counted together.

    Attributes:
        count: parameters.
        symbol: formula in config keys, `(num_hidden_layers × 2 + 1) × hidden_size`.
        numbers: the same with numbers put in, `(64 × 2 + 1) × 5,120`.
        tensors: the tensors behind it.
        reads: the config keys it depends on, by absolute JSON pointer.
    """

    count: int
    symbol: str
    numbers: str
    tensors: tuple[Tensor, ...]
    reads: dict[str, Any]


@dataclass(frozen=True)
class Inventory:
    """All tensors of one model, in the checkpoint's order."""

    family: str  # the config's model_type
    tensors: tuple[Tensor, ...]
    traits: Traits
    reads: dict[str, Any]  # every config key that was used
    flags: Mapping[str, Collection[str]]  # keys that decide whether tensors exist -> the parts ("" = any)
    path: str  # file of the config
    pointer: str  # where in the file the config stands

    @property
    def total(self) -> int:
        """Return the number of parameters."""
        return sum(tensor.count for tensor in self.tensors)

    def deciding(self, part: str = "") -> list[str]:
        """Return the keys that decide whether tensors of `part` exist; without one those that decide of the whole."""
        return [
            pointer
            for pointer, decides in self.flags.items()
            if any(not each or (part and _related(each, part)) for each in decides)
        ]

    def parts(self) -> dict[str, int]:
        """Return part -> parameters, the finest division; the values add up to the total."""
        return _added((tensor.part, tensor.count) for tensor in self.tensors)

    def components(self) -> dict[str, int]:
        """Return component -> parameters: norm.main + norm.qk + … -> norm, the tower -> vision."""
        return _added((component(tensor), tensor.count) for tensor in self.tensors)

    def scopes(self) -> dict[str, int]:
        """Return scope (text, vision, projector, mtp) -> parameters; the values add up to the total."""
        return _added((tensor.scope, tensor.count) for tensor in self.tensors)

    def select(self, part: str | None = None, scope: str | None = None, name: str | None = None) -> Selection:
        """Return the tensors that match every filter given.

        Args:
            part: `norm.main`, or the beginning of a dotted name: `norm` is all norms.
            scope: text, vision, projector or mtp; several joined by `+`, `text+mtp`.
            name: a glob on the official name, `*.q_proj.weight`; `{i}` and `{e}` stand for layer and expert.
        """
        scopes = scope.split("+") if scope else None
        chosen = tuple(
            tensor
            for tensor in self.tensors
            if (part is None or f"{tensor.part}.".startswith(f"{part}."))
            and (scopes is None or tensor.scope in scopes)
            and (name is None or fnmatchcase(tensor.name, name))
        )
        return self.selection(chosen, part)

    def selection(self, tensors: Iterable[Tensor], part: str | None = None) -> Selection:
        """Return the count of exactly these tensors, with its formula."""
        chosen = tuple(tensors)
        formula = count_formula(chosen)
        reads = {pointer: self.reads[pointer] for pointer in sorted(formula.pointers)}
        pointers = self.flags if part is None else self.deciding(part)
        reads |= {pointer: self.reads[pointer] for pointer in pointers if pointer in self.reads}
        return Selection(formula.value, formula.symbol, formula.numbers, chosen, reads)


def count_formula(tensors: Iterable[Tensor], active: bool = False) -> Sym:
    """Return the sum over tensors: one product per shape, copies of equal shapes added first.

    active: count only what one token uses (of an MoE's experts, those chosen).
    """
    by_shape: dict[tuple[str, ...], tuple[Sym, list[Sym]]] = {}
    for tensor in tensors:
        key = tuple(sorted(dim.symbol for dim in tensor.dims if dim.symbol != "1"))
        by_shape.setdefault(key, (tensor.size, []))[1].append(tensor.active if active else tensor.times)
    out = ZERO
    for size, times in by_shape.values():
        out = out + total(times) * size
    return out


def component(tensor: Tensor) -> str:
    """Return the coarse part of a tensor."""
    if tensor.within:
        return tensor.within
    if tensor.scope in ("vision", "mtp"):
        return tensor.scope
    return tensor.part.partition(".")[0]


def _related(one: str, other: str) -> bool:
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def _added(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    out: dict[str, int] = {}
    for key, count in pairs:
        out[key] = out.get(key, 0) + count
    return out
