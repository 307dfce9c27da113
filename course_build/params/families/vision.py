"""The Qwen vision tower: patches, learned positions, pre-norm blocks with LayerNorm, a merger.

Shared by qwen3_5, qwen3_5_moe and qwen4_exp. Source: transformers 5.23 modeling_qwen3_5.py.
"""

from __future__ import annotations

from course_build.params.config import Config
from course_build.params.layers import every
from course_build.params.plan import Block

EPS = 1e-6  # fixed in the model's code, no config key


def qwen_vision(c: Config, at: Block) -> None:
    """Add the vision tower; every projection has a bias."""
    d, F, depth = c.size("hidden_size"), c.size("intermediate_size"), c.size("depth")
    patch, frames = c.size("patch_size"), c.size("temporal_patch_size")
    at = at.norms(eps=EPS, kind="LayerNorm", part="norm.vision")
    at.tensor("patch_embed.proj.weight", d, c.size("in_channels"), frames, patch, patch, part="vision")
    at.tensor("patch_embed.proj.bias", d, part="vision")
    at.tensor("pos_embed.weight", c.size("num_position_embeddings"), d, part="vision")
    block = at.layers(every(depth, "model.visual.blocks"), "blocks")
    block.norm("norm1", d, place="vision_attention", bias=True)
    block.norm("norm2", d, place="vision_ffn", bias=True)
    block.linear("attn.qkv", 3 * d, d, part="vision", bias=True)
    block.linear("attn.proj", d, d, part="vision", bias=True)
    block.linear("mlp.linear_fc1", F, d, part="vision", bias=True)
    block.linear("mlp.linear_fc2", d, F, part="vision", bias=True)
    merge = c.size("spatial_merge_size")
    wide = d * merge * merge
    at.norm("merger.norm", d, place="vision_merger", bias=True)
    at.linear("merger.linear_fc1", wide, wide, part="vision", bias=True)
    at.linear("merger.linear_fc2", c.size("out_hidden_size"), wide, part="vision", bias=True)
