"""第 3 课的计时图。"""

from __future__ import annotations

from course_build.figures import chart, ink
from course_build.ledger import ref

BENCH = ["自带 LayerNorm", "自带 RMSNorm", "手写 RMSNorm", "手写，编译"]


@chart(
    "norm.chart.bench",
    title="归一化算子的前向加反向",
    summary="自带的 LayerNorm 最接近搬运字节的下限；"
    "没有融合的 RMSNorm 慢得多，编译之后差距大半消失 [[? norm.c.bench]]。",
    y="耗时（ms）",
    y_format=".3g",
)
def bench(
    layernorm=ref("norm.bench.layernorm.median"),
    rmsnorm=ref("norm.bench.rmsnorm.median"),
    by_hand=ref("norm.bench.by_hand.median"),
    compiled=ref("norm.bench.by_hand_compiled.median"),
    limit=ref("norm.bench.limit.median"),
    above=ref("norm.bench.whiskers.above"),
    below=ref("norm.bench.whiskers.below"),
):
    whisker = {"type": "data", "array": above, "arrayminus": below, "symmetric": False}
    colors = [ink("layernorm"), *[ink("rmsnorm")] * 3]
    bars = {"type": "bar", "x": BENCH, "y": [layernorm, rmsnorm, by_hand, compiled], "name": "中位数"}
    level = {"type": "scatter", "mode": "lines", "x": BENCH, "y": [limit] * 4, "name": "搬运字节的下限"}
    return {
        "data": [
            {**bars, "error_y": whisker, "marker": {"color": colors}},
            {**level, "line": {"color": ink("text"), "dash": "dash"}},
        ]
    }
