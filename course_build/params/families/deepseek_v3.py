"""DeepSeek V3 and Kimi K2 (deepseek_v3, kimi_k2): MLA, dense layers first, then shared and routed experts.

MLA keeps one latent of kv_lora_rank and one rotary key for all heads: num_key_value_heads counts nothing.
Left out: the multi-token prediction module and the router's correction bias, which is no trained weight.
Source: transformers 5.23 modeling_deepseek_v3.py; one tensor per expert, as in the published checkpoints.
"""

from __future__ import annotations

from course_build.params.config import Config
from course_build.params.families.common import head, swiglu
from course_build.params.layers import every, first
from course_build.params.plan import Block, Cache, Plan, Traits
from course_build.params.sym import Sym

STACK = "model.layers"
MLA_EPS = 1e-6  # q_a_layernorm and kv_a_layernorm take no eps from the config


def tensors(c: Config, plan: Plan) -> Traits:
    """List the tensors of a deepseek_v3 or kimi_k2 model."""
    d, V, L = c.size("hidden_size"), c.size("vocab_size"), c.size("num_hidden_layers")
    F, F_expert = c.size("intermediate_size"), c.size("moe_intermediate_size")
    only_frequency_one(c)

    model = plan.block("model.").norms(eps=c.number("rms_norm_eps", 1e-6))
    model.tensor("embed_tokens.weight", V, d, part="embed")
    layer = model.layers(every(L, STACK))
    q_rows = mla(c, layer.under("self_attn.").norms(eps=MLA_EPS, part="norm.mla"))
    layer.norm("input_layernorm", d, place="input")
    layer.norm("post_attention_layernorm", d, place="post_attention")
    kinds = first(L, c.size("first_k_dense_replace", default=3, minimum=0), ("dense", "moe"), STACK)
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
        k=c.size("num_experts_per_tok"),
        E=c.size("n_routed_experts", "num_local_experts"),
        q_rows=q_rows,
        q_reason="latent",
        caches=(Cache("latent", L, c.size("kv_lora_rank") + c.size("qk_rope_head_dim")),),
        omitted=omitted(c) + ("router_bias",) * ("moe" in kinds),
    )


def mla(c: Config, at: Block, rank: int | None = 1536) -> Sym:
    """Add multi-head latent attention; return the rows of the query matrix.

    q: d -> q_lora_rank -> heads × (nope + rope), or directly when q_lora_rank is null
    k, v: d -> kv_lora_rank (+ one rotary key) -> heads × (nope + v)

    rank: what an absent q_lora_rank means.
    """
    d, heads, latent = c.size("hidden_size"), c.size("num_attention_heads"), c.size("kv_lora_rank")
    nope, rope, v = c.size("qk_nope_head_dim"), c.size("qk_rope_head_dim"), c.size("v_head_dim")
    low = c.optional("q_lora_rank", default=rank)
    bias, part = c.flag("attention_bias", False, part="attention"), "attention"
    q_rows = heads * (nope + rope)
    if low is None:
        at.linear("q_proj", q_rows, d, part=part)
    else:
        at.linear("q_a_proj", low, d, part=part, bias=bias)
        at.norm("q_a_layernorm", low, place="q_latent")
        at.linear("q_b_proj", q_rows, low, part=part)
    at.linear("kv_a_proj_with_mqa", latent + rope, d, part=part, bias=bias)
    at.norm("kv_a_layernorm", latent, place="kv_latent")
    at.linear("kv_b_proj", heads * (nope + v), latent, part=part)
    at.linear("o_proj", d, heads * v, part=part, bias=bias)
    return q_rows


def experts(c: Config, at: Block, d: Sym, F: Sym) -> None:
    """Add the router, the routed experts, and the shared experts as one wider FFN."""
    E = c.size("n_routed_experts", "num_local_experts")
    at.linear("gate", E, d, part="router")
    swiglu(at.experts("experts.{e}.", E, c.size("num_experts_per_tok")), d, F, "ffn_experts")
    swiglu(at.under("shared_experts."), d, F * c.size("n_shared_experts"), "ffn_shared_expert")


def only_frequency_one(c: Config) -> None:
    """Refuse a moe_layer_freq that implementations read differently."""
    if c.size("moe_layer_freq", default=1).value != 1:
        c.problem("moe_layer_freq", "is not 1: DeepSeek's code skips layers, transformers does not; 1 is expected")


def omitted(c: Config) -> tuple[str, ...]:
    """Return ("mtp",) when the config announces a multi-token prediction module."""
    return ("mtp",) if c.size("num_nextn_predict_layers", default=0, minimum=0).value else ()
