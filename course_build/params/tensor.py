"""A tensor of a checkpoint: official name, symbolic shape, how often it occurs, what it is for.

A layer is never written out: `copies` says how often the tensor occurs, so that a list of some forty
tensors describes a model of any depth and any number of experts.  `{i}` in a name stands for the layer,
`{e}` for the expert; a stacked expert tensor has no `{e}` in its name but its experts in `copies`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from course_build.params.layers import Group
from course_build.params.sym import ONE, Sym, product


@dataclass(frozen=True, slots=True)
class Norm:
    """What is special about a normalization's gain (or bias)."""

    kind: str  # RMSNorm, LayerNorm
    place: str  # input, post_attention, final, q, k … (derived.PLACES has the Chinese names)
    zero_centered: bool  # stored as w, used as 1 + w
    eps: float | None  # None: the implementation's own default


@dataclass(frozen=True, slots=True)
class Tensor:
    """One entry of the inventory."""

    name: str
    dims: tuple[Sym, ...]  # shape of one copy
    part: str  # embed, attention, ffn, norm.main …
    times: Sym = ONE  # copies: layers × experts
    active: Sym = ONE  # of these, used for one token
    scope: str = "text"  # text, vision, mtp, projector
    group: Group | None = field(default=None, repr=False)  # the layers that hold it; None: outside the layers
    norm: Norm | None = None
    dtype: str | None = None  # where the config says
    within: str | None = None  # coarse part that it is counted with, when that is not the part's first word

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of one copy."""
        return tuple(dim.value for dim in self.dims)

    @property
    def copies(self) -> int:
        """Return how often the tensor occurs."""
        return self.times.value

    @property
    def zero_centered(self) -> bool | None:
        """Return whether the gain is stored as w and used as 1 + w; None when this is no norm."""
        return self.norm.zero_centered if self.norm else None

    @property
    def size(self) -> Sym:
        """Return the parameters of one copy."""
        return product(self.dims)

    @property
    def total(self) -> Sym:
        """Return the parameters of all copies."""
        return self.times * self.size

    @property
    def count(self) -> int:
        """Return the number of parameters of all copies."""
        return self.total.value

    @property
    def symbol(self) -> str:
        """Return the formula in config keys."""
        return self.total.symbol

    @property
    def numbers(self) -> str:
        """Return the formula with numbers put in."""
        return self.total.numbers
