"""论文和旧课里报告的数字；出处在 experiments/configs/papers.json。"""

from __future__ import annotations

from course_build.ledger import fact, paper

REPORTED = [
    ("zhang2019.speedup_low", "RMSNorm 少用的运行时间，最少的模型", "摘要", ".0%"),
    ("zhang2019.speedup_high", "RMSNorm 少用的运行时间，最多的模型", "摘要", ".0%"),
    ("vaswani2017.d_model", "原版 Transformer 的宽度", "表 3，base 行", ""),
    ("vaswani2017.d_ff", "原版 Transformer 的 FFN 中间维", "表 3，base 行", ""),
    ("vaswani2017.d_ff_narrow", "对照里较窄的中间维", "表 3，(C) 组", ""),
    ("vaswani2017.d_ff_wide", "对照里较宽的中间维", "表 3，(C) 组", ""),
    ("vaswani2017.ppl_narrow", "较窄中间维的开发集困惑度", "表 3，(C) 组", ".2f"),
    ("vaswani2017.ppl_base", "base 模型的开发集困惑度", "表 3，base 行", ".2f"),
    ("vaswani2017.ppl_wide", "较宽中间维的开发集困惑度", "表 3，(C) 组", ".2f"),
    ("shazeer2020.gelu", "GELU 版 FFN 的对数困惑度", "表 1", ".3f"),
    ("shazeer2020.swiglu", "SwiGLU 版 FFN 的对数困惑度", "表 1", ".3f"),
    ("qiu2025.sink_before", "首 token 平均分到的注意力，基线", "表 4", ".1%"),
    ("qiu2025.sink_after", "首 token 平均分到的注意力，加输出门", "表 4", ".1%"),
    ("qiu2025.model_size", "该实验所用 MoE 的参数量", "表 4", ".0亿"),
    ("source2026.loss_ln", "原课的 Pre-LayerNorm 损失", "读图", ".4f"),
    ("source2026.loss_rms", "原课的 Pre-RMSNorm 损失", "读图", ".4f"),
    ("source2026.loss_post", "原课的 Post-LN 停滞损失", "读图", ".3f"),
    ("source2026.ms_layernorm", "原课的 LayerNorm 耗时（ms）", "读图", ".3f"),
    ("source2026.ms_rms_torch", "原课的自带 RMSNorm 耗时（ms）", "读图", ".3f"),
    ("source2026.ms_rms_hand", "原课的手写 RMSNorm 耗时（ms）", "读图", ".3f"),
    ("source2026.grad_ratio_end", "原课 Post-LN 训练结束时底层与顶层的梯度之比", "读图", ".0e"),
]


def _reported(name):
    def value(value=paper(*name.split("."))):
        return value

    return value


for name, title, where, display in REPORTED:
    fact(f"paper.{name}", title=title, by=where, format=display)(_reported(name))
