"""Families of models: model_type -> the file that lists its tensors.

A family file has one function:

    def tensors(c: Config, plan: Plan) -> Traits

It reads the sizes it needs, adds every tensor of the checkpoint, and returns what else there is to say.
"""

from __future__ import annotations

MODULES = {
    "qwen3_5": "qwen3_5",
    "qwen3_5_text": "qwen3_5",
    "qwen3_5_moe": "qwen3_5",
    "qwen3_5_moe_text": "qwen3_5",
}
