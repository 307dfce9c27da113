"""「参数在哪」一页的图和表。"""

from __future__ import annotations

from course_build.figures import Table, chart, ink, table
from course_build.ledger import model, ref
from course_build.params import derived
from course_build.params.inventory import component
from course_build.params.words import PLACES

anchor = model("experiments/configs/anchor-model.json")
FRONTIER = "experiments/configs/frontier-models.json"

PARTS = {
    "ffn": ("FFN", "accent"),
    "linear_attention": ("Gated DeltaNet", "residual"),
    "attention": ("完整注意力", "pre"),
    "embed": ("词嵌入", "layernorm"),
    "lm_head": ("输出头", "post"),
    "vision": ("视觉塔", "none"),
    "mtp": ("MTP 模块", "grey"),
    "norm": ("归一化", "text"),
}


@chart(
    "params.chart.parts",
    title="Qwen3.8-27B 的参数花在哪里",
    summary="FFN 占得最多，Gated DeltaNet 其次；归一化少到图上看不见 [[? params.c.rank]]。",
    x="参数，段长与参数量成正比",
    x_format=".1亿",
    height=220,
)
def parts(found=ref("params.parts")):
    data = []
    for part, count in sorted(found.items(), key=lambda item: -item[1]):
        name, color = PARTS.get(part, (part, "grey"))
        bar = {"type": "bar", "orientation": "h", "x": [count], "y": ["整个检查点"], "name": name}
        data.append({**bar, "marker": {"color": ink(color)}, "text": ""})
    return {"data": data, "layout": {"barmode": "stack", "xaxis": {"showticklabels": False}}}


@table("params.table.parts", title="按部件")
def part_table(found=ref("params.parts")):
    rows = [
        [PARTS.get(part, (part, ""))[0], f"[[params.parts.{part}]]", f"[[params.shares.{part}]]"]
        for part in sorted(found, key=lambda part: -found[part])
    ]
    rows.append(["合计", "[[anchor.total]]", ""])
    return Table(head=["部件", "参数", "占整个检查点"], rows=rows)


def _names(inventory):
    return [[component(tensor), tensor.name] for tensor in inventory.tensors]


def _tensor_table(wanted):
    def rows(names=anchor.derived(_names)):
        cells = [
            [f"`{name}`", *(f"[[params.tensor.{column}.t{i}]]" for column in ("shape", "copies", "count"))]
            for i, (part, name) in enumerate(names)
            if part == wanted
        ]
        return Table(head=["张量", "一份的形状", "份数", "参数"], rows=cells)

    return rows


for part in PARTS:
    table(f"params.table.{part}")(_tensor_table(part))

# ---- 每一处归一化 ------------------------------------------------------------------------------------


SCOPES = {"text": "文本", "vision": "视觉塔", "projector": "视觉投影", "mtp": "MTP"}


def _places(inventory):
    return [[SCOPES[row.scope], PLACES[row.place], row.kind] for row in derived.norm_rows(inventory)]


def _norm_table(name, declared):
    def rows(places=declared):
        cells = [
            [
                f"{place}" if place.startswith(scope) else f"{scope}：{place}",
                kind,
                *(
                    f"[[params.norms.{name}.{column}.r{i}]]"
                    for column in ("width", "copies", "params", "zero_centered")
                ),
            ]
            for i, (scope, place, kind) in enumerate(places)
        ]
        return Table(head=["位置", "种类", "宽度", "个数", "参数", "零中心"], rows=cells)

    return rows


table("params.table.norms_qwen", title="Qwen3.8-27B")(_norm_table("qwen", anchor.derived(_places)))
table("params.table.norms_kimik3", title="Kimi K3")(_norm_table("kimik3", model(FRONTIER, "/kimi-k3").derived(_places)))

# ---- 几个模型的对比 ----------------------------------------------------------------------------------

MODELS = [
    ("transformer", "Transformer 2017"),
    ("gpt2", "GPT-2"),
    ("llama", "Llama-3-8B"),
    ("deepseek67b", "DeepSeek-LLM-67B"),
    ("olmo2", "OLMo-2-7B"),
    ("gptoss", "gpt-oss-20b"),
    ("v4", "DeepSeek-V4-Flash"),
    ("kimik3", "Kimi K3"),
    ("flashnext", "Qwen3.8-Flash-Next"),
    ("qwen", "**Qwen3.8-27B**"),
]


def _ffn(name, numbers):
    """返回一格：稠密 FFN 的中间维与比例，或每个专家的中间维。"""
    dense = f"[[model.{name}.ffn]]，[[model.{name}.ratio]] 倍" if "ffn" in numbers else ""
    expert = f"每个专家 [[model.{name}.expert]]" if "expert" in numbers else ""
    return "；".join(filter(None, [dense, expert]))


@table("params.table.models", title="同样的清单，换几个模型")
def models(
    transformer=ref("model.transformer"),
    gpt2=ref("model.gpt2"),
    llama=ref("model.llama"),
    deepseek67b=ref("model.deepseek67b"),
    olmo2=ref("model.olmo2"),
    gptoss=ref("model.gptoss"),
    v4=ref("model.v4"),
    kimik3=ref("model.kimik3"),
    flashnext=ref("model.flashnext"),
    qwen=ref("model.qwen"),
):
    said = {
        "transformer": transformer, "gpt2": gpt2, "llama": llama, "deepseek67b": deepseek67b, "olmo2": olmo2,
        "gptoss": gptoss, "v4": v4, "kimik3": kimik3, "flashnext": flashnext, "qwen": qwen,
    }  # fmt: skip
    rows = []
    for name, title in MODELS:
        found = said[name]
        rows.append(
            [
                title,
                *(f"[[model.{name}.{key}]]" for key in ("d", "layers", "total")),
                _ffn(name, found),
                f"[[model.{name}.bound]]" if "bound" in found else found["clamp"],
                found["norm"],
                f"[[model.{name}.eps]]" if "eps" in found else "未写明",
                found["gates"],
            ]
        )
    head = ["模型", "宽度", "层数", "参数", "FFN 中间维", "FFN 激活上界", "主路归一化", "ε", "门"]
    return Table(head=head, rows=rows)
