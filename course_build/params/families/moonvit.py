"""MoonViT as in Kimi K3: patches, learned positions, pre-norm blocks, a merger of 2 × 2 patches.

Source: header census of the published checkpoint and public ports of its modeling file.
"""

from __future__ import annotations

from course_build.params.config import Config
from course_build.params.layers import every
from course_build.params.plan import Plan

CHANNELS = 3
EPS = 1e-5  # of the tower's norms; the config has one for the projector only


def moonvit(c: Config, plan: Plan) -> None:
    """Add the vision tower and the projector into the text width."""
    word = c.word("norm_type", "rmsnorm", choices=("rmsnorm", "layernorm"))
    kind, with_bias = ("RMSNorm", False) if word == "rmsnorm" else ("LayerNorm", True)
    c.word("mlp_type", "mlp2", choices=("mlp2",))
    c.word("pos_emb_type", "divided_fixed", choices=("divided_fixed",))
    c.word("mm_projector_type", "patchmergerv2", choices=("patchmergerv2",))
    d, F, patch = c.size("vt_hidden_size"), c.size("vt_intermediate_size"), c.size("patch_size")
    qkv = c.size("qkv_hidden_size", default=d)
    bias, mlp_bias = c.flag("attn_bias", False, part="vision"), c.flag("linear_bias", False, part="vision")

    at = plan.block("vision_tower.", "vision").norms(eps=EPS, kind=kind, part="norm.vision")
    at.linear(
        "patch_embed.proj",
        d,
        CHANNELS * patch * patch,
        part="vision",
        bias=c.flag("patch_embed_proj_bias", False),
    )
    height, width = c.size("init_pos_emb_height"), c.size("init_pos_emb_width")
    at.tensor("patch_embed.pos_emb.weight", height, width, d, part="vision")
    encoder = at.under("encoder.")
    block = encoder.layers(every(c.size("vt_num_hidden_layers"), "vision_tower.encoder.blocks"), "blocks")
    block.norm("norm0", d, place="vision_attention", bias=with_bias)
    block.norm("norm1", d, place="vision_ffn", bias=with_bias)
    block.linear("wqkv", 3 * qkv, d, part="vision", bias=bias)
    block.linear("wo", d, qkv, part="vision", bias=bias)
    block.linear("mlp.fc0", F, d, part="vision", bias=mlp_bias)
    block.linear("mlp.fc1", d, F, part="vision", bias=mlp_bias)
    encoder.norm("final_layernorm", d, place="vision_final", bias=with_bias)
    projector(c, plan)


def projector(c: Config, plan: Plan) -> None:
    """Add two matrices and a norm: merged patches -> text width."""
    merge = c.integers("merge_kernel_size", [2, 2])
    wide = c.size("mm_hidden_size", default=c.size("vt_hidden_size")) * merge[0] * merge[-1]
    text = c.size("text_hidden_size")
    at = plan.block("mm_projector.", "projector").norms(
        eps=c.number("projector_ln_eps", 1e-5), part="mm_projector.norm"
    )
    at.linear("proj.0", wide, wide, part="mm_projector")
    at.linear("proj.2", text, wide, part="mm_projector")
    at.norm("post_norm", text, place="projector")
