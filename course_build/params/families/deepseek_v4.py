"""DeepSeek V4 (deepseek_v4): one key-value head, compressed attention, hyper-connections.

    sliding_attention             keys of a window only
    compressed_sparse_attention   + one entry per 4 tokens, chosen by an indexer
    heavily_compressed_attention  + one entry per 128 tokens, all of them
    hyper-connections             hc_mult streams, mixed before and after each sublayer

The first num_hash_layers layers route by a table of token ids (a buffer), the others by the router's scores.
Left out: that table, the router's correction bias, the multi-token prediction module.
Names as in the checkpoint. Source: transformers 5.23 modeling_deepseek_v4.py, conversion_mapping.py.
"""

from __future__ import annotations

from course_build.params.config import Config
from course_build.params.families.common import head
from course_build.params.families.deepseek_v3 import omitted
from course_build.params.layers import Group, every
from course_build.params.plan import Block, Cache, Plan, Traits
from course_build.params.sym import Sym

STACK = "layers"
SPARSE, HEAVY = "compressed_sparse_attention", "heavily_compressed_attention"
KINDS = ("sliding_attention", SPARSE, HEAVY)
RATIOS = {0: KINDS[0], 4: SPARSE, 128: HEAVY}  # compress_ratios, the older way to write layer_types


def tensors(c: Config, plan: Plan) -> Traits:
    """List the tensors of a deepseek_v4 model."""
    d, V, L = c.size("hidden_size"), c.size("vocab_size"), c.size("num_hidden_layers")
    F, streams = c.size("moe_intermediate_size"), c.size("hc_mult", default=4)
    kinds = layer_groups(c, L)

    model = plan.block().norms(eps=c.number("rms_norm_eps", 1e-6))
    model.tensor("embed.weight", V, d, part="embed")
    layer = model.layers(every(L, STACK))
    attention(c, layer.under("attn."), d)
    for kind, group in kinds.items():
        if kind != KINDS[0]:
            compressor(c, model.layers(group).under("attn."), d, kind)
    layer.norm("attn_norm", d, place="input")
    layer.norm("ffn_norm", d, place="post_attention")
    experts(c, layer.under("ffn."), d, F)
    hyper_connections(layer, d, streams)
    model.norm("norm", d, place="final")
    model.tensor("hc_head_fn", streams, streams * d, part="hyper_connection")
    model.tensor("hc_head_base", streams, part="hyper_connection")
    model.tensor("hc_head_scale", 1, part="hyper_connection")
    head(c, plan, V, d, name="head")
    return Traits(
        d=d,
        L=L,
        activation=c.word("hidden_act", "silu"),
        limit=c.number("swiglu_limit", 10.0),
        gates=("compressor", "ffn"),
        d_expert=F,
        k=c.size("num_experts_per_tok"),
        E=c.size("n_routed_experts", "num_local_experts"),
        q_rows=c.size("num_attention_heads") * c.size("head_dim"),
        q_reason="latent",
        caches=caches(c, L, kinds),
        omitted=(*omitted(c), "router_bias"),
    )


def layer_groups(c: Config, L: Sym) -> dict[str, Group]:
    """Return the layers of each kind, from layer_types or compress_ratios (which lists MTP layers too)."""
    if c.has("layer_types"):
        return c.groups("layer_types", KINDS, L, STACK, c.words("layer_types")[: L.value])
    if c.has("compress_ratios"):
        ratios = c.integers("compress_ratios")[: L.value]
        return c.groups("compress_ratios", KINDS, L, STACK, [RATIOS.get(r, str(r)) for r in ratios])
    c.problem("layer_types", "key is missing, and so is compress_ratios: one of the two is expected")
    return {}


def attention(c: Config, at: Block, d: Sym) -> None:
    """Add low-rank queries, one key-value head, and a grouped low-rank output."""
    heads, width, rank = c.size("num_attention_heads"), c.size("head_dim"), c.size("q_lora_rank")
    groups, out_rank, part = c.size("o_groups"), c.size("o_lora_rank"), "attention"
    at.tensor("attn_sink", heads, part=part)
    at.linear("wq_a", rank, d, part=part)
    at.norm("q_norm", rank, place="q_latent", part="norm.mla")
    at.linear("wq_b", heads * width, rank, part=part)
    at.linear("wkv", width, d, part=part)
    at.norm("kv_norm", width, place="kv_latent", part="norm.mla")
    at.linear("wo_a", groups * out_rank, heads * width // groups, part=part)
    at.linear("wo_b", d, groups * out_rank, part=part)


def compressor(c: Config, at: Block, d: Sym, kind: str) -> None:
    """Add what turns several tokens into one entry; the sparse kind overlaps (2 ×) and has an indexer."""
    width, every_tokens = c.size("head_dim"), rate(c, kind)
    wide = 2 * width if kind == SPARSE else width
    pool(at.under("compressor."), d, wide, width, every_tokens, "compressor")
    if kind == SPARSE:
        heads, small = c.size("index_n_heads"), c.size("index_head_dim")
        index = at.under("indexer.")
        pool(index.under("compressor."), d, 2 * small, small, every_tokens, "indexer")
        index.linear("wq_b", heads * small, c.size("q_lora_rank"), part="attention")
        index.linear("weights_proj", heads, d, part="attention")


def pool(at: Block, d: Sym, wide: Sym, width: Sym, tokens: Sym, place: str) -> None:
    """Add a gated pooling: values, gates, a bias per position, a norm on the result."""
    at.linear("wkv", wide, d, part="attention")
    at.linear("wgate", wide, d, part="attention")
    at.tensor("ape", tokens, wide, part="attention")
    at.norm("norm", width, place=place, part=f"norm.{place}")


def rate(c: Config, kind: str) -> Sym:
    """Return how many tokens make one compressed entry."""
    default = Sym.of(4 if kind == SPARSE else 128)
    if c.has("compress_rates"):
        return c.sub("compress_rates", "compress_rates.").size(kind, default=default)
    return c.size("compress_rate_csa" if kind == SPARSE else "compress_rate_hca", default=default)


def experts(c: Config, at: Block, d: Sym, F: Sym) -> None:
    """Add the router, the routed experts and the one shared expert."""
    if c.size("n_shared_experts", default=1).value != 1:
        c.problem("n_shared_experts", "is not 1, the model's code knows one shared expert; 1 is expected")
    E, bias = c.size("n_routed_experts", "num_local_experts"), c.flag("mlp_bias", False)
    at.linear("gate", E, d, part="router")
    expert = at.experts("experts.{e}.", E, c.size("num_experts_per_tok"))
    three(expert.of_type(c.word("expert_dtype") or at.dtype), d, F, "ffn_experts")
    three(at.under("shared_experts."), d, F, "ffn_shared_expert", bias)


def three(at: Block, d: Sym, F: Sym, part: str, bias: bool = False) -> None:
    """Add gate (w1), down (w2) and up (w3)."""
    at.linear("w1", F, d, part=part, bias=bias)
    at.linear("w2", d, F, part=part, bias=bias)
    at.linear("w3", F, d, part=part, bias=bias)


def hyper_connections(layer: Block, d: Sym, n: Sym) -> None:
    """Add the mixing of n streams around attention and FFN: n in, n out, n × n between."""
    for sublayer in ("attn", "ffn"):
        layer.tensor(f"hc_{sublayer}_fn", (2 + n) * n, n * d, part="hyper_connection")
        layer.tensor(f"hc_{sublayer}_base", (2 + n) * n, part="hyper_connection")
        layer.tensor(f"hc_{sublayer}_scale", 3, part="hyper_connection")


def caches(c: Config, L: Sym, kinds: dict[str, Group]) -> tuple[Cache, ...]:
    """Say what generation keeps: a window in all layers, compressed entries and index keys in some."""
    width = c.size("head_dim")
    out = [Cache("kv", L, width, window=c.size("sliding_window", default=128))]
    for kind, group in kinds.items():
        if kind != KINDS[0]:
            out.append(Cache("compressed", group.times, width, every=rate(c, kind)))
    if SPARSE in kinds:
        out.append(Cache("index", kinds[SPARSE].times, c.size("index_head_dim"), every=rate(c, SPARSE)))
    return tuple(out)
