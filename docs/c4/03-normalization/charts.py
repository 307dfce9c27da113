"""第 3 课的图和表。"""

from __future__ import annotations

from course_build.diagram import Box, Branch, Diagram, End, Repeat, Stack
from course_build.figures import Table, chart, diagram, ink, table
from course_build.ledger import ref

STEPS = [
    ("residual", "只有残差", "residual"),
    ("norm", "入口加 RMSNorm", "rmsnorm"),
    ("scaled", "再加写回缩放", "cool"),
]


def _line(x, y, name, color, **style):
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "name": name,
        "line": {"color": color, **style},
    }


def _band(x, low, high, color):
    edge = {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "line": {"width": 0},
        "showlegend": False,
        "hoverinfo": "skip",
    }
    return [{**edge, "y": low}, {**edge, "y": high, "fill": "tonexty", "fillcolor": color}]


def _label(x, y, text, color):
    return {
        "x": x[0],
        "y": y[0],
        "text": text,
        "font": {"color": color},
        "xanchor": "left",
        "showarrow": False,
    }


@chart(
    "norm.chart.gradient",
    title="梯度沿深度的变化，随机初始化、未训练",
    summary="只有残差时，越靠底层梯度越大；入口加 RMSNorm 后明显平缓；"
    "再加写回缩放，整条线几乎水平 [[? norm.c.curves]]。",
    x="从底层往上数的子层",
    y="梯度，以顶层为基准（对数轴）",
    log="y",
)
def gradient(
    depth=ref("norm.sim.depth"),
    residual=ref("norm.sim.residual.gradient_curve"),
    norm=ref("norm.sim.norm.gradient_curve"),
    scaled=ref("norm.sim.scaled.gradient_curve"),
    residual_theory=ref("norm.theory.residual.gradient_curve"),
    norm_theory=ref("norm.theory.norm.gradient_curve"),
    scaled_theory=ref("norm.theory.scaled.gradient_curve"),
    residual_low=ref("norm.theory.residual.gradient_low"),
    residual_high=ref("norm.theory.residual.gradient_high"),
    norm_low=ref("norm.theory.norm.gradient_low"),
    norm_high=ref("norm.theory.norm.gradient_high"),
    scaled_low=ref("norm.theory.scaled.gradient_low"),
    scaled_high=ref("norm.theory.scaled.gradient_high"),
):
    curves = {
        "residual": (residual, residual_theory, residual_low, residual_high),
        "norm": (norm, norm_theory, norm_low, norm_high),
        "scaled": (scaled, scaled_theory, scaled_low, scaled_high),
    }
    return {"data": _ladder(depth, curves)}


@chart(
    "norm.chart.rms",
    title="残差流的 RMS 沿深度的变化，随机初始化、未训练",
    summary="只有残差时 RMS 随写入一路上涨；入口加 RMSNorm 后仍在涨，只是慢一些；再加写回缩放才基本不动。",
    x="从底层往上数的子层",
    y="残差流的 RMS（对数轴）",
    log="y",
)
def rms(
    depth=ref("norm.sim.depth"),
    residual=ref("norm.sim.residual.rms_curve"),
    norm=ref("norm.sim.norm.rms_curve"),
    scaled=ref("norm.sim.scaled.rms_curve"),
    residual_theory=ref("norm.theory.residual.rms_curve"),
    norm_theory=ref("norm.theory.norm.rms_curve"),
    scaled_theory=ref("norm.theory.scaled.rms_curve"),
    residual_low=ref("norm.theory.residual.rms_low"),
    residual_high=ref("norm.theory.residual.rms_high"),
    norm_low=ref("norm.theory.norm.rms_low"),
    norm_high=ref("norm.theory.norm.rms_high"),
    scaled_low=ref("norm.theory.scaled.rms_low"),
    scaled_high=ref("norm.theory.scaled.rms_high"),
):
    curves = {
        "residual": (residual, residual_theory, residual_low, residual_high),
        "norm": (norm, norm_theory, norm_low, norm_high),
        "scaled": (scaled, scaled_theory, scaled_low, scaled_high),
    }
    return {"data": _ladder(depth, curves)}


def _ladder(depth, curves):
    """每个情形：理论的带、理论的虚线、模拟的实线。"""
    data = []
    for name, label, color in STEPS:
        simulated, theory, low, high = curves[name]
        data += _band(depth, low, high, ink(color, 0.16))
        data.append(_line(depth, theory, f"{label}，理论", ink(color), dash="dash", width=1))
        data.append(_line(depth, simulated, label, ink(color), width=2))
    return data


# ---- 表 ----------------------------------------------------------------------------------------------


@table("norm.table.sentence")
def sentence(words=ref("norm.batch.words"), token=ref("norm.batch.token")):
    rows = []
    for i, word in enumerate(words.values()):
        name = f"**{word}**" if word == token else word
        rows.append([name, f"[[norm.batch.tokens.t{i}]]", f"[[norm.batch.normalized.t{i}]]"])
    return Table(head=["token", "向量", "BatchNorm 之后"], rows=rows)


PLACES = {
    "input": ("注意力子层的入口", "统一子层读到的尺度", "本课"),
    "post_attention": ("FFN 子层的入口", "统一子层读到的尺度", "本课"),
    "final": ("最后一层之后", "输出前补一次", "本课"),
    "q": ("每个头的 q", "按住注意力打分的尺度", "C3、C8"),
    "k": ("每个头的 k", "按住注意力打分的尺度", "C3、C8"),
    "delta": ("Gated DeltaNet 的输出", "归一化它的输出，再乘上门", "C11"),
}


@table("norm.table.places", title="Qwen3.8-27B 文本模型里的每一处归一化")
def places(found=ref("anchor.norms.copies")):
    rows = []
    for place in [*(place for place in PLACES if place in found), *(set(found) - set(PLACES))]:
        title, purpose, where = PLACES.get(place, (place, "", ""))
        counts = [f"[[anchor.norms.{column}.{place}]]" for column in ("width", "copies", "params", "zero_centered")]
        rows.append([title, *counts, purpose, where])
    return Table(head=["位置", "宽度", "个数", "参数", "零中心", "作用", "细节"], rows=rows)


# ---- 结构图 ------------------------------------------------------------------------------------------


@diagram(
    "norm.diagram.placement",
    title="同一个块，归一化放在哪里",
    summary="左边 Post-LN 的主路在每次相加之后都穿过一个 LayerNorm；"
    "右边 Pre-Norm 的主路只有相加，归一化在支路的入口，出口前再补一个最终归一化。",
)
def placement():
    attention, ffn = Box("注意力"), Box("FFN")
    layer_norm = Box("LayerNorm", "在主路上", ink="post")
    rms_norm = Box("RMSNorm", "在支路入口", ink="pre")
    post = [Branch([attention]), layer_norm, Branch([ffn]), layer_norm]
    pre = [Branch([rms_norm, attention]), Branch([rms_norm, ffn])]
    return Diagram(
        Stack("Post-LN", [End("残差流"), Repeat("各层", post), End("输出头")], ink="post"),
        Stack(
            "Pre-Norm",
            [End("残差流"), Repeat("各层", pre), Box("最终 RMSNorm", "只有一次", ink="pre"), End("输出头")],
            ink="pre",
        ),
    )
