"""Small model configs at random: other widths, heads, experts, tying, biases and kinds of layer, keys left out.

Each function is one family; `test_params_transformers` compares what the inventory and transformers make of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]


def base(r: random.Random) -> Json:
    """Return sizes that all decoder families share; heads are a multiple of key-value heads."""
    kv, group, width = r.choice([1, 2, 3]), r.choice([1, 2, 4]), r.choice([8, 16, 24])
    return {
        "hidden_size": kv * group * width,
        "num_attention_heads": kv * group,
        "num_key_value_heads": kv,
        "vocab_size": r.randrange(50, 400),
        "intermediate_size": r.randrange(16, 90),
        "num_hidden_layers": r.randrange(1, 7),
        "tie_word_embeddings": r.random() < 0.5,
        "rms_norm_eps": 1e-6,
        "hidden_act": "silu",
        "pad_token_id": None,
    }


def maybe(r: random.Random, config: Json, *keys: str) -> Json:
    """Leave some keys out at random."""
    return {key: value for key, value in config.items() if key not in keys or r.random() < 0.5}


def llama(r: random.Random) -> Json:
    """Return a llama config: with and without biases, head_dim, key-value heads."""
    config = base(r) | {"model_type": "llama", "attention_bias": r.random() < 0.5, "mlp_bias": r.random() < 0.5}
    config["head_dim"] = r.choice([8, 20, None])
    keys = ("head_dim", "num_key_value_heads", "attention_bias", "mlp_bias", "tie_word_embeddings")
    return maybe(r, config, *keys)


def qwen2(r: random.Random) -> Json:
    """Return a qwen2 config."""
    return maybe(r, base(r) | {"model_type": "qwen2", "head_dim": r.choice([8, 20])}, "head_dim")


def qwen3(r: random.Random) -> Json:
    """Return a qwen3 config; an absent head_dim means 128."""
    config = base(r) | {"model_type": "qwen3", "head_dim": 24, "attention_bias": r.random() < 0.5}
    return maybe(r, config, "head_dim", "attention_bias", "tie_word_embeddings")


def qwen3_moe(r: random.Random) -> Json:
    """Return a qwen3_moe config with dense layers by step and by list."""
    config = base(r) | {
        "model_type": "qwen3_moe",
        "num_experts": r.choice([0, 4, 6]),
        "num_experts_per_tok": 2,
        "moe_intermediate_size": r.randrange(8, 40),
        "decoder_sparse_step": r.choice([1, 2, 3]),
        "mlp_only_layers": r.choice([None, [], [0], [1, 3, 99], [0, 1, 2, 3, 4, 5]]),
        "attention_bias": r.random() < 0.5,
        "head_dim": 16,
    }
    return maybe(r, config, "head_dim", "decoder_sparse_step", "mlp_only_layers")


def mixtral(r: random.Random) -> Json:
    """Return a mixtral config."""
    config = base(r) | {"model_type": "mixtral", "num_local_experts": r.choice([2, 5]), "num_experts_per_tok": 2}
    return maybe(r, config | {"head_dim": r.choice([8, None])}, "head_dim")


def olmo2(r: random.Random) -> Json:
    """Return an olmo2 config, also with grouped heads."""
    config = base(r) | {"model_type": "olmo2", "attention_bias": r.random() < 0.5}
    return maybe(r, config, "num_key_value_heads", "attention_bias")


def gpt2(r: random.Random) -> Json:
    """Return a gpt2 config."""
    config = {
        "model_type": "gpt2",
        "n_embd": 8 * r.randrange(1, 9),
        "n_head": r.choice([1, 2, 4]),
        "n_layer": r.randrange(1, 6),
        "n_inner": r.choice([None, 33]),
        "n_positions": r.randrange(8, 64),
        "vocab_size": r.randrange(50, 400),
        "tie_word_embeddings": r.random() < 0.5,
        "add_cross_attention": r.random() < 0.3,
    }
    return maybe(r, config, "n_inner", "tie_word_embeddings", "add_cross_attention")


def gpt_oss(r: random.Random) -> Json:
    """Return a gpt_oss config."""
    config = base(r) | {
        "model_type": "gpt_oss",
        "num_local_experts": r.choice([2, 5]),
        "num_experts_per_tok": 2,
        "head_dim": r.choice([8, 16]),
        "attention_bias": r.random() < 0.5,
    }
    return maybe(r, config, "head_dim", "attention_bias")


def deepseek_v3(r: random.Random) -> Json:
    """Return a deepseek_v3 (or kimi_k2) config, with and without low-rank queries."""
    config = base(r) | {
        "model_type": r.choice(["deepseek_v3", "kimi_k2"]),
        "n_routed_experts": 8,
        "n_shared_experts": r.choice([1, 2]),
        "num_experts_per_tok": 2,
        "n_group": 2,
        "topk_group": 1,
        "moe_intermediate_size": r.randrange(8, 40),
        "first_k_dense_replace": r.randrange(0, 9),
        "kv_lora_rank": r.randrange(4, 20),
        "q_lora_rank": r.choice([None, 12]),
        "qk_nope_head_dim": r.choice([8, 12]),
        "qk_rope_head_dim": r.choice([4, 8]),
        "v_head_dim": r.choice([6, 8]),
        "attention_bias": r.random() < 0.5,
    }
    return maybe(r, config, "q_lora_rank", "first_k_dense_replace", "attention_bias")


def deepseek_v4(r: random.Random) -> Json:
    """Return a deepseek_v4 config: layer kinds as ratios or as names."""
    config = base(r)
    L = config["num_hidden_layers"]
    groups = r.choice([1, 2])
    config |= {
        "model_type": "deepseek_v4",
        "num_attention_heads": groups * r.choice([1, 2, 4]),
        "num_key_value_heads": 1,
        "head_dim": r.choice([16, 32]),
        "qk_rope_head_dim": 8,
        "q_lora_rank": r.randrange(4, 20),
        "o_groups": groups,
        "o_lora_rank": r.randrange(4, 20),
        "index_n_heads": r.choice([2, 4]),
        "index_head_dim": 16,
        "n_routed_experts": r.choice([4, 6]),
        "n_shared_experts": 1,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": r.randrange(8, 40),
        "hc_mult": r.choice([2, 4]),
        "mlp_bias": r.random() < 0.3,
    }
    del config["intermediate_size"]
    if r.random() < 0.5:
        config["compress_ratios"] = [r.choice([0, 4, 128]) for _ in range(L + 1)]
    else:
        kinds = ["sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention"]
        config["layer_types"] = [r.choice(kinds) for _ in range(L)]
    if r.random() < 0.3:
        config |= {"compress_rate_csa": 8, "compress_rate_hca": 32}
    return maybe(r, config, "mlp_bias", "hc_mult")


def qwen3_5_text(r: random.Random) -> Json:
    """Return the text part of a qwen3_5 config, dense or with experts."""
    config = base(r)
    L = config["num_hidden_layers"]
    heads = r.choice([1, 2])
    config |= {
        "model_type": "qwen3_5_text",
        "head_dim": r.choice([16, 32]),
        "attention_bias": r.random() < 0.3,
        "linear_num_key_heads": heads,
        "linear_num_value_heads": heads * r.choice([1, 3]),
        "linear_key_head_dim": r.choice([8, 16]),
        "linear_value_head_dim": r.choice([8, 24]),
        "linear_conv_kernel_dim": r.choice([3, 4]),
        "layer_types": [r.choice(["linear_attention", "full_attention"]) for _ in range(L)],
        "full_attention_interval": r.choice([2, 3]),
        "mtp_num_hidden_layers": r.choice([0, 1]),
    }
    if r.random() < 0.5:
        config |= {
            "model_type": "qwen3_5_moe_text",
            "num_experts": r.choice([4, 6]),
            "num_experts_per_tok": 2,
            "moe_intermediate_size": r.randrange(8, 40),
            "shared_expert_intermediate_size": r.randrange(8, 40),
        }
        del config["intermediate_size"]
    return maybe(r, config, "layer_types", "full_attention_interval", "attention_bias")


def vision(r: random.Random, text: Json) -> Json:
    """Return a vision tower that fits a text model."""
    return {
        "depth": r.randrange(1, 4),
        "hidden_size": 8 * r.randrange(1, 5),
        "intermediate_size": r.randrange(16, 64),
        "num_heads": 2,
        "in_channels": r.choice([1, 3]),
        "patch_size": r.choice([2, 4]),
        "temporal_patch_size": r.choice([1, 2]),
        "spatial_merge_size": r.choice([1, 2]),
        "num_position_embeddings": 16,
        "out_hidden_size": text["hidden_size"],
        "deepstack_visual_indexes": [],
        "hidden_act": "gelu_pytorch_tanh",
    }


def wrapped(r: random.Random, text: Json) -> Json:
    """Return the text model with its wrapper for images, whose own tie_word_embeddings decides."""
    kind = text["model_type"].removesuffix("_text")
    tie = r.random() < 0.5
    return {
        "model_type": kind,
        "text_config": text | {"tie_word_embeddings": tie},
        "vision_config": vision(r, text),
        "tie_word_embeddings": tie,
    }


def qwen3_5(r: random.Random) -> Json:
    """Return a qwen3_5 config with or without its wrapper."""
    text = qwen3_5_text(r)
    return wrapped(r, text) if r.random() < 0.5 else text


def qwen4_exp(r: random.Random) -> Json:
    """Return a qwen4_exp config with hash tables of prime size."""
    text = qwen3_5_text(r)
    kinds = text["layer_types"] = ["linear_attention", *text.get("layer_types", [])[1:]]
    text |= {
        "model_type": "qwen4_exp_text",
        "num_hidden_layers": len(kinds),
        "eos_token_id": 1,
        "hc_count": r.choice([2, 4]),
        "hc_lowrank": r.randrange(4, 20),
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": r.randrange(8, 40),
        "shared_expert_intermediate_size": r.randrange(8, 40),
        "indexer_n_heads": 2,
        "indexer_kv_heads": 1,
        "indexer_head_dim": 32,
        "indexer_budget": 8,
        "indexer_compress_ratio": 4,
        "ngram_vocab_size_base": r.randrange(2, 3000),
        "ngram_size": r.choice([2, 3]),
        "heads_per_ngram": 2,
        "ple_embed_dim": 16,
        "ple_conv_kernel_size": r.choice([3, 4]),
        "make_ngram_vocab_size_divisible_by": r.choice([1, 64]),
        "ple_layer_ids": [i + 1 for i, kind in enumerate(kinds) if kind[0] == "l" and r.random() < 0.6],
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.25},
    }
    text.pop("intermediate_size", None)
    text = maybe(r, text, "ple_layer_ids", "hc_count")
    return wrapped(r, text) if r.random() < 0.5 else text


def kimi_linear(r: random.Random) -> Json:
    """Return a kimi_linear config: layers listed from 1."""
    config = deepseek_v3(r)
    L = config["num_hidden_layers"]
    full = [i + 1 for i in range(L) if r.random() < 0.4]
    config |= {
        "model_type": "kimi_linear",
        "tie_word_embeddings": False,  # transformers' kimi_linear never ties
        "q_lora_rank": config.get("q_lora_rank"),
        "first_k_dense_replace": r.randrange(0, 4),
        "num_experts": config.pop("n_routed_experts"),
        "num_experts_per_token": config.pop("num_experts_per_tok"),
        "num_shared_experts": config.pop("n_shared_experts"),
        "linear_attn_config": {
            "full_attn_layers": full,
            "kda_layers": [i + 1 for i in range(L) if i + 1 not in full],
            "head_dim": 8,
            "num_heads": r.choice([2, 3]),
            "short_conv_kernel_size": r.choice([3, 4]),
        },
    }
    return config


FAMILIES: list[Callable[[random.Random], Json]] = [
    llama, qwen2, qwen3, qwen3_moe, mixtral, olmo2, gpt2, gpt_oss, deepseek_v3, deepseek_v4, qwen3_5, qwen4_exp,
    kimi_linear,
]  # fmt: skip
