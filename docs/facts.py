"""几课共用的事实：课程的锚点模型。前沿模型在 models/，论文里报告的数字在 papers/。"""

from __future__ import annotations

from course_build.ledger import claim, fact, model, ref
from course_build.params import Sym

anchor = model("experiments/configs/anchor-model.json")
TEXT = "/text_config"

# ---- 锚点模型：形状 ----------------------------------------------------------------------------------

SHAPES = [
    ("vocab", "词表大小", "个 token", "vocab_size"),
    ("heads", "注意力头数", "个头", "num_attention_heads"),
    ("head_dim", "每个头的宽度", "维", "head_dim"),
]
# 这几项每个模型族都有，各族的键名不同；由参数清单认出是哪个键。
TRAITS = [
    ("d", "残差流的宽度", "维", "d"),
    ("layers", "层数", "层", "L"),
    ("ffn.width", "FFN 的中间维", "维", "d_ff"),
]


def _size(key):
    """返回读一个整数键的函数；有的模型把它放在 text_config 里，有的放在最外层，head_dim 还可以省去。"""

    def size(inventory):
        for pointer, value in inventory.reads.items():
            if pointer.rpartition("/")[2] == key and isinstance(value, int):
                return Sym.key(key, value, pointer)
        if key == "head_dim":
            return inventory.traits.d // _size("num_attention_heads")(inventory)
        raise ValueError(f"the config of this {inventory.family} model gives no {key}")

    return size


def _read(key):
    def value(key=anchor.derived(_size(key))):
        return key

    return value


def _trait(name):
    def value(trait=anchor.derived(lambda inventory: getattr(inventory.traits, name))):
        return trait

    return value


for name, title, unit, trait in TRAITS:
    fact(f"anchor.{name}", title=f"Qwen3.8-27B 的{title}", unit=unit, how="{trait}")(_trait(trait))


for name, title, unit, key in SHAPES:
    fact(f"anchor.{name}", title=f"Qwen3.8-27B 的{title}", unit=unit, by=f"官方 config 的 {key}")(_read(key))


@fact("anchor.family", title="锚点模型的族", by="官方 config 的 model_type")
def anchor_family(family=anchor.at("/model_type")):
    return family


@fact("anchor.activation", title="锚点模型 FFN 的激活函数", by="官方 config 的 hidden_act")
def anchor_activation(name=anchor.at(f"{TEXT}/hidden_act")):
    return name


@fact("anchor.layer_kinds", title="注意力层有几种", unit="种", by="数官方 config 的 layer_types 里不同的词")
def anchor_layer_kinds(types=anchor.at(f"{TEXT}/layer_types")):
    return len(set(types))


@fact("anchor.eps", title="Qwen3.8-27B 归一化的 ε", by="官方 config 的 rms_norm_eps", format="e")
def anchor_eps(eps=anchor.at(f"{TEXT}/rms_norm_eps")):
    return eps


@fact(
    "anchor.layers_full",
    title="用完整注意力的层数",
    unit="层",
    by="数官方 config 的 layer_types 里的 full_attention",
)
def anchor_layers_full(types=anchor.at(f"{TEXT}/layer_types")):
    return types.count("full_attention")


@fact(
    "anchor.layers_linear",
    title="用 Gated DeltaNet 的层数",
    unit="层",
    by="数官方 config 的 layer_types 里的 linear_attention",
)
def anchor_layers_linear(types=anchor.at(f"{TEXT}/layer_types")):
    return types.count("linear_attention")


def _main_norms(inventory):
    """返回主路上的归一化个数；带平移的只算一个。"""
    return sum(t.copies for t in inventory.select(part="norm.main").tensors if not t.name.endswith(".bias"))


@fact(
    "anchor.writes",
    title="每层向残差流写入的次数",
    unit="次",
    how="({norms} − 1) / {L}",
)
def anchor_writes(
    norms=anchor.derived(_main_norms),
    L=ref("anchor.layers"),
):
    """每个子层入口一个归一化，最后再加一个；所以减一、除以层数，就是每层的子层数。"""
    if (norms - 1) % L:
        raise ValueError(f"{norms} norms on the main path are not one for each sublayer of {L} layers and a final one")
    return (norms - 1) // L


@fact("anchor.sublayers", title="写入残差流的总次数", unit="次", how="{L} × {writes}")
def anchor_sublayers(L=ref("anchor.layers"), writes=ref("anchor.writes")):
    return L * writes


@fact("anchor.ffn.ratio", title="FFN 中间维与残差流宽度之比", unit="倍", how="{width} / {d}", format=".1f")
def anchor_ffn_ratio(width=ref("anchor.ffn.width"), d=ref("anchor.d")):
    return width / d


def _ffn_matrices(inventory):
    """返回一个稠密 FFN 的矩阵个数，偏置不算。"""
    found = [t for t in inventory.select(part="ffn", scope="text").tensors if not t.name.endswith(".bias")]
    if not found:
        raise ValueError(f"a {inventory.family} model of this config has no dense FFN, only experts")
    return len(found)


@fact("anchor.ffn.matrices", title="一个 FFN 里的矩阵个数", unit="个", by="数参数清单里一层 FFN 的张量")
def anchor_ffn_matrices(
    count=anchor.derived(_ffn_matrices),
):
    return count


@fact("anchor.q_width", title="所有 query 头拼起来的宽度", unit="维", how="{heads} × {head_dim}")
def anchor_q_width(heads=ref("anchor.heads"), head_dim=ref("anchor.head_dim")):
    return heads * head_dim


def _q_rows(inventory):
    """返回 q_proj 的行数；一个 q_proj 必须把残差流直接映到所有的 query 头。"""
    found = inventory.select(name="*.q_proj.weight", scope="text").tensors
    if not found:
        raise ValueError(f"a {inventory.family} model has no q_proj: its queries come from a joint or low-rank matrix")
    rows = found[0].dims[0]
    for pointer, parts in inventory.flags.items():  # a gate beside each query doubles the rows
        rows = rows.also(pointer) if "attention" in parts else rows
    return rows


@fact("anchor.q_factor", title="q_proj 的输出是 query 宽度的几倍", unit="倍", how="{rows} / {width}", format="d")
def anchor_q_factor(rows=anchor.derived(_q_rows), width=ref("anchor.q_width")):
    if rows % width:
        raise ValueError(f"the {rows} rows of q_proj are no multiple of the {width} of all heads together")
    return rows // width


@fact("anchor.q_proj", title="q_proj 的输出宽度", unit="维", how="{factor} × {heads} × {head_dim}")
def anchor_q_proj(factor=ref("anchor.q_factor"), heads=ref("anchor.heads"), head_dim=ref("anchor.head_dim")):
    return factor * heads * head_dim


# ---- 锚点模型：归一化在哪里 --------------------------------------------------------------------------


def _text_norms(inventory):
    """返回文本部分的归一化张量，每个位置一个，按权重文件里的先后。"""
    return {t.norm.place: t for t in inventory.select(part="norm", scope="text").tensors if t.norm}


NORMS = [
    ("width", "宽度", "维", lambda t: t.shape[-1]),
    ("copies", "个数", "个", lambda t: t.copies),
    ("params", "参数", "个参数", lambda t: t.count),
    ("zero_centered", "是否零中心", "", lambda t: t.norm.zero_centered),
]


def _norms(column):
    return anchor.derived(lambda inventory: {place: column(t) for place, t in _text_norms(inventory).items()})


def _column(declared):
    def column(found=declared):
        return found

    return column


for name, title, unit, column in NORMS:
    fact(f"anchor.norms.{name}", title=f"每一处归一化的{title}", unit=unit, by="由参数清单分组")(
        _column(_norms(column))
    )


@fact(
    "anchor.norm_layers",
    title={"qk": "q、k 归一化出现在多少层里", "gdn": "Gated DeltaNet 的归一化出现在多少层里"},
    unit={"qk": "层", "gdn": "层"},
    by="由参数清单分组",
)
def anchor_norm_layers(
    found=anchor.derived(
        lambda inventory: {
            part: max((t.copies for t in inventory.select(part=f"norm.{part}").tensors), default=0)
            for part in ("qk", "gdn")
        }
    ),
):
    return found


# ---- 锚点模型：参数 ----------------------------------------------------------------------------------

COUNTS = [
    ("total", "整个检查点的参数（文本 + 视觉 + MTP）", {}),
    ("text", "文本部分的参数", {"scope": "text"}),
    ("vision", "视觉塔的参数", {"scope": "vision"}),
    ("mtp", "MTP 模块的参数", {"scope": "mtp"}),
    ("embed.params", "词嵌入的参数", {"part": "embed", "scope": "text"}),
    ("head.params", "输出头的参数", {"part": "lm_head", "scope": "text"}),
    ("attention.params", "完整注意力的参数，不含归一化", {"part": "attention", "scope": "text"}),
    ("linear.params", "Gated DeltaNet 的参数，不含归一化", {"part": "linear_attention", "scope": "text"}),
    ("ffn.params", "文本部分所有 FFN 的参数", {"part": "ffn", "scope": "text"}),
    ("norm.main", "主路归一化的参数", {"part": "norm.main"}),
    ("norm.qk", "q、k 归一化的参数", {"part": "norm.qk"}),
    ("norm.gdn", "Gated DeltaNet 内归一化的参数", {"part": "norm.gdn"}),
    ("norm.mtp", "MTP 模块里归一化的参数", {"part": "norm.mtp"}),
    ("norm.vision", "视觉塔 LayerNorm 的参数", {"part": "norm.vision"}),
]


def _count(selection):
    def count(n=anchor.params(**selection)):
        return n

    return count


for name, title, selection in COUNTS:
    fact(f"anchor.{name}", title=title, unit="个参数", how="{n}")(_count(selection))


@fact("anchor.norm.each", title="主路上一个归一化的参数", unit="个参数", how="{d}")
def anchor_norm_each(d=ref("anchor.d")):
    return d


def _alike(params, layers):
    """返回一层的参数；各层必须一样大。"""
    if not layers:
        raise ValueError("the model has no layer of this kind")
    if params % layers:
        raise ValueError(f"{params} parameters in {layers} layers: they are not all alike, one has no size of its own")
    return params // layers


EACH = [
    ("attention.full", "一个完整注意力子层的参数", "attention.params", "norm.qk", "layers_full"),
    ("attention.linear", "一个 Gated DeltaNet 子层的参数", "linear.params", "norm.gdn", "layers_linear"),
]


def _each(matrices, norms, layers):
    def each(matrices=ref(f"anchor.{matrices}"), norms=ref(f"anchor.{norms}"), layers=ref(f"anchor.{layers}")):
        return _alike(matrices + norms, layers)

    return each


for name, title, *inputs in EACH:
    fact(f"anchor.{name}", title=title, unit="个参数", how="({matrices} + {norms}) / {layers}")(_each(*inputs))


@fact("anchor.ffn.each", title="一个 FFN 子层的参数", unit="个参数", how="{all} / {L}")
def anchor_ffn_each(all=ref("anchor.ffn.params"), L=ref("anchor.layers")):
    return _alike(all, L)


@fact("anchor.norm.text", title="文本模型里全部归一化的参数", unit="个参数", how="{main} + {qk} + {gdn}")
def anchor_norm_text(main=ref("anchor.norm.main"), qk=ref("anchor.norm.qk"), gdn=ref("anchor.norm.gdn")):
    return main + qk + gdn


@fact("anchor.norm.all", title="整个检查点里全部归一化的参数", unit="个参数", how="{text} + {mtp} + {vision}")
def anchor_norm_all(text=ref("anchor.norm.text"), mtp=ref("anchor.norm.mtp"), vision=ref("anchor.norm.vision")):
    return text + mtp + vision


SHARES = [
    ("norm.main_share", "norm.main", "total", "主路归一化占整个检查点", ".4%"),
    ("norm.main_share_text", "norm.main", "text", "主路归一化占文本部分", ".4%"),
    ("norm.text_share", "norm.text", "total", "文本模型全部归一化占整个检查点", ".4%"),
    ("norm.all_share", "norm.all", "total", "全部归一化占整个检查点", ".4%"),
    ("ffn_share", "ffn.params", "total", "文本部分的 FFN 占整个检查点", ".1%"),
    ("ffn_share_text", "ffn.params", "text", "文本部分的 FFN 占文本部分", ".1%"),
]


def _share(part, whole):
    def share(part=ref(f"anchor.{part}"), whole=ref(f"anchor.{whole}")):
        return part / whole

    return share


for name, part, whole, title, display in SHARES:
    fact(f"anchor.{name}", title=title, how="{part} / {whole}", format=display)(_share(part, whole))

# ---- 正文说「Qwen3.8 怎样怎样」，就在这里核对 -------------------------------------------------------

OFFICIAL = "由这一族模型的官方实现规定，config 里没有一个值能改它；换成别的模型族就不成立"
claim(
    "anchor.c.named",
    "round(anchor.text / 10 ** 9) == 27 and anchor.family == 'qwen3_5'",
    title="锚点模型是 Qwen3.8-27B：模型族和文本部分的参数量都对得上",
)
claim(
    "anchor.c.norm",
    "model.qwen.norm == 'RMSNorm（零中心）：子层入口、最后一层之后'",
    title="锚点模型用零中心 RMSNorm，放在每个子层的入口，末尾再补一个",
    law=OFFICIAL,
)
claim(
    "anchor.c.elsewhere",
    "model.qwen.qk == 'RMSNorm（零中心）' and model.qwen.delta == 'RMSNorm' and model.qwen.vision == 'LayerNorm'"
    " and anchor.norm_layers.qk == anchor.layers_full and anchor.norm_layers.gdn == anchor.layers_linear",
    title="q、k 的归一化也零中心，只在完整注意力层里；Gated DeltaNet 里的和视觉塔的 LayerNorm 不是",
    law=OFFICIAL,
)
claim(
    "anchor.c.block",
    "anchor.writes == 2 and anchor.ffn.matrices == 3 and model.qwen.stream == '普通残差'"
    " and model.qwen.clamp == '没有上界'",
    title="锚点模型每层的注意力和 FFN 各写入一次，残差就是相加；FFN 带门，输出没有上界",
    law=OFFICIAL,
)
claim("anchor.c.silu", "anchor.activation == 'silu'", title="锚点模型的 FFN 用 SiLU")
claim(
    "anchor.c.two_kinds",
    "anchor.layer_kinds == 2 and anchor.layers_full + anchor.layers_linear == anchor.layers",
    title="锚点模型的注意力层只有完整注意力和 Gated DeltaNet",
)
claim("anchor.c.query_gate", "anchor.q_factor == 2", title="q_proj 在每个 query 之外还输出一份同样宽的")
claim(
    "anchor.c.untied",
    "anchor.head.params == anchor.embed.params",
    title="输出头与词嵌入不共享，各有一张同样大的表",
)
claim("anchor.c.ffn_most", "anchor.ffn_share > 1 / 2", title="FFN 的参数比其余部分加起来还多")
