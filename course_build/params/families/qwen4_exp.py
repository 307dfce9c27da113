"""Qwen 4 Exp (qwen4_exp): Qwen 3.5 MoE with hyper-connections, attention indexer, hashed n-grams.

    hyper-connections  hc_count streams; the norm in front of each sublayer spans them all
    indexer            picks the tokens that full attention may look at
    PLE                in a few layers: embeddings of hashed n-grams, each hash table of prime size

Left out: the multi-token prediction module, whose tensors no public code shows.
Source: transformers 5.23 modeling_qwen4_exp.py (its ngram_embedding.weight is stored in shards).
"""

from __future__ import annotations

from course_build.params.config import Config
from course_build.params.families.common import head
from course_build.params.families.qwen3_5 import KINDS, attention, caches, delta_net, feed_forward, query_rows
from course_build.params.families.vision import qwen_vision
from course_build.params.layers import Group, every, interval
from course_build.params.plan import Block, Cache, Plan, Traits
from course_build.params.primes import primes_from
from course_build.params.sym import Sym

MOST_PRIMES = 4096  # hash tables of one model; far above any real one


def tensors(c: Config, plan: Plan) -> Traits:
    """List the tensors of a qwen4_exp model, with or without its wrapper for images."""
    wrapped = c.has("text_config")
    text = c.sub("text_config") if wrapped else c
    d, V, L = text.size("hidden_size"), text.size("vocab_size"), text.size("num_hidden_layers")
    wide = text.size("hc_count", default=4) * d

    model = plan.block("model.language_model." if wrapped else "model.")
    model = model.norms(eps=text.number("rms_norm_eps", 1e-6), zero_centered=True)
    stack = model.prefix + "layers"
    model.tensor("embed_tokens.weight", V, d, part="embed")
    kinds = layer_groups(text, L, stack)
    if "linear_attention" in kinds:
        delta_net(text, model.layers(kinds["linear_attention"]).under("linear_attn."))
    if "full_attention" in kinds:
        at = model.layers(kinds["full_attention"]).under("self_attn.")
        attention(text, at)
        indexer(text, at.under("indexer."), d)
    layer = model.layers(every(L, stack))
    feed_forward(text, layer.under("mlp."))
    hyper_connection(text, layer.under("attn_hyper_connection."), d, wide, "input")
    hyper_connection(text, layer.under("mlp_hyper_connection."), d, wide, "post_attention")
    per_layer_embeddings(text, model, d, wide, stack)
    hyper_connection(text, model.under("hyper_connection_mixer."), d, wide, "final")
    head(c, plan, V, d)
    if wrapped:
        qwen_vision(c.sub("vision_config", "vision_config."), plan.block("model.visual.", "vision"))
    return traits(text, kinds)


def layer_groups(c: Config, L: Sym, stack: str) -> dict[str, Group]:
    """Return the layers of each kind; `indexed_attention` is the newer word for `full_attention`."""
    if c.has("layer_types"):
        words = ["full_attention" if word == "indexed_attention" else word for word in c.words("layer_types")]
        return c.groups("layer_types", KINDS, L, stack, words)
    return interval(L, c.size("full_attention_interval", default=4, maximum=1024), KINDS, stack)


def hyper_connection(c: Config, at: Block, d: Sym, wide: Sym, place: str) -> None:
    """Add the mixing of all streams into one input, and (not at the end) back: gates of low rank."""
    rank, part = c.size("hc_lowrank", default=320), "hyper_connection"
    at = at.counted_with(part)
    at.norm("hc_norm", wide, place=place)
    at.linear("input_mix_weight_down", rank, wide, part=part)
    at.linear("input_mix_weight_up", wide, rank, part=part)
    if place != "final":
        at.linear("block_inject_weight", c.size("hc_count", default=4), wide, part=part)


def indexer(c: Config, at: Block, d: Sym) -> None:
    """Add the indexer of full attention: small queries and keys, normed."""
    heads, keys, width = c.size("indexer_n_heads"), c.size("indexer_kv_heads"), c.size("indexer_head_dim")
    at.linear("index_qk_proj", (heads + keys) * width, d, part="attention")
    at.norm("q_layernorm", width, place="indexer_q", part="norm.indexer")
    at.norm("k_layernorm", width, place="indexer_k", part="norm.indexer")


def per_layer_embeddings(c: Config, model: Block, d: Sym, wide: Sym, stack: str) -> None:
    """Add per layer of ple_layer_ids (from 1): hash tables, key, value, three norms, convolution."""
    ids = sorted(set(c.integers("ple_layer_ids", [])))
    c.decides("ple_layer_ids")
    wrong = [n for n in ids if not 1 <= n <= c.size("num_hidden_layers").value]
    if wrong:
        c.problem("ple_layer_ids", f"names layer {wrong[0]}, numbers from 1 to the last layer are expected")
    if not ids or wrong:
        return
    grams, per_gram = c.size("ngram_size", default=3, minimum=2), c.size("heads_per_ngram", default=8)
    heads, E = (grams - 1) * per_gram, c.size("ple_embed_dim", default=d)
    if E.value % heads.value or len(ids) * heads.value > MOST_PRIMES:
        c.problem("ple_embed_dim", f"is {E.numbers}, a multiple of the {heads.value:,} n-gram heads is expected")
        return
    sizes = primes_from(c.size("ngram_vocab_size_base", default=20_000_000).value, len(ids) * heads.value)
    base = f"{c.reader.prefix}/ngram_vocab_size_base"
    for place, layer_id in enumerate(ids):
        rows = sum(sizes[place * heads.value : (place + 1) * heads.value])
        name = f"Σ primes {place * heads.value + 1}…{(place + 1) * heads.value} from ngram_vocab_size_base"
        table = Sym.key(name, rows, base).round_up(c.size("make_ngram_vocab_size_divisible_by", default=128))
        one = Group(f"PLE {layer_id}", Sym.of(1), (range(layer_id - 1, layer_id),), stack)
        at = model.layers(one).under("ple.")
        at.tensor("ple_embedding.ngram_embedding.weight", table, E // heads, part="ple_embed")
        at.linear("key_proj", wide, E, part="ple")
        at.linear("value_proj", d, E, part="ple")
        for norm in ("norm_key", "norm_query", "norm_conv"):
            at.counted_with("ple").norm(norm, wide, place=f"ple_{norm[5:]}", part="norm.ple")
        at.tensor("conv1d.weight", wide, 1, c.size("ple_conv_kernel_size", default=4), part="ple")


def traits(c: Config, kinds: dict[str, Group]) -> Traits:
    """Say what the tensors do not."""
    kept = caches(c, kinds, 2 * c.size("num_key_value_heads") * c.size("head_dim"))
    if "full_attention" in kinds:
        width = c.size("indexer_kv_heads") * c.size("indexer_head_dim")
        kept += (Cache("index", kinds["full_attention"].times, width),)
    announced = c.size("mtp_num_hidden_layers", default=0, minimum=0).value
    return Traits(
        d=c.size("hidden_size"),
        L=c.size("num_hidden_layers"),
        activation=c.word("hidden_act", "silu"),
        gates=("attention.output", "delta.output", "ffn", "shared_expert", "hyper_connection", "ple"),
        d_expert=c.size("moe_intermediate_size"),
        k=c.size("num_experts_per_tok"),
        E=c.size("num_experts"),
        q_rows=query_rows(c),
        q_reason="gate",
        caches=kept,
        omitted=("mtp",) if announced else (),
    )
