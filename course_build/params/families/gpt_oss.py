"""gpt-oss (gpt_oss): window and full attention in turns, with sinks; stacked experts with biases.

Experts are stored (in, out), the transpose of nn.Linear. Source: transformers 5.23 modeling_gpt_oss.py.
"""

from __future__ import annotations

from course_build.params.config import Config
from course_build.params.families.common import Heads, head, heads, projections
from course_build.params.layers import Group, every, interval
from course_build.params.plan import Block, Cache, Plan, Traits
from course_build.params.sym import Sym

STACK = "model.layers"
KINDS = ("sliding_attention", "full_attention")


def tensors(c: Config, plan: Plan) -> Traits:
    """List the tensors of a gpt_oss model."""
    d, V, L = c.size("hidden_size"), c.size("vocab_size"), c.size("num_hidden_layers")
    F, n = c.size("intermediate_size"), heads(c, d, kv=8, width=64)
    bias = c.flag("attention_bias", True, part="attention")

    model = plan.block("model.").norms(eps=c.number("rms_norm_eps", 1e-5))
    model.tensor("embed_tokens.weight", V, d, part="embed")
    layer = model.layers(every(L, STACK))
    attention = layer.under("self_attn.")
    projections(attention, d, n, bias=bias, o_bias=bias)
    attention.tensor("sinks", n.q, part="attention")
    layer.norm("input_layernorm", d, place="input")
    layer.norm("post_attention_layernorm", d, place="post_attention")
    experts(c, layer.under("mlp."), d, F)
    model.norm("norm", d, place="final")
    head(c, plan, V, d)
    return Traits(
        d=d,
        L=L,
        activation=c.word("hidden_act", "silu"),
        limit=c.number("swiglu_limit", 7.0),
        alpha=c.number("swiglu_alpha", 1.702),
        gates=("ffn",),
        d_expert=F,
        k=c.size("num_experts_per_tok", "experts_per_token"),
        E=c.size("num_local_experts", "num_experts"),
        q_rows=n.q * n.width,
        caches=caches(c, layer_groups(c, L), n),
    )


def experts(c: Config, at: Block, d: Sym, F: Sym) -> None:
    """Add the router and the experts, both with biases; quantized experts are listed at full size."""
    E = c.size("num_local_experts", "num_experts")
    at.linear("router", E, d, part="router", bias=True)
    method = c.sub("quantization_config").word("quant_method") if c.has("quantization_config") else None
    expert = at.experts("experts.", E, c.size("num_experts_per_tok", "experts_per_token"))
    matrices = expert.of_type(method or expert.dtype)
    matrices.tensor("gate_up_proj", d, 2 * F, part="ffn_experts")
    expert.tensor("gate_up_proj_bias", 2 * F, part="ffn_experts")
    matrices.tensor("down_proj", F, d, part="ffn_experts")
    expert.tensor("down_proj_bias", d, part="ffn_experts")


def layer_groups(c: Config, L: Sym) -> dict[str, Group]:
    """Return the layers of each kind; without a list they alternate, window first."""
    if c.has("layer_types"):
        return c.groups("layer_types", KINDS, L, STACK)
    return interval(L, Sym.of(2), KINDS, STACK)


def caches(c: Config, kinds: dict[str, Group], n: Heads) -> tuple[Cache, ...]:
    """Say what generation keeps: everything in full layers, a window in the others."""
    width, window = 2 * n.kv * n.width, c.size("sliding_window", default=128)
    return tuple(
        Cache("kv", group.times, width, window=window if kind == "sliding_attention" else None)
        for kind, group in kinds.items()
    )
