"""「参数在哪」一页的事实：锚点模型逐部件、逐张量的账，和几个模型的对比；凡是说「某个模型怎样」的断言也在这里。"""

from __future__ import annotations

from course_build.ledger import claim, fact, model, ref
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
    ("transformer", model(FRONTIER, "/transformer-2017"), "Transformer 2017"),
    ("gpt2", model(FRONTIER, "/gpt2"), "GPT-2"),
    ("llama", model(FRONTIER, "/llama-3-8b"), "Llama-3-8B"),
    ("deepseek67b", model(FRONTIER, "/deepseek-llm-67b"), "DeepSeek-LLM-67B"),
    ("olmo2", model(FRONTIER, "/olmo-2-1124-7b"), "OLMo-2-7B"),
    ("gptoss", model(FRONTIER, "/gpt-oss-20b"), "gpt-oss-20b"),
    ("v4", model(FRONTIER, "/deepseek-v4-flash"), "DeepSeek-V4-Flash"),
    ("kimik3", model(FRONTIER, "/kimi-k3"), "Kimi K3"),
    ("flashnext", model(FRONTIER, "/qwen3.8-flash-next"), "Qwen3.8-Flash-Next"),
    ("qwen", anchor, "Qwen3.8-27B"),
]
SIDES = {
    "子层入口": {"input", "post_attention"},
    "子层出口": {"after_attention", "after_ffn"},
    "最后一层之后": {"final"},
}
LATENT = {"q_latent": "query", "kv_latent": "KV"}
GATES = {
    "attention.output": "注意力输出",
    "delta.output": "线性注意力输出",
    "delta.forget": "线性注意力遗忘",
    "compressor": "压缩器",
    "ffn": "FFN",
    "shared_expert": "共享专家",
    "hyper_connection": "多流残差",
    "ple": "n-gram 嵌入",
}


def _written(rows):
    """返回归一化的写法，如「RMSNorm（零中心）」；没有就说没有。"""
    return "、".join(dict.fromkeys(row.kind + "（零中心）" * row.zero_centered for row in rows)) or "没有"


def _words(inventory):
    """返回一个模型用文字说的事：各处归一化的写法、主路归一化的位置、残差流、门、FFN 的上界。"""
    rows = derived.norm_rows(inventory)
    text = [row for row in rows if row.scope == "text"]
    main = [row for row in text if row.part == "norm.main"]
    places = {row.place for row in text}
    sides = [side for side, some in SIDES.items() if {row.place for row in main} & some]
    traits = inventory.traits
    scored = any(place.startswith("residual_") for place in places)
    return {
        "norm": f"{_written(main)}：{'、'.join(sides)}",
        "qk": _written([row for row in text if row.place in ("q", "k")]),
        "delta": _written([row for row in text if row.place == "delta"]),
        "latent": "、".join(name for place, name in LATENT.items() if place in places) or "没有",
        "vision": _written([row for row in rows if row.scope == "vision"]),
        "stream": "多流" if "hyper_connection" in traits.gates else "打分加权" if scored else "普通残差",
        "gates": "、".join(GATES.get(gate, gate) for gate in traits.gates) or "没有",
        "clamp": "有上界" if traits.limit or traits.situ else "没有上界",
    }


def _main_norm(inventory):
    """返回主路上的第一个归一化。"""
    return next(row for row in derived.norm_rows(inventory) if row.scope == "text" and row.part == "norm.main")


def _model(inventory):
    traits = inventory.traits
    numbers = _words(inventory) | {
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
    ("norm", "主路归一化", "", ""),
    ("qk", "q、k 的归一化", "", ""),
    ("delta", "线性注意力输出的归一化", "", ""),
    ("latent", "低秩中间的归一化", "", ""),
    ("vision", "视觉塔的归一化", "", ""),
    ("stream", "残差流", "", ""),
    ("gates", "门", "", ""),
    ("clamp", "FFN 激活有没有上界", "", ""),
]


def _numbers(declared):
    def numbers(found=declared):
        return found

    return numbers


for name, declared, title in MODELS:
    fact(
        f"model.{name}",
        title={key: f"{title} 的{what}" for key, what, _, _ in QUANTITIES},
        unit={key: unit for key, _, unit, _ in QUANTITIES},
        by="由官方 config 推出的参数清单",
        format={key: display for key, _, _, display in QUANTITIES},
    )(_numbers(declared.derived(_model)))

# ---- 正文说某个模型怎样，就在这里核对 ----------------------------------------------------------------

OFFICIAL = "写法由这一族模型的官方实现规定，config 里没有一个值能改它；换成别的模型族就不成立"
FORMS = [
    ("original", "model.transformer.norm == 'LayerNorm：子层出口'", "原版 Transformer 用 LayerNorm，放在子层出口"),
    ("gpt2", "model.gpt2.norm == 'LayerNorm：子层入口、最后一层之后'", "GPT-2 把 LayerNorm 移到子层入口，末尾再补一个"),
    ("llama", "model.llama.norm == 'RMSNorm：子层入口、最后一层之后'", "Llama 式用 RMSNorm，放在子层入口"),
    ("olmo2", "model.olmo2.norm == 'RMSNorm：子层出口、最后一层之后'", "OLMo 2 的 RMSNorm 放在子层出口"),
    ("v4", "model.v4.latent == 'query、KV'", "DeepSeek-V4 对 query 和 KV 都做归一化"),
    (
        "kimik3",
        "model.kimik3.latent == 'query、KV' and model.kimik3.stream == '打分加权'",
        "Kimi K3 归一化 query 与 KV 的低秩中间，并给每个残差打分",
    ),
    (
        "streams",
        "model.gpt2.stream == '普通残差' and model.llama.stream == '普通残差'",
        "GPT-2 与 Llama 式都是普通残差",
    ),
    (
        "gates",
        "model.transformer.gates == '没有' and model.gpt2.gates == '没有' and model.llama.gates == 'FFN'",
        "原版与 GPT-2 没有门，Llama 式只有 FFN 里的门",
    ),
    (
        "history",
        "model.transformer.norm == 'LayerNorm：子层出口' and model.gpt2.norm == 'LayerNorm：子层入口、最后一层之后'"
        " and model.llama.norm == 'RMSNorm：子层入口、最后一层之后'"
        " and model.olmo2.norm == 'RMSNorm：子层出口、最后一层之后'"
        " and model.qwen.norm == 'RMSNorm（零中心）：子层入口、最后一层之后'",
        "主路归一化从 LayerNorm 到 RMSNorm 再到零中心，从出口移到入口，OLMo 2 又移回出口",
    ),
]
for name, expression, title in FORMS:
    claim(f"model.c.{name}", expression, title=title, law=OFFICIAL)


@fact(
    "params.rank",
    title={"first": "参数最多的部件", "second": "参数第二多的部件", "last": "参数最少的部件"},
    by="部件按参数多少排序",
)
def rank(found=ref("params.parts")):
    order = sorted(found, key=lambda part: -found[part])
    names = [PARTS.get(part, part) for part in order]
    return {"first": names[0], "second": names[1], "last": names[-1]}


claim(
    "params.c.rank",
    "params.rank.first == 'FFN' and params.rank.second == 'Gated DeltaNet' and params.rank.last == '归一化'",
    title="锚点模型里 FFN 的参数最多，Gated DeltaNet 其次，归一化最少",
)
