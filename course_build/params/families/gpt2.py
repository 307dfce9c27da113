"""GPT-2 (gpt2): learned positions, LayerNorm with bias, one matrix for q, k and v; the head is the embedding.

Matrices are stored (in, out), the transpose of nn.Linear. Source: transformers 5.23 modeling_gpt2.py.
"""

from __future__ import annotations

from course_build.params.config import Config
from course_build.params.families.common import head
from course_build.params.layers import every
from course_build.params.plan import Block, Cache, Plan, Traits
from course_build.params.sym import Sym


def tensors(c: Config, plan: Plan) -> Traits:
    """List the tensors of a gpt2 model."""
    d, V = c.size("n_embd", "hidden_size"), c.size("vocab_size")
    L = c.size("n_layer", "num_hidden_layers")
    F = c.size("n_inner", default=4 * d)

    model = plan.block("transformer.").norms(eps=c.number("layer_norm_epsilon", 1e-5), kind="LayerNorm")
    model.tensor("wte.weight", V, d, part="embed")
    model.tensor("wpe.weight", c.size("n_positions", "max_position_embeddings"), d, part="pos_embed")
    layer = model.layers(every(L, "transformer.h"), "h")
    layer.norm("ln_1", d, place="input", bias=True)
    conv1d(layer, "attn.c_attn", d, 3 * d, "attention")
    conv1d(layer, "attn.c_proj", d, d, "attention")
    layer.norm("ln_2", d, place="post_attention", bias=True)
    if c.flag("add_cross_attention", False):
        conv1d(layer, "crossattention.c_attn", d, 2 * d, "cross_attention")
        conv1d(layer, "crossattention.q_attn", d, d, "cross_attention")
        conv1d(layer, "crossattention.c_proj", d, d, "cross_attention")
        layer.norm("ln_cross_attn", d, place="cross_attention", bias=True)
    conv1d(layer, "mlp.c_fc", d, F, "ffn")
    conv1d(layer, "mlp.c_proj", F, d, "ffn")
    model.norm("ln_f", d, place="final", bias=True)
    head(c, plan, V, d, tied=True)
    return Traits(
        d=d,
        L=L,
        activation=c.word("activation_function", "gelu_new"),
        d_ff=F,
        q_rows=d,
        caches=(Cache("kv", L, 2 * d),),
    )


def conv1d(at: Block, name: str, width: Sym, out: Sym, part: str) -> None:
    """Add a matrix (in, out) with its bias (out,)."""
    at.tensor(f"{name}.weight", width, out, part=part)
    at.tensor(f"{name}.bias", out, part=part)
