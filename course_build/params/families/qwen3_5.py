"""Qwen 3.5 and its next of kin (qwen3_5, qwen3_5_moe): three Gated DeltaNet layers to one of attention.

    text     embedding, layers of two kinds, one FFN or MoE each, final norm, head
    vision   vision.py (LayerNorm with bias)
    mtp      one more attention layer that predicts the token after the next

Every main-path, q and k norm is stored as w and used as 1 + w; the DeltaNet's gated norm starts at 1.
Source: transformers 5.23 modeling_qwen3_5*.py; only checkpoints hold the MTP module.
"""

from __future__ import annotations

from course_build.params.config import Config
from course_build.params.families.common import head, swiglu
from course_build.params.families.vision import qwen_vision
from course_build.params.layers import Group, every, interval
from course_build.params.plan import Block, Cache, Plan, Traits
from course_build.params.sym import Sym

KINDS = ("linear_attention", "full_attention")


def tensors(c: Config, plan: Plan) -> Traits:
    """List the tensors of a qwen3_5 or qwen3_5_moe model, with or without its wrapper for images."""
    wrapped = c.has("text_config")
    text = c.sub("text_config") if wrapped else c
    if c.flag("language_model_only", False, part="vision"):
        c.problem("language_model_only", "is true, what such a checkpoint holds is unknown; false is expected")
    d, V, L = text.size("hidden_size"), text.size("vocab_size"), text.size("num_hidden_layers")
    eps = text.number("rms_norm_eps", 1e-6)

    model = plan.block("model.language_model." if wrapped else "model.").norms(eps=eps, zero_centered=True)
    stack = model.prefix + "layers"
    model.tensor("embed_tokens.weight", V, d, part="embed")
    kinds = layer_groups(text, L, stack)
    if "linear_attention" in kinds:
        delta_net(text, model.layers(kinds["linear_attention"]).under("linear_attn."))
    if "full_attention" in kinds:
        attention(text, model.layers(kinds["full_attention"]).under("self_attn."))
    layer = model.layers(every(L, stack))
    layer.norm("input_layernorm", d, place="input")
    layer.norm("post_attention_layernorm", d, place="post_attention")
    feed_forward(text, layer.under("mlp."))
    model.norm("norm", d, place="final")
    head(c, plan, V, d)
    if wrapped:
        qwen_vision(c.sub("vision_config", "vision_config."), plan.block("model.visual.", "vision"))
    mtp(text, plan.block("mtp.", "mtp").norms(eps=eps, zero_centered=True, part="norm.mtp"))
    return traits(text, kinds)


def layer_groups(c: Config, L: Sym, stack: str) -> dict[str, Group]:
    """Return the layers of each kind: from the list, or from the interval when there is no list."""
    if c.has("layer_types"):
        return c.groups("layer_types", KINDS, L, stack)
    return interval(L, c.size("full_attention_interval", default=4, maximum=1024), KINDS, stack)


def attention(c: Config, at: Block, part: str = "attention", norm_part: str = "norm.qk") -> None:
    """Gated attention: q_proj's rows alternate [query, gate] per head, so they are twice as many.

    attn_output_gate: false means no gate (as vLLM reads it); transformers 5.23 ignores the key.
    """
    d, heads, kv = c.size("hidden_size"), c.size("num_attention_heads"), c.size("num_key_value_heads")
    head = c.size("head_dim")
    bias = c.flag("attention_bias", False, part=part)
    at.linear("q_proj", query_rows(c), d, part=part, bias=bias)
    at.linear("k_proj", kv * head, d, part=part, bias=bias)
    at.linear("v_proj", kv * head, d, part=part, bias=bias)
    at.linear("o_proj", d, heads * head, part=part, bias=bias)
    at.norm("q_norm", head, place="q", part=norm_part)
    at.norm("k_norm", head, place="k", part=norm_part)


def query_rows(c: Config) -> Sym:
    """Return the rows of q_proj: one query per head, and a gate beside each query."""
    rows = c.size("num_attention_heads") * c.size("head_dim")
    return 2 * rows if c.flag("attn_output_gate", True, part="attention") else rows


def delta_net(c: Config, at: Block) -> None:
    """Gated DeltaNet: a linear recurrence with key heads, value heads and a short convolution."""
    d = c.size("hidden_size")
    heads, width = c.size("linear_num_value_heads"), c.size("linear_value_head_dim")
    keys, values = c.size("linear_num_key_heads") * c.size("linear_key_head_dim"), heads * width
    part = "linear_attention"
    at.tensor("conv1d.weight", keys * 2 + values, 1, c.size("linear_conv_kernel_dim"), part=part)
    at.tensor("dt_bias", heads, part=part)
    at.of_type(c.word("mamba_ssm_dtype") or at.dtype).tensor("A_log", heads, part=part)
    at.norm("norm", width, place="delta", part="norm.gdn", zero_centered=False)
    at.linear("out_proj", d, values, part=part)
    at.linear("in_proj_qkv", keys * 2 + values, d, part=part)
    at.linear("in_proj_z", values, d, part=part)
    at.linear("in_proj_b", heads, d, part=part)
    at.linear("in_proj_a", heads, d, part=part)


def feed_forward(c: Config, at: Block, mtp: str = "") -> None:
    """SwiGLU; in an MoE a router, routed experts and one shared expert behind a gate of its own."""
    d = c.size("hidden_size")
    if c.has("num_experts"):
        E, F = c.size("num_experts"), c.size("moe_intermediate_size")
        at.linear("gate", E, d, part=f"{mtp}router")
        expert = at.experts("experts.", E, c.size("num_experts_per_tok"))
        expert.tensor("gate_up_proj", 2 * F, d, part=f"{mtp}ffn_experts")
        expert.tensor("down_proj", d, F, part=f"{mtp}ffn_experts")
        shared = f"{mtp}ffn_shared_expert"
        swiglu(at.under("shared_expert."), d, c.size("shared_expert_intermediate_size"), shared)
        at.linear("shared_expert_gate", 1, d, part=f"{mtp}router")
    else:
        swiglu(at, d, c.size("intermediate_size"), f"{mtp}ffn")


def mtp(c: Config, at: Block) -> None:
    """Multi-token prediction: join the stream with the next token's embedding, then one attention layer."""
    n = c.size("mtp_num_hidden_layers", default=0, minimum=0)
    if not n.value:
        return
    if c.flag("mtp_use_dedicated_embeddings", False, part="mtp"):
        c.problem("mtp_use_dedicated_embeddings", "is true, its tensors are unknown; false is expected")
    d = c.size("hidden_size")
    at.linear("fc", d, 2 * d, part="mtp.fc")
    at.norm("pre_fc_norm_embedding", d, place="mtp_embedding")
    at.norm("pre_fc_norm_hidden", d, place="mtp_hidden")
    layer = at.layers(every(n, "mtp.layers"))
    attention(c, layer.under("self_attn."), "mtp.attention", "norm.mtp")
    layer.norm("input_layernorm", d, place="input")
    layer.norm("post_attention_layernorm", d, place="post_attention")
    feed_forward(c, layer.under("mlp."), "mtp.")
    at.norm("norm", d, place="final")


def traits(c: Config, kinds: dict[str, Group]) -> Traits:
    """Say what the tensors do not: activation, gates, cache."""
    kv, width = c.size("num_key_value_heads"), c.size("head_dim")
    gated = c.flag("attn_output_gate", True, part="attention")
    moe = c.has("num_experts")
    gates = ("attention.output",) * gated + ("delta.output", "ffn") + ("shared_expert",) * moe
    return Traits(
        d=c.size("hidden_size"),
        L=c.size("num_hidden_layers"),
        activation=c.word("hidden_act", "silu"),
        gates=gates,
        d_ff=None if moe else c.size("intermediate_size"),
        d_expert=c.size("moe_intermediate_size") if moe else None,
        k=c.size("num_experts_per_tok") if moe else None,
        E=c.size("num_experts") if moe else None,
        q_rows=query_rows(c),
        q_reason="gate" if gated else "heads",
        caches=caches(c, kinds, 2 * kv * width),
    )


def caches(c: Config, kinds: dict[str, Group], width: Sym) -> tuple[Cache, ...]:
    """Say what generation keeps: keys and values, or one state matrix per head."""
    out = []
    if "full_attention" in kinds:
        out.append(Cache("kv", kinds["full_attention"].times, width))
    if "linear_attention" in kinds:
        state = c.size("linear_num_value_heads") * c.size("linear_key_head_dim") * c.size("linear_value_head_dim")
        out.append(Cache("delta", kinds["linear_attention"].times, state, state=True))
    return tuple(out)
