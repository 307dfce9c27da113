"""第 3 课的计时：归一化算子的前向加反向，以及搬运同样多字节所需的时间。"""

from __future__ import annotations

from course_build.ledger import claim, fact, ref, run

prefix = "norm"
BENCH = "bench-norms"
CANDIDATES = [
    ("layernorm", "自带 LayerNorm"),
    ("rmsnorm", "自带 RMSNorm"),
    ("by_hand", "手写 RMSNorm"),
    ("by_hand_compiled", "手写 RMSNorm，编译"),
]
SPREAD = [("min", "最快"), ("q1", "下四分位"), ("median", "中位数"), ("q3", "上四分位")]


def _read(pointer):
    def value(found=run(BENCH, pointer)):
        return found

    return value


for name, title in [*CANDIDATES, ("copy", "只拷贝一次张量"), ("limit", "搬运同样多字节的时间")]:
    fact(
        f"norm.bench.{name}",
        title={key: f"{title}：{what}" for key, what in SPREAD},
        unit={key: "ms" for key, _ in SPREAD},
        by="experiments.bench，各候选轮流计时",
        format={key: ".3g" for key, _ in SPREAD},
    )(_read(f"/summary/cpu/{name}"))

ABOUT = [
    ("shape", "计时所用张量的形状", "", "/values/shape"),
    ("rounds", "计时的次数", "次", "/summary/rounds"),
    ("threads", "计时所用的线程数", "个线程", "/values/threads"),
    ("machine", "计时的机器", "", "/environment/machine"),
    ("date", "计时的日期", "", "/date"),
    ("load", "计时开始时机器的平均负载", "", "/environment/load"),
]
for name, title, unit, pointer in ABOUT:
    fact(f"norm.bench.{name}", title=title, unit=unit, by="计时的记录")(_read(pointer))


@fact(
    "norm.bench.slower",
    title={
        "rmsnorm": "自带 RMSNorm 的耗时是自带 LayerNorm 的几倍",
        "by_hand": "手写 RMSNorm 的耗时是自带 LayerNorm 的几倍",
        "by_hand_compiled": "手写并编译的 RMSNorm 的耗时是自带 LayerNorm 的几倍",
    },
    by="中位数相除",
    format=".1f",
)
def slower(
    layernorm=ref("norm.bench.layernorm.median"),
    rmsnorm=ref("norm.bench.rmsnorm.median"),
    by_hand=ref("norm.bench.by_hand.median"),
    compiled=ref("norm.bench.by_hand_compiled.median"),
):
    return {
        "rmsnorm": rmsnorm / layernorm,
        "by_hand": by_hand / layernorm,
        "by_hand_compiled": compiled / layernorm,
    }


@fact(
    "norm.bench.whiskers",
    title={"above": "上四分位比中位数高出多少", "below": "下四分位比中位数低多少"},
    by="逐候选，与中位数相减",
    format=".3g",
)
def whiskers(
    a=ref("norm.bench.layernorm"),
    b=ref("norm.bench.rmsnorm"),
    c=ref("norm.bench.by_hand"),
    d=ref("norm.bench.by_hand_compiled"),
):
    found = [a, b, c, d]
    return {"above": [v["q3"] - v["median"] for v in found], "below": [v["median"] - v["q1"] for v in found]}


claim(
    "norm.c.ln_faster",
    "norm.bench.layernorm.q3 < norm.bench.rmsnorm.q1 and norm.bench.layernorm.q3 < norm.bench.by_hand.q1",
    title="这台机器上，自带 LayerNorm 比没有编译的 RMSNorm 快",
)
claim(
    "norm.c.compiling",
    "norm.bench.by_hand_compiled.q3 < norm.bench.by_hand.q1"
    " and norm.bench.by_hand_compiled.median - norm.bench.layernorm.median"
    " < (norm.bench.by_hand.median - norm.bench.layernorm.median) / 2",
    title="编译让手写的 RMSNorm 快起来，与自带 LayerNorm 的差距大半消失",
)
claim(
    "norm.c.bench",
    "norm.bench.limit.median < norm.bench.layernorm.median < norm.bench.by_hand_compiled.median"
    " and norm.bench.slower.rmsnorm > norm.seeds.clearly and norm.bench.slower.by_hand > norm.seeds.clearly",
    title="自带 LayerNorm 最接近搬运字节的下限，没有融合的 RMSNorm 慢得多",
)
claim(
    "norm.c.source_faster",
    "paper.source2026.ms_layernorm < paper.source2026.ms_rms_torch"
    " and paper.source2026.ms_layernorm < paper.source2026.ms_rms_hand",
    title="原课的机器上，也是自带 LayerNorm 最快",
)
