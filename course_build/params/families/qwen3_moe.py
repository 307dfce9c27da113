"""Qwen 3 MoE (qwen3_moe): Qwen 3's attention; experts in some layers, one FFN in the others.

A layer i (from 0) has experts when it is not in mlp_only_layers and (i + 1) mod decoder_sparse_step = 0.
Source: transformers 5.23 modeling_qwen3_moe.py; one tensor per expert, as in the published checkpoints.
"""

from __future__ import annotations

from course_build.params.config import Config
from course_build.params.families.common import head, heads, projections, swiglu
from course_build.params.layers import Group, every, interval, without
from course_build.params.plan import Block, Cache, Plan, Traits
from course_build.params.sym import Sym

STACK = "model.layers"


def tensors(c: Config, plan: Plan) -> Traits:
    """List the tensors of a qwen3_moe model."""
    d, V, L = c.size("hidden_size"), c.size("vocab_size"), c.size("num_hidden_layers")
    n = heads(c, d, kv=4)
    bias = c.flag("attention_bias", False, part="attention")

    model = plan.block("model.").norms(eps=c.number("rms_norm_eps", 1e-6))
    model.tensor("embed_tokens.weight", V, d, part="embed")
    layer = model.layers(every(L, STACK))
    attention = layer.under("self_attn.")
    projections(attention, d, n, bias=bias, o_bias=bias)
    attention.norm("q_norm", n.width, place="q", part="norm.qk")
    attention.norm("k_norm", n.width, place="k", part="norm.qk")
    layer.norm("input_layernorm", d, place="input")
    layer.norm("post_attention_layernorm", d, place="post_attention")
    F, F_expert = c.size("intermediate_size"), c.size("moe_intermediate_size")
    kinds = layer_groups(c, L)
    if "dense" in kinds:
        swiglu(model.layers(kinds["dense"]).under("mlp."), d, F, "ffn")
    if "moe" in kinds:
        experts(c, model.layers(kinds["moe"]).under("mlp."), d, F_expert)
    model.norm("norm", d, place="final")
    head(c, plan, V, d)
    return Traits(
        d=d,
        L=L,
        activation=c.word("hidden_act", "silu"),
        gates=("ffn",),
        d_ff=F if "dense" in kinds else None,
        d_expert=F_expert if "moe" in kinds else None,
        k=c.size("num_experts_per_tok") if "moe" in kinds else None,
        E=c.size("num_experts", "num_local_experts") if "moe" in kinds else None,
        q_rows=n.q * n.width,
        caches=(Cache("kv", L, 2 * n.kv * n.width),),
    )


def experts(c: Config, at: Block, d: Sym, F: Sym) -> None:
    """Add the router and the routed experts."""
    E = c.size("num_experts", "num_local_experts")
    at.linear("gate", E, d, part="router")
    swiglu(at.experts("experts.{e}.", E, c.size("num_experts_per_tok")), d, F, "ffn_experts")


def layer_groups(c: Config, L: Sym) -> dict[str, Group]:
    """Return the layers with one FFN (dense) and those with experts (moe)."""
    step = c.size("decoder_sparse_step", default=1, maximum=1024)
    if not c.size("num_experts", "num_local_experts", minimum=0).value:
        return {"dense": Group("dense", L, (range(L.value),), STACK)}
    kinds = interval(L, step, ("dense", "moe"), STACK)
    only = c.integers("mlp_only_layers", [])
    c.decides("mlp_only_layers", "ffn")
    pointer = f"{c.reader.prefix}/mlp_only_layers"
    return without(kinds, "moe", "dense", only, "mlp_only_layers", pointer)
