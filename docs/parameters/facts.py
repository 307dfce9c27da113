"""「参数在哪」一页的事实：锚点模型逐部件、逐张量的账，和几个模型的对比。"""

from __future__ import annotations

from course_build.ledger import fact, model, ref
from course_build.params import derived

anchor = model("experiments/configs/anchor-model.json")

PARTS = {
    "ffn": "FFN",
    "linear_attention": "Gated DeltaNet",
    "attention": "完整注意力",
    "embed": "词嵌入",
    "lm_head": "输出头",
    "norm": "归一化",
    "vision": "视觉塔",
    "mtp": "MTP 模块",
}


@fact(
    "params.parts",
    title={part: f"{title}的参数" for part, title in PARTS.items()},
    unit=dict.fromkeys(PARTS, "个参数"),
    by="参数清单逐部件相加",
)
def parts(found=anchor.derived(lambda inventory: inventory.components())):
    return found


@fact(
    "params.shares",
    title={part: f"{title}占整个检查点" for part, title in PARTS.items()},
    by="部件的参数 / 整个检查点的参数",
    format=dict.fromkeys(PARTS, ".2%") | {"norm": ".4%"},
)
def shares(found=ref("params.parts"), total=ref("anchor.total")):
    return {part: count / total for part, count in found.items()}


# ---- 逐张量 ------------------------------------------------------------------------------------------


def _tensors(column):
    def rows(inventory):
        return {f"t{i}": column(tensor) for i, tensor in enumerate(inventory.tensors)}

    return anchor.derived(rows)


COLUMNS = [
    ("shape", "一份的形状", lambda t: list(t.shape)),
    ("copies", "份数", lambda t: t.copies),
    ("count", "参数", lambda t: t.count),
]


def _column(declared):
    def column(found=declared):
        return found

    return column


for name, title, column in COLUMNS:
    fact(f"params.tensor.{name}", title=f"锚点模型的张量：{title}", by="参数清单，按权重文件里的先后")(
        _column(_tensors(column))
    )

# ---- 每一处归一化 ------------------------------------------------------------------------------------

FRONTIER = "experiments/configs/frontier-models.json"
PLACES_OF = [
    ("qwen", "Qwen3.8-27B", anchor),
    ("kimik3", "Kimi K3", model(FRONTIER, "/kimi-k3")),
]


def _places(column):
    def rows(inventory):
        return {f"r{i}": column(row) for i, row in enumerate(derived.norm_rows(inventory))}

    return rows


NORMS = [
    ("width", "宽度", lambda row: row.width),
    ("copies", "个数", lambda row: row.copies),
    ("params", "参数", lambda row: row.params),
    ("zero_centered", "是否零中心", lambda row: row.zero_centered),
]
for name, title, declared in PLACES_OF:
    for column, what, read in NORMS:
        fact(f"params.norms.{name}.{column}", title=f"{title} 的每一处归一化：{what}", by="参数清单按位置归并")(
            _column(declared.derived(_places(read)))
        )

# ---- 几个模型的对比 ----------------------------------------------------------------------------------

MODELS = [
    ("transformer", "transformer-2017", "Transformer 2017"),
    ("gpt2", "gpt2", "GPT-2"),
    ("llama", "llama-3-8b", "Llama-3-8B"),
    ("deepseek67b", "deepseek-llm-67b", "DeepSeek-LLM-67B"),
    ("olmo2", "olmo-2-1124-7b", "OLMo-2-7B"),
    ("gptoss", "gpt-oss-20b", "gpt-oss-20b"),
    ("v4", "deepseek-v4-flash", "DeepSeek-V4-Flash"),
    ("kimik3", "kimi-k3", "Kimi K3"),
    ("flashnext", "qwen3.8-flash-next", "Qwen3.8-Flash-Next"),
    ("qwen", "qwen3.8-27b", "Qwen3.8-27B"),
]


def _main_norm(inventory):
    """返回主路上的第一个归一化。"""
    return next(row for row in derived.norm_rows(inventory) if row.scope == "text" and row.part == "norm.main")


def _model(inventory):
    traits = inventory.traits
    numbers = {
        "d": traits.d.value,
        "layers": traits.L.value,
        "total": inventory.total,
        "active": derived.active_params(inventory).value,
        "norms": inventory.select(part="norm").count,
        "kv": derived.kv_bytes_per_token(inventory).value,
        "eps": _main_norm(inventory).eps,
        "ffn": traits.d_ff.value if traits.d_ff else None,
        "expert": traits.d_expert.value if traits.d_expert else None,
        "ratio": derived.ffn_ratio(inventory).value,
        "expert_ratio": derived.expert_ratio(inventory).value,
        "bound": derived.activation_bound(inventory).value,
    }
    return {name: value for name, value in numbers.items() if value is not None}


QUANTITIES = [
    ("d", "宽度", "维", ""),
    ("layers", "层数", "层", ""),
    ("total", "参数", "个参数", ",.1亿"),
    ("active", "一个 token 用到的参数", "个参数", ",.1亿"),
    ("norms", "归一化的参数", "个参数", ""),
    ("kv", "每个 token 的 KV 缓存", "字节", ""),
    ("eps", "归一化的 ε", "", "e"),
    ("ffn", "FFN 中间维", "维", ""),
    ("expert", "一个专家的中间维", "维", ""),
    ("ratio", "FFN 中间维与宽度之比", "倍", ".3g"),
    ("expert_ratio", "一个 token 用到的专家中间维之和与宽度之比", "倍", ".3g"),
    ("bound", "FFN 激活的上界", "", ".4g"),
]


def _numbers(declared):
    def numbers(found=declared):
        return found

    return numbers


for name, member, title in MODELS:
    declared = model(FRONTIER, f"/{member}").derived(_model)
    fact(
        f"model.{name}",
        title={key: f"{title} 的{what}" for key, what, _, _ in QUANTITIES},
        unit={key: unit for key, _, unit, _ in QUANTITIES},
        by="由官方 config 推出的参数清单",
        format={key: display for key, _, _, display in QUANTITIES},
    )(_numbers(declared))
