"""几课共用的事实：课程的锚点模型。前沿模型在 models/，论文里报告的数字在 papers/。"""

from __future__ import annotations

from course_build.ledger import claim, fact, model, ref

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


def _read(key):
    def value(key=anchor.at(f"{TEXT}/{key}")):
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


@fact(
    "anchor.writes",
    title="每层向残差流写入的次数",
    unit="次",
    how="({norms} − 1) / {L}",
)
def anchor_writes(
    norms=anchor.derived(lambda inventory: sum(t.copies for t in inventory.select(part="norm.main").tensors)),
    L=ref("anchor.layers"),
):
    """每个子层入口一个归一化，最后再加一个；所以减一、除以层数，就是每层的子层数。"""
    return (norms - 1) // L


@fact("anchor.sublayers", title="写入残差流的总次数", unit="次", how="{L} × {writes}")
def anchor_sublayers(L=ref("anchor.layers"), writes=ref("anchor.writes")):
    return L * writes


@fact("anchor.ffn.ratio", title="FFN 中间维与残差流宽度之比", unit="倍", how="{width} / {d}", format=".1f")
def anchor_ffn_ratio(width=ref("anchor.ffn.width"), d=ref("anchor.d")):
    return width / d


@fact("anchor.ffn.matrices", title="一个 FFN 里的矩阵个数", unit="个", by="数参数清单里一层 FFN 的张量")
def anchor_ffn_matrices(
    count=anchor.derived(lambda inventory: len(inventory.select(part="ffn", scope="text").tensors)),
):
    return count


@fact("anchor.q_width", title="所有 query 头拼起来的宽度", unit="维", how="{heads} × {head_dim}")
def anchor_q_width(heads=ref("anchor.heads"), head_dim=ref("anchor.head_dim")):
    return heads * head_dim


@fact("anchor.q_factor", title="q_proj 的输出是 query 宽度的几倍", unit="倍", how="{rows} / {width}", format="d")
def anchor_q_factor(
    rows=anchor.derived(lambda inventory: inventory.select(name="*q_proj*", scope="text").tensors[0].shape[0]),
    width=ref("anchor.q_width"),
):
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


EACH = [
    ("attention.full", "一个完整注意力子层的参数", "attention.params", "norm.qk", "layers_full"),
    ("attention.linear", "一个 Gated DeltaNet 子层的参数", "linear.params", "norm.gdn", "layers_linear"),
]


def _each(matrices, norms, layers):
    def each(matrices=ref(f"anchor.{matrices}"), norms=ref(f"anchor.{norms}"), layers=ref(f"anchor.{layers}")):
        return (matrices + norms) // layers

    return each


for name, title, *inputs in EACH:
    fact(f"anchor.{name}", title=title, unit="个参数", how="({matrices} + {norms}) / {layers}")(_each(*inputs))


@fact("anchor.ffn.each", title="一个 FFN 子层的参数", unit="个参数", how="{all} / {L}")
def anchor_ffn_each(all=ref("anchor.ffn.params"), L=ref("anchor.layers")):
    return all // L


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

claim("anchor.c.ffn_most", "anchor.ffn_share > 1 / 2", title="FFN 的参数比其余部分加起来还多")
