"""Public configs that are not in ../shared: totals as their publishers or model pages state them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from course_build.files.source import load
from course_build.params import inventory
from course_build.params.derived import active_params

KDA = [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26]
PUBLIC: dict[str, tuple[dict[str, Any], int]] = {
    "mixtral-8x7b": (
        {
            "model_type": "mixtral",
            "hidden_size": 4096,
            "intermediate_size": 14336,
            "num_attention_heads": 32,
            "num_hidden_layers": 32,
            "num_key_value_heads": 8,
            "num_experts_per_tok": 2,
            "num_local_experts": 8,
            "sliding_window": None,
            "vocab_size": 32000,
        },
        46_702_792_704,
    ),
    "gpt2-medium": (
        {"model_type": "gpt2", "n_embd": 1024, "n_layer": 24, "n_positions": 1024, "vocab_size": 50257},
        354_823_168,
    ),
    "qwen2-0.5b": (
        {
            "model_type": "qwen2",
            "hidden_size": 896,
            "intermediate_size": 4864,
            "num_attention_heads": 14,
            "num_hidden_layers": 24,
            "num_key_value_heads": 2,
            "tie_word_embeddings": True,
            "vocab_size": 151936,
        },
        494_032_768,
    ),
    "llama-3.2-1b": (
        {
            "model_type": "llama",
            "hidden_size": 2048,
            "intermediate_size": 8192,
            "head_dim": 64,
            "num_attention_heads": 32,
            "num_hidden_layers": 16,
            "num_key_value_heads": 8,
            "tie_word_embeddings": True,
            "vocab_size": 128256,
        },
        1_235_814_400,
    ),
    "qwen3-30b-a3b": (
        {
            "model_type": "qwen3_moe",
            "decoder_sparse_step": 1,
            "head_dim": 128,
            "hidden_size": 2048,
            "intermediate_size": 6144,
            "mlp_only_layers": [],
            "moe_intermediate_size": 768,
            "num_attention_heads": 32,
            "num_experts": 128,
            "num_experts_per_tok": 8,
            "num_hidden_layers": 48,
            "num_key_value_heads": 4,
            "vocab_size": 151936,
        },
        30_532_122_624,
    ),
    "olmo-2-13b": (
        {
            "model_type": "olmo2",
            "hidden_size": 5120,
            "intermediate_size": 13824,
            "num_attention_heads": 40,
            "num_hidden_layers": 40,
            "num_key_value_heads": 40,
            "vocab_size": 100352,
        },
        13_716_198_400,
    ),
    "olmo-2-32b": (
        {
            "model_type": "olmo2",
            "hidden_size": 5120,
            "intermediate_size": 27648,
            "num_attention_heads": 40,
            "num_hidden_layers": 64,
            "num_key_value_heads": 8,
            "vocab_size": 100352,
        },
        32_234_279_936,
    ),
    "gpt-oss-120b": (
        {
            "model_type": "gpt_oss",
            "head_dim": 64,
            "hidden_size": 2880,
            "intermediate_size": 2880,
            "num_attention_heads": 64,
            "num_experts_per_tok": 4,
            "num_hidden_layers": 36,
            "num_key_value_heads": 8,
            "num_local_experts": 128,
            "vocab_size": 201088,
        },
        116_829_156_672,
    ),
    "kimi-k2": (
        {
            "model_type": "kimi_k2",
            "first_k_dense_replace": 1,
            "hidden_size": 7168,
            "intermediate_size": 18432,
            "kv_lora_rank": 512,
            "moe_intermediate_size": 2048,
            "n_routed_experts": 384,
            "n_shared_experts": 1,
            "num_attention_heads": 64,
            "num_experts_per_tok": 8,
            "num_hidden_layers": 61,
            "num_key_value_heads": 64,
            "q_lora_rank": 1536,
            "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64,
            "v_head_dim": 128,
            "vocab_size": 163840,
        },
        1_026_408_232_448 - 60 * 384,  # the published figure has the router's correction bias in it
    ),
    "qwen3.5-35b-a3b, text": (
        {
            "model_type": "qwen3_5_moe_text",
            "full_attention_interval": 4,
            "head_dim": 256,
            "hidden_size": 2048,
            "linear_conv_kernel_dim": 4,
            "linear_key_head_dim": 128,
            "linear_num_key_heads": 16,
            "linear_num_value_heads": 32,
            "linear_value_head_dim": 128,
            "moe_intermediate_size": 512,
            "num_attention_heads": 16,
            "num_experts": 256,
            "num_experts_per_tok": 8,
            "num_hidden_layers": 40,
            "num_key_value_heads": 2,
            "shared_expert_intermediate_size": 512,
            "vocab_size": 248320,
        },
        34_660_610_688,
    ),
    "kimi-linear-48b": (
        {
            "model_type": "kimi_linear",
            "first_k_dense_replace": 1,
            "hidden_size": 2304,
            "intermediate_size": 9216,
            "kv_lora_rank": 512,
            "linear_attn_config": {
                "full_attn_layers": [4, 8, 12, 16, 20, 24, 27],
                "head_dim": 128,
                "kda_layers": KDA,
                "num_heads": 32,
                "short_conv_kernel_size": 4,
            },
            "moe_intermediate_size": 1024,
            "num_attention_heads": 32,
            "num_experts": 256,
            "num_experts_per_token": 8,
            "num_hidden_layers": 27,
            "num_shared_experts": 1,
            "q_lora_rank": None,
            "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64,
            "v_head_dim": 128,
            "vocab_size": 163840,
        },
        49_122_681_728,
    ),
}
ACTIVE = {"qwen3-30b-a3b": "3.35", "mixtral-8x7b": "12.88", "kimi-k2": "32.86", "gpt-oss-120b": "5.71"}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_total(tmp_path: Path, name: str) -> None:
    """The total of a public checkpoint, from the few keys that decide it; absent keys take the family's default."""
    config, expected = PUBLIC[name]
    (tmp_path / "config.json").write_text(json.dumps(config))
    inv = inventory(load("config.json", tmp_path))
    assert inv.total == expected
    if name in ACTIVE:
        assert f"{active_params(inv).value / 1e9:.2f}" == ACTIVE[name]  # type: ignore[operator]
