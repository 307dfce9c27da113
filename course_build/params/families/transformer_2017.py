"""The original Transformer (transformer_2017) by plain rules: no config file of it was ever published.

    attention   four matrices d × d without bias: once per encoder layer, twice per decoder layer
    FFN         two matrices with bias and ReLU
    norms       LayerNorm behind each sublayer (Post-LN), none at the ends
    embedding   one table for both languages, which is the output head too; positions are sines

Our own keys: d_model, d_ff, num_heads, num_encoder_layers, num_decoder_layers, vocab_size.
Source: Vaswani et al. 2017, section 3 and table 3.
"""

from __future__ import annotations

from course_build.params.config import Config
from course_build.params.families.common import head
from course_build.params.layers import every
from course_build.params.plan import Block, Cache, Plan, Traits
from course_build.params.sym import Sym


def tensors(c: Config, plan: Plan) -> Traits:
    """List the tensors of an encoder-decoder as in 2017."""
    d, F, V = c.size("d_model"), c.size("d_ff"), c.size("vocab_size")
    encoders, decoders = c.size("num_encoder_layers"), c.size("num_decoder_layers")
    width = c.size("num_heads") * c.size("d_kv", default=d // c.size("num_heads"))

    top = plan.block().norms(eps=None, kind="LayerNorm")
    top.tensor("embedding.weight", V, d, part="embed")
    encoder = top.under("encoder.").layers(every(encoders, "encoder.layers"))
    attention(encoder, "self_attention", d, width)
    feed_forward(encoder, d, F)
    decoder = top.under("decoder.").layers(every(decoders, "decoder.layers"))
    attention(decoder, "self_attention", d, width)
    attention(decoder, "cross_attention", d, width)
    feed_forward(decoder, d, F)
    head(c, plan, V, d, tied=True)
    return Traits(
        d=d, L=encoders + decoders, activation="relu", d_ff=F, q_rows=width, caches=(Cache("kv", decoders, 2 * width),)
    )


def attention(at: Block, name: str, d: Sym, width: Sym) -> None:
    """Add q, k, v, o without bias, and the norm behind the sublayer."""
    for matrix in ("q", "k", "v"):
        at.linear(f"{name}.{matrix}", width, d, part="attention")
    at.linear(f"{name}.o", d, width, part="attention")
    at.norm(f"{name}_norm", d, place="after_attention", bias=True)


def feed_forward(at: Block, d: Sym, F: Sym) -> None:
    """Add two matrices with bias, and the norm behind the sublayer."""
    at.linear("ffn.w1", F, d, part="ffn", bias=True)
    at.linear("ffn.w2", d, F, part="ffn", bias=True)
    at.norm("ffn_norm", d, place="after_ffn", bias=True)
