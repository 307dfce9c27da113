"""Families of models: model_type -> the file that lists its tensors.

A family file has one function:

    def tensors(c: Config, plan: Plan) -> Traits

It reads the sizes it needs, adds every tensor of the checkpoint, and returns what else there is to say.
"""

from __future__ import annotations

MODULES = {
    "transformer_2017": "transformer_2017",
    "gpt2": "gpt2",
    "llama": "llama",
    "qwen2": "llama",
    "qwen3": "llama",
    "olmo2": "olmo2",
    "mixtral": "mixtral",
    "qwen3_moe": "qwen3_moe",
    "gpt_oss": "gpt_oss",
    "deepseek_v3": "deepseek_v3",
    "kimi_k2": "deepseek_v3",
    "deepseek_v4": "deepseek_v4",
    "qwen3_5": "qwen3_5",
    "qwen3_5_text": "qwen3_5",
    "qwen3_5_moe": "qwen3_5",
    "qwen3_5_moe_text": "qwen3_5",
    "qwen4_exp": "qwen4_exp",
    "qwen4_exp_text": "qwen4_exp",
    "kimi_linear": "kimi_k3",
    "kimi_k3": "kimi_k3",
}
