"""How a family file writes its tensors down: blocks that know their name, copies, scope and number type.

    model = plan.block("model.")
    layer = model.layers(every(L, "model.layers"))            # model.layers.{i}.
    layer.norm("input_layernorm", d, place="input")
    layer.linear("self_attn.q_proj", heads * head_dim, d, part="attention", bias=attention_bias)

A family file reads like the checkpoint's own list of names.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from course_build.params.layers import Group
from course_build.params.sym import ONE, Sym
from course_build.params.tensor import Norm, Tensor


@dataclass(frozen=True, slots=True)
class Cache:
    """Numbers that generation keeps for some layers.

    growing (window None, state false): layers × width ÷ every for each further token
    window: layers × width × window at most, however long the text
    state: layers × width once, however long the text
    """

    what: str  # kv, latent, compressed, index, delta …
    layers: Sym
    width: Sym  # numbers per entry and layer
    every: Sym = ONE  # tokens per entry
    window: Sym | None = None
    state: bool = False


@dataclass(frozen=True)
class Traits:
    """What a family says about a model besides its tensors; `derived` turns it into facts."""

    d: Sym  # width of the residual stream
    L: Sym  # layers of the text model
    activation: str | None = None  # the config's own word: silu, gelu_new, situ …
    limit: float | None = None  # clamp of the gate's and up-projection's values; None: no clamp
    alpha: float | None = None  # gpt-oss: (up + 1) · gate · sigmoid(alpha · gate); None: up · silu(gate)
    situ: tuple[float, float] | None = None  # (beta, linear beta): |f| <= beta × linear beta
    gates: tuple[str, ...] = ()  # attention.output, delta.output, ffn, shared_expert …
    d_ff: Sym | None = None  # FFN width of the dense layers
    d_expert: Sym | None = None  # FFN width of one routed expert
    k: Sym | None = None  # routed experts of one token
    E: Sym | None = None  # routed experts of one layer
    q_rows: Sym | None = None  # rows of the matrix that makes the queries
    q_reason: str = "heads"  # heads; gate (a gate beside each query); latent (from a low-rank query)
    caches: tuple[Cache, ...] = ()
    omitted: tuple[str, ...] = ()  # what the checkpoint may hold and the count leaves out: mtp, router_bias


@dataclass(frozen=True)
class Plan:
    """The growing list of tensors of one model."""

    dtype: str | None = None
    tensors: list[Tensor] = field(default_factory=list)

    def block(self, prefix: str = "", scope: str = "text") -> Block:
        """Return the outermost block."""
        return Block(self, prefix, scope=scope, dtype=self.dtype)


@dataclass(frozen=True)
class Block:
    """A place in the model: everything added below it shares name prefix, copies and scope."""

    plan: Plan
    prefix: str = ""
    times: Sym = ONE
    active: Sym = ONE
    scope: str = "text"
    group: Group | None = None
    dtype: str | None = None
    eps: float | None = None
    norm_kind: str = "RMSNorm"
    zero_centered: bool = False
    norm_part: str = "norm.main"
    within: str | None = None

    def under(self, prefix: str) -> Block:
        """Return the block of a submodule."""
        return replace(self, prefix=self.prefix + prefix)

    def norms(
        self,
        *,
        eps: float | None,
        kind: str = "RMSNorm",
        zero_centered: bool = False,
        part: str = "norm.main",
    ) -> Block:
        """Return the same block with other habits for its norms."""
        return replace(self, eps=eps, norm_kind=kind, zero_centered=zero_centered, norm_part=part)

    def layers(self, group: Group, name: str = "layers") -> Block:
        """Return the block of one layer of `group`: what is added occurs group.times times."""
        return replace(
            self,
            prefix=f"{self.prefix}{name}.{{i}}.",
            times=self.times * group.times,
            active=self.active * group.times,
            group=group,
        )

    def experts(self, prefix: str, number: Sym, active: Sym) -> Block:
        """Return the block of one routed expert: `number` of them, `active` used for one token."""
        return replace(self, prefix=self.prefix + prefix, times=self.times * number, active=self.active * active)

    def of_type(self, dtype: str | None) -> Block:
        """Return the same block holding another number type."""
        return replace(self, dtype=dtype)

    def counted_with(self, component: str) -> Block:
        """Return the same block, its tensors counted with a coarse part (norms that belong to a module)."""
        return replace(self, within=component)

    def tensor(self, name: str, *dims: Sym | int, part: str, norm: Norm | None = None) -> None:
        """Add one tensor."""
        self.plan.tensors.append(
            Tensor(
                self.prefix + name,
                tuple(Sym.of(dim) for dim in dims),
                part,
                self.times,
                self.active,
                self.scope,
                self.group,
                norm,
                self.dtype,
                self.within,
            )
        )

    def linear(self, name: str, out: Sym | int, width: Sym | int, *, part: str, bias: bool = False) -> None:
        """Add a weight (out, width) and, when there is one, its bias (out,)."""
        self.tensor(f"{name}.weight", out, width, part=part)
        if bias:
            self.tensor(f"{name}.bias", out, part=part)

    def norm(
        self,
        name: str,
        width: Sym | int,
        *,
        place: str,
        part: str | None = None,
        zero_centered: bool | None = None,
        bias: bool = False,
    ) -> None:
        """Add a normalization's gain (width,) and, for a LayerNorm, its bias."""
        zero = self.zero_centered if zero_centered is None else zero_centered
        norm = Norm(self.norm_kind, place, zero, self.eps)
        self.tensor(f"{name}.weight", width, part=part or self.norm_part, norm=norm)
        if bias:
            self.tensor(f"{name}.bias", width, part=part or self.norm_part, norm=norm)
