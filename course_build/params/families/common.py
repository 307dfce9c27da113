"""What many families share: embedding, head, attention with grouped heads, SwiGLU."""

from __future__ import annotations

from dataclasses import dataclass

from course_build.params.config import Config
from course_build.params.plan import Block, Plan
from course_build.params.sym import Sym


@dataclass(frozen=True)
class Heads:
    """Numbers of query heads and of key-value heads, and the width of one."""

    q: Sym
    kv: Sym
    width: Sym


def heads(c: Config, d: Sym, *, kv: int | None = None, width: int | None = None) -> Heads:
    """Read the heads; null is one key-value head per query head, and hidden_size ÷ heads wide.

    kv, width: what this family's config class takes when the key is absent (None: the same as null).
    """
    q = c.size("num_attention_heads")
    even = d // q
    return Heads(
        q,
        c.size("num_key_value_heads", default=q if kv is None else kv, null=q),
        c.size("head_dim", default=even if width is None else width, null=even),
    )


def projections(at: Block, d: Sym, n: Heads, *, bias: bool = False, o_bias: bool = False) -> None:
    """Add q, k, v and o; the query heads share n.kv key-value heads."""
    at.linear("q_proj", n.q * n.width, d, part="attention", bias=bias)
    at.linear("k_proj", n.kv * n.width, d, part="attention", bias=bias)
    at.linear("v_proj", n.kv * n.width, d, part="attention", bias=bias)
    at.linear("o_proj", d, n.q * n.width, part="attention", bias=o_bias)


def swiglu(at: Block, d: Sym, F: Sym, part: str, bias: bool = False) -> None:
    """Add three matrices: down(act(gate(x)) · up(x))."""
    at.linear("gate_proj", F, d, part=part, bias=bias)
    at.linear("up_proj", F, d, part=part, bias=bias)
    at.linear("down_proj", d, F, part=part, bias=bias)


def head(c: Config, plan: Plan, V: Sym, d: Sym, tied: bool = False, name: str = "lm_head") -> None:
    """Add the output head, unless it is the embedding itself (`tied`: what an absent key means)."""
    if not c.flag("tie_word_embeddings", tied, part="lm_head"):
        plan.block().linear(name, V, d, part="lm_head")
