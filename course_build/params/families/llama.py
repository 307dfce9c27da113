"""Llama, Qwen 2, Qwen 3 (llama, qwen2, qwen3): pre-norm blocks of grouped attention and SwiGLU.

    llama    biases by attention_bias and mlp_bias
    qwen2    a bias on q, k and v, always
    qwen3    bias by attention_bias; q and k pass an RMSNorm per head

Source: transformers 5.23 modeling_llama.py, modeling_qwen2.py, modeling_qwen3.py.
"""

from __future__ import annotations

from course_build.params.config import Config
from course_build.params.families.common import Heads, head, heads, projections, swiglu
from course_build.params.layers import every
from course_build.params.plan import Cache, Plan, Traits
from course_build.params.sym import Sym


def tensors(c: Config, plan: Plan) -> Traits:
    """List the tensors of a llama, qwen2 or qwen3 model."""
    kind = c.word("model_type")
    d, V, L = c.size("hidden_size"), c.size("vocab_size"), c.size("num_hidden_layers")
    F = c.size("intermediate_size")
    n = read_heads(c, kind, d)
    qkv_bias = kind == "qwen2" or c.flag("attention_bias", False, part="attention")
    mlp_bias = kind == "llama" and c.flag("mlp_bias", False, part="ffn")

    model = plan.block("model.").norms(eps=c.number("rms_norm_eps", 1e-6))
    model.tensor("embed_tokens.weight", V, d, part="embed")
    layer = model.layers(every(L, "model.layers"))
    attention = layer.under("self_attn.")
    projections(attention, d, n, bias=qkv_bias, o_bias=qkv_bias and kind != "qwen2")
    if kind == "qwen3":
        attention.norm("q_norm", n.width, place="q", part="norm.qk")
        attention.norm("k_norm", n.width, place="k", part="norm.qk")
    swiglu(layer.under("mlp."), d, F, "ffn", bias=mlp_bias)
    layer.norm("input_layernorm", d, place="input")
    layer.norm("post_attention_layernorm", d, place="post_attention")
    model.norm("norm", d, place="final")
    head(c, plan, V, d)
    return Traits(
        d=d,
        L=L,
        activation=c.word("hidden_act", "silu"),
        gates=("ffn",),
        d_ff=F,
        q_rows=n.q * n.width,
        caches=caches(c, kind, L, n),
    )


def read_heads(c: Config, kind: str | None, d: Sym) -> Heads:
    """Read the heads with this family's defaults; llama refuses a width that does not divide evenly."""
    if kind == "qwen3":
        return heads(c, d, kv=32, width=128)
    n = heads(c, d, kv=32 if kind == "qwen2" else None)
    if not c.has("head_dim") and d.value % n.q.value:
        c.problem("hidden_size", f"is {d.numbers}, a multiple of num_attention_heads ({n.q.numbers}) is expected")
    return n


def caches(c: Config, kind: str | None, L: Sym, n: Heads) -> tuple[Cache, ...]:
    """Say what generation keeps: keys and values of all tokens, or of a window in the upper layers."""
    width = 2 * n.kv * n.width
    if kind == "llama" or not c.flag("use_sliding_window", False, part="none") or not c.has("sliding_window"):
        return (Cache("kv", L, width),)
    window = c.size("sliding_window")
    if c.has("layer_types"):
        kinds = c.groups("layer_types", ("full_attention", "sliding_attention"), L, "model.layers")
        return tuple(
            Cache("kv", group.times, width, window=window if kind == "sliding_attention" else None)
            for kind, group in kinds.items()
        )
    full = c.size("max_window_layers", default=28, minimum=0)
    full = L if full.value > L.value else full
    return Cache("kv", full, width), Cache("kv", L - full, width, window=window)
