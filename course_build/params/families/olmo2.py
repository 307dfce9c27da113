"""OLMo 2 (olmo2): h = x + Norm(F(x)), the norm behind each sublayer; q and k are normed at full width.

Source: transformers 5.23 modeling_olmo2.py.
"""

from __future__ import annotations

from course_build.params.config import Config
from course_build.params.families.common import head, heads, projections, swiglu
from course_build.params.layers import every
from course_build.params.plan import Cache, Plan, Traits


def tensors(c: Config, plan: Plan) -> Traits:
    """List the tensors of an olmo2 model."""
    d, V, L = c.size("hidden_size"), c.size("vocab_size"), c.size("num_hidden_layers")
    F, n = c.size("intermediate_size"), heads(c, d)
    bias = c.flag("attention_bias", False, part="attention")

    model = plan.block("model.").norms(eps=c.number("rms_norm_eps", 1e-5))
    model.tensor("embed_tokens.weight", V, d, part="embed")
    layer = model.layers(every(L, "model.layers"))
    attention = layer.under("self_attn.")
    projections(attention, d, n, bias=bias, o_bias=bias)
    attention.norm("q_norm", n.q * n.width, place="q", part="norm.qk")
    attention.norm("k_norm", n.kv * n.width, place="k", part="norm.qk")
    swiglu(layer.under("mlp."), d, F, "ffn")
    layer.norm("post_attention_layernorm", d, place="after_attention")
    layer.norm("post_feedforward_layernorm", d, place="after_ffn")
    model.norm("norm", d, place="final")
    head(c, plan, V, d)
    return Traits(
        d=d,
        L=L,
        activation=c.word("hidden_act", "silu"),
        gates=("ffn",),
        d_ff=F,
        q_rows=n.q * n.width,
        caches=(Cache("kv", L, 2 * n.kv * n.width),),
    )
