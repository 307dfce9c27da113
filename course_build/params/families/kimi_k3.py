"""Kimi K3, Kimi Linear (kimi_k3, kimi_linear): delta attention, some MLA, experts at a latent width.

    linear_attn_config   lists of layers, counted from 1: kda_layers, full_attn_layers
    MLA                  as in deepseek_v3; K3 adds an output gate
    attention residuals  K3: each sublayer reads a learned mix of earlier blocks (norm and one score row)
    routed experts       K3: hidden_size -> routed_expert_hidden_size, experts, norm, back

The router's correction bias is counted (router_bias_buffer), A_log with one number per head. Left out: MTP.
Names as in the published checkpoint. Source: its header census, public ports of modeling_kimi_k3.py, and
transformers 5.23 modeling_kimi_linear.py.
"""

from __future__ import annotations

import itertools

from course_build.params.config import Config
from course_build.params.families.common import head, swiglu
from course_build.params.families.deepseek_v3 import mla, omitted, only_frequency_one
from course_build.params.families.moonvit import moonvit
from course_build.params.layers import Group, every, first
from course_build.params.plan import Block, Cache, Plan, Traits
from course_build.params.sym import Sym

KDA, FULL = "linear_attention", "full_attention"


def tensors(c: Config, plan: Plan) -> Traits:
    """List the tensors of a kimi_k3 model, or of its text model alone (kimi_linear)."""
    wrapped = c.has("text_config")
    text = c.sub("text_config") if wrapped else c
    top = "language_model." if wrapped else ""
    d, V, L = text.size("hidden_size"), text.size("vocab_size"), text.size("num_hidden_layers")
    only_frequency_one(text)

    model = plan.block(f"{top}model.").norms(eps=text.number("rms_norm_eps", 1e-5 if wrapped else 1e-6))
    stack = model.prefix + "layers"
    model.tensor("embed_tokens.weight", V, d, part="embed")
    kinds = layer_groups(text, L, stack)
    if KDA in kinds:
        delta_attention(text, model.layers(kinds[KDA]).under("self_attn."), d)
    if FULL in kinds:
        latent_attention(text, model.layers(kinds[FULL]).under("self_attn."), d)
    feed_forward(text, model, L, d, stack)
    layer = model.layers(every(L, stack))
    layer.norm("input_layernorm", d, place="input")
    layer.norm("post_attention_layernorm", d, place="post_attention")
    if text.optional("attn_res_block_size"):
        for block, name in ((layer, "self_attention"), (layer, "mlp"), (model, "output_attn")):
            block.norm(f"{name}_res_norm", d, place=f"residual_{name}", part="norm.attn_res")
            block.linear(f"{name}_res_proj", 1, d, part="attn_res")
    model.norm("norm", d, place="final")
    head(c, plan, V, d, name=f"{top}lm_head")
    if wrapped:
        moonvit(c.sub("vision_config", "vision_config."), plan)
    return traits(text, kinds)


def layer_groups(c: Config, L: Sym, stack: str) -> dict[str, Group]:
    """Return the layers of each kind from two lists, counted from 1, that name every layer once."""
    if not c.has("linear_attn_config"):
        c.problem("linear_attn_config", "key is missing, an object with kda_layers and full_attn_layers is expected")
        return {}
    lists = c.sub("linear_attn_config", "linear_attn_config.")
    groups = {}
    seen: set[int] = set()
    for kind, key in ((KDA, "kda_layers"), (FULL, "full_attn_layers")):
        numbers = sorted(lists.integers(key))
        wrong = [n for n in numbers if not 1 <= n <= L.value or n in seen] or _twice(numbers)
        if wrong:
            lists.problem(key, f"names layer {wrong[0]}, each of 1…{L.numbers} once in one of the lists is expected")
        seen.update(numbers)
        if numbers:
            count = Sym.key(f"count({key})", len(numbers), f"{lists.reader.prefix}/{key}")
            groups[kind] = Group(kind, count, _stretches(numbers), stack)
    if len(seen) != L.value:
        lists.problem("kda_layers", f"and full_attn_layers name {len(seen):,} layers, {L.numbers} are expected")
    return groups


def _twice(numbers: list[int]) -> list[int]:
    return [a for a, b in itertools.pairwise(numbers) if a == b]


def _stretches(numbers: list[int]) -> tuple[range, ...]:
    """Return sorted 1-based numbers as 0-based stretches: [1, 2, 4] -> (0-1, 3)."""
    out: list[range] = []
    for n in numbers:
        if out and out[-1].stop == n - 1:
            out[-1] = range(out[-1].start, n)
        else:
            out.append(range(n - 1, n))
    return tuple(out)


def delta_attention(c: Config, at: Block, d: Sym) -> None:
    """Add Kimi Delta Attention: q, k, v with convolutions, forget gate f, beta b, output gate g."""
    own = c.sub("linear_attn_config", "linear_attn_config.")
    heads, width, kernel = (
        own.size("num_heads"),
        own.size("head_dim"),
        own.size("short_conv_kernel_size", default=4),
    )
    wide, part = heads * width, "linear_attention"
    for name in ("q", "k", "v"):
        at.linear(f"{name}_proj", wide, d, part=part)
        at.tensor(f"{name}_conv1d.weight", wide, 1, kernel, part=part)
    at.tensor("A_log", heads, part=part)
    at.tensor("dt_bias", wide, part=part)
    at.linear("f_a_proj", width, d, part=part)
    at.linear("f_b_proj", wide, width, part=part)
    at.linear("b_proj", heads, d, part=part)
    if own.flag("use_full_rank_gate", False, part=part):
        at.linear("g_proj", wide, d, part=part)
    else:
        at.linear("g_a_proj", width, d, part=part)
        at.linear("g_b_proj", wide, width, part=part)
    at.norm("o_norm", width, place="delta", part="norm.kda")
    at.linear("o_proj", d, wide, part=part)


def latent_attention(c: Config, at: Block, d: Sym) -> None:
    """Add MLA and, in K3, the gate on its output."""
    mla(c, at.norms(eps=at.eps, part="norm.mla"), rank=None)
    if c.flag("mla_use_output_gate", False, part="attention"):
        at.linear("g_proj", c.size("num_attention_heads") * c.size("v_head_dim"), d, part="attention")


def feed_forward(c: Config, model: Block, L: Sym, d: Sym, stack: str) -> None:
    """Add one FFN in the first layers, and in the others router, routed and shared experts."""
    kinds = first(L, c.size("first_k_dense_replace", default=0, minimum=0), ("dense", "moe"), stack)
    if "dense" in kinds:
        swiglu(model.layers(kinds["dense"]).under("mlp."), d, c.size("intermediate_size"), "ffn")
    if "moe" not in kinds:
        return
    at = model.layers(kinds["moe"]).under("block_sparse_moe.")
    E, F = c.size("num_experts", "num_local_experts"), c.size("moe_intermediate_size")
    at.linear("gate", E, d, part="router")
    at.tensor("gate.e_score_correction_bias", E, part="router_bias_buffer")
    latent = c.optional("routed_expert_hidden_size")
    width = latent or d
    expert = at.experts("experts.{e}.", E, c.size("num_experts_per_token", "num_experts_per_tok"))
    expert = expert.of_type(quantized(c) or expert.dtype)
    expert.linear("w1", F, width, part="ffn_experts")
    expert.linear("w2", width, F, part="ffn_experts")
    expert.linear("w3", F, width, part="ffn_experts")
    if latent:
        at.linear("routed_expert_down_proj", latent, d, part="latent_moe_bridge")
        if c.flag("latent_moe_use_norm", False, part="norm"):
            at.norm("routed_expert_norm", latent, place="experts", part="norm.experts")
        at.linear("routed_expert_up_proj", d, latent, part="latent_moe_bridge")
    shared = c.size("num_shared_experts", "n_shared_experts", default=0, minimum=0)
    if shared.value:
        swiglu(at.under("shared_experts."), d, F * shared, "ffn_shared_expert")


def quantized(c: Config) -> str | None:
    """Return the number format of the routed experts: K3's quantization leaves out all other matrices."""
    return c.sub("quantization_config").word("format") if c.has("quantization_config") else None


def traits(c: Config, kinds: dict[str, Group]) -> Traits:
    """Say what the tensors do not."""
    gated = c.flag("mla_use_output_gate", False, part="attention")
    rows = c.size("num_attention_heads") * (c.size("qk_nope_head_dim") + c.size("qk_rope_head_dim"))
    caches = []
    if FULL in kinds:
        caches.append(Cache("latent", kinds[FULL].times, c.size("kv_lora_rank") + c.size("qk_rope_head_dim")))
    if KDA in kinds:
        own = c.sub("linear_attn_config", "linear_attn_config.")
        state = own.size("num_heads") * own.size("head_dim") * own.size("head_dim")
        caches.append(Cache("delta", kinds[KDA].times, state, state=True))
    beta, linear = c.number("activation_situ_beta", None), c.number("activation_situ_linear_beta", None)
    return Traits(
        d=c.size("hidden_size"),
        L=c.size("num_hidden_layers"),
        activation=c.word("hidden_act", "silu"),
        situ=(beta, linear) if beta is not None and linear is not None else None,
        gates=("attention.output",) * gated + ("delta.output", "delta.forget", "ffn"),
        d_ff=c.size("intermediate_size") if c.size("first_k_dense_replace", default=0, minimum=0).value else None,
        d_expert=c.size("moe_intermediate_size"),
        k=c.size("num_experts_per_token", "num_experts_per_tok"),
        E=c.size("num_experts", "num_local_experts"),
        q_rows=rows,
        q_reason="latent" if c.optional("q_lora_rank") else "heads",
        caches=tuple(caches),
        omitted=omitted(c),
    )
