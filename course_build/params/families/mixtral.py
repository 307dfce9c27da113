"""Mixtral (mixtral): Llama's attention, and in every layer routed experts instead of one FFN.

Source: transformers 5.23 modeling_mixtral.py; expert names as in checkpoints (w1 gate, w3 up, w2 down).
"""

from __future__ import annotations

from course_build.params.config import Config
from course_build.params.families.common import head, heads, projections
from course_build.params.layers import every
from course_build.params.plan import Cache, Plan, Traits


def tensors(c: Config, plan: Plan) -> Traits:
    """List the tensors of a mixtral model."""
    d, V, L = c.size("hidden_size"), c.size("vocab_size"), c.size("num_hidden_layers")
    F, n = c.size("intermediate_size"), heads(c, d, kv=8)
    E, k = c.size("num_local_experts", "num_experts"), c.size("num_experts_per_tok")

    model = plan.block("model.").norms(eps=c.number("rms_norm_eps", 1e-5))
    model.tensor("embed_tokens.weight", V, d, part="embed")
    layer = model.layers(every(L, "model.layers"))
    projections(layer.under("self_attn."), d, n)
    layer.linear("block_sparse_moe.gate", E, d, part="router")
    expert = layer.experts("block_sparse_moe.experts.{e}.", E, k)
    expert.linear("w1", F, d, part="ffn_experts")
    expert.linear("w2", d, F, part="ffn_experts")
    expert.linear("w3", F, d, part="ffn_experts")
    layer.norm("input_layernorm", d, place="input")
    layer.norm("post_attention_layernorm", d, place="post_attention")
    model.norm("norm", d, place="final")
    head(c, plan, V, d)
    window = c.size("sliding_window") if c.has("sliding_window") else None
    return Traits(
        d=d,
        L=L,
        activation=c.word("hidden_act", "silu"),
        gates=("ffn",),
        d_expert=F,
        k=k,
        E=E,
        q_rows=n.q * n.width,
        caches=(Cache("kv", L, 2 * n.kv * n.width, window=window),),
    )
