"""第 3 课实测一节的图和表。"""

from __future__ import annotations

from course_build.figures import Table, chart, ink, table
from course_build.ledger import ref, run

NAMES = {
    "pre_rms": "前置 RMSNorm（基线）",
    "pre_ln": "前置 LayerNorm",
    "post_rms": "后置 RMSNorm",
    "post_ln": "后置 LayerNorm",
    "pre_hot": "前置 RMSNorm，大学习率、无预热",
    "post_hot": "后置 RMSNorm，大学习率、无预热",
    "post_low": "后置 RMSNorm，小学习率、有预热",
    "post_low_cold": "后置 RMSNorm，小学习率、无预热",
    "no_residual": "前置 RMSNorm，无残差",
    "post_untied": "后置 RMSNorm，输出头不共享",
    "post_ln_untied": "后置 LayerNorm，输出头不共享",
    "decay_rms": "标准 RMSNorm，增益也衰减",
    "decay_zero": "零中心 RMSNorm，增益也衰减",
}


@table("norm.table.recipes", title="各配方的结果")
def recipes():
    rows = [
        [
            title,
            f"[[norm.run.{name}.loss]]",
            f"[[norm.run.{name}.gain_range.low]]",
            f"[[norm.run.{name}.gain_range.high]]",
            f"[[norm.run.{name}.outcome]]",
        ]
        for name, title in NAMES.items()
    ]
    return Table(head=["配方", "最终损失", "多学到，最少", "多学到，最多", "结果"], rows=rows)


SHOWN = ("pre_rms", "pre_hot", "post_rms", "post_low")


@chart(
    "norm.chart.training",
    title="训练曲线，每个配方的第一个种子",
    summary="前置的线一路下降，不预热、加大学习率也还在下降；后置的线早早停在字频水位，"
    "只有学习率降低且保留预热的那一条后来又往下走 [[? norm.c.shown_curves]]。",
    x="训练步",
    y="训练损失（nats）",
    controls="runs metric smoothing log",
    metrics={"loss": "训练损失（nats）", "grad": "梯度范数，裁剪之前"},
)
def training(
    step=run("pre-rms-s1", "/series/step"),
    pre_rms=run("pre-rms-s1", "/series/loss"),
    pre_rms_grad=run("pre-rms-s1", "/series/grad"),
    pre_ln=run("pre-ln-s1", "/series/loss"),
    pre_ln_grad=run("pre-ln-s1", "/series/grad"),
    post_rms=run("post-rms-s1", "/series/loss"),
    post_rms_grad=run("post-rms-s1", "/series/grad"),
    post_ln=run("post-ln-s1", "/series/loss"),
    post_ln_grad=run("post-ln-s1", "/series/grad"),
    pre_hot=run("pre-hot-s1", "/series/loss"),
    pre_hot_grad=run("pre-hot-s1", "/series/grad"),
    post_hot=run("post-hot-s1", "/series/loss"),
    post_hot_grad=run("post-hot-s1", "/series/grad"),
    post_low=run("post-low-s1", "/series/loss"),
    post_low_grad=run("post-low-s1", "/series/grad"),
    post_low_cold=run("post-low-cold-s1", "/series/loss"),
    post_low_cold_grad=run("post-low-cold-s1", "/series/grad"),
    no_residual=run("no-residual-s1", "/series/loss"),
    no_residual_grad=run("no-residual-s1", "/series/grad"),
):
    curves = [
        ("pre_rms", pre_rms, pre_rms_grad, ink("pre"), "solid"),
        ("post_rms", post_rms, post_rms_grad, ink("post"), "solid"),
        ("post_low", post_low, post_low_grad, ink("post"), "dash"),
        ("no_residual", no_residual, no_residual_grad, ink("none"), "solid"),
        ("pre_ln", pre_ln, pre_ln_grad, ink("layernorm"), "dot"),
        ("post_ln", post_ln, post_ln_grad, ink("warm"), "dot"),
        ("pre_hot", pre_hot, pre_hot_grad, ink("pre"), "dash"),
        ("post_hot", post_hot, post_hot_grad, ink("grey"), "dash"),
        ("post_low_cold", post_low_cold, post_low_cold_grad, ink("accent"), "dash"),
    ]
    data = []
    for name, loss, grad, color, dash in curves:
        for metric, values in (("loss", loss), ("grad", grad)):
            line = {"color": color, "dash": dash}
            meta = {"run": NAMES[name], "metric": metric}
            trace = {"type": "scatter", "mode": "lines", "x": step, "y": values, "name": NAMES[name]}
            shown = True if name in SHOWN else "legendonly"
            data.append({**trace, "line": line, "meta": meta, "visible": shown})
    return {"data": data}


BARS = [
    ("pre_rms", "前置 RMSNorm"),
    ("pre_ln", "前置 LayerNorm"),
    ("post_rms", "后置 RMSNorm"),
    ("post_ln", "后置 LayerNorm"),
]


@chart(
    "norm.chart.final",
    title="比字频多学到的：放在哪里，用哪一种",
    summary="前置的那对柱子几乎一样高；后置的那对贴着零线，等于只学会了字频 [[? norm.c.bars]]。",
    y="比字频多学到的（nats）",
    y_format="+.3f",
)
def final(
    pre_rms=ref("norm.run.pre_rms.gain"),
    pre_ln=ref("norm.run.pre_ln.gain"),
    post_rms=ref("norm.run.post_rms.gain"),
    post_ln=ref("norm.run.post_ln.gain"),
    above=ref("norm.run.whiskers.above"),
    below=ref("norm.run.whiskers.below"),
):
    whisker = {"type": "data", "array": above, "arrayminus": below, "symmetric": False}
    colors = [ink("rmsnorm"), ink("layernorm"), ink("rmsnorm"), ink("layernorm")]
    bars = {"type": "bar", "x": [title for _, title in BARS], "y": [pre_rms, pre_ln, post_rms, post_ln]}
    return {"data": [{**bars, "error_y": whisker, "marker": {"color": colors}, "name": "比字频多学到的"}]}


def _curve(x, y, name, color, dash):
    line = {"color": color, "dash": dash}
    return {"type": "scatter", "mode": "lines+markers", "x": x, "y": y, "name": name, "line": line}


def _placements(x, pre_start, pre_end, post_start, post_end):
    """两种摆法，训练开始与结束。"""
    return {
        "data": [
            _curve(x, pre_start, "前置，开始", ink("pre"), "dot"),
            _curve(x, pre_end, "前置，结束", ink("pre"), "solid"),
            _curve(x, post_start, "后置，开始", ink("post"), "dot"),
            _curve(x, post_end, "后置，结束", ink("post"), "solid"),
        ],
        "layout": {"xaxis": {"dtick": 1}},
    }


@chart(
    "norm.chart.stream",
    title="残差流的 RMS 沿深度的变化",
    summary="前置的残差流越往上越大，训练之后更明显；后置的残差流从第一次写入起就被压在一附近 [[? norm.c.stream]]。",
    x="第几次写入之后",
    y="残差流的 RMS（对数轴）",
    log="y",
)
def stream(
    x=ref("norm.depth.writes"),
    pre_start=ref("norm.depth.pre.start.rms"),
    pre_end=ref("norm.depth.pre.end.rms"),
    post_start=ref("norm.depth.post.start.rms"),
    post_end=ref("norm.depth.post.end.rms"),
):
    return _placements(x, pre_start, pre_end, post_start, post_end)


@chart(
    "norm.chart.blocks",
    title="每一块参数收到的梯度",
    summary="训练开始时后置各块的梯度都比前置小得多；训练结束时，后置的梯度越往底层越小 [[? norm.c.blocks]]。",
    x="从底层往上数的块",
    y="梯度范数（对数轴）",
    log="y",
)
def blocks(
    x=ref("norm.depth.block_numbers"),
    pre_start=ref("norm.depth.pre.start.blocks"),
    pre_end=ref("norm.depth.pre.end.blocks"),
    post_start=ref("norm.depth.post.start.blocks"),
    post_end=ref("norm.depth.post.end.blocks"),
):
    return _placements(x, pre_start, pre_end, post_start, post_end)


@chart(
    "norm.chart.gains",
    title="训练结束时，每个归一化的平均增益",
    summary="增益参加衰减时，标准写法的增益普遍低于零中心写法 [[? norm.c.gains]]。",
    x="从底层往上数的归一化，最后一个是最终归一化",
    y="平均增益",
)
def gains(
    x=ref("norm.depth.norm_numbers"),
    plain=ref("norm.run.pre_rms.norm_gains"),
    standard=ref("norm.run.decay_rms.norm_gains"),
    zero=ref("norm.run.decay_zero.norm_gains"),
):
    return {
        "data": [
            _curve(x, plain, "标准，不衰减", ink("grey"), "dot"),
            _curve(x, standard, "标准，衰减", ink("warm"), "solid"),
            _curve(x, zero, "零中心，衰减", ink("cool"), "solid"),
        ],
        "layout": {"xaxis": {"dtick": 1}},
    }
