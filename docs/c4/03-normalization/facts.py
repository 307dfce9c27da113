"""第 3 课的事实与断言：同批的例子、手算的小例子。模拟与实测在子文件夹。"""

from __future__ import annotations

from course_build.ledger import claim, fact, ref, source
from experiments import norms

prefix = "norm"
toy = source("docs/c4/03-normalization/toy.json", kind="constructed")
thresholds = source("docs/c4/03-normalization/simulator.json")

# ---- ② 残差流会长到多大 ------------------------------------------------------------------------------


@fact("norm.stream.std", title="起点加全部写入，每一项都是单位方差时的标准差", how="√(1 + {N})", format=".2f")
def stream_std(N=ref("anchor.sublayers")):
    return (1 + N) ** (1 / 2)


@fact("norm.stream.writes_std", title="只算全部写入，每一项都是单位方差时的标准差", how="√{N}", format=".2f")
def stream_writes_std(N=ref("anchor.sublayers")):
    return N ** (1 / 2)


# ---- ③ 同批的例子 ------------------------------------------------------------------------------------


def _largest_difference(a, b):
    return max(abs(p - q) for p, q in zip(a, b, strict=True))


def _batch(batch, mate, padded, alone):
    """返回同批的全部向量，「苹果」所在的行排在最前。"""
    words, vectors = batch["sentence"]["words"], batch["sentence"]["vectors"]
    apple = vectors[words.index(batch["token"])]
    if alone:
        return [apple]
    rows = [apple, *(v for w, v in zip(words, vectors, strict=True) if w != batch["token"])]
    others = next((m["vectors"] for m in batch["mates"] if m["id"] == mate), [])
    gap = abs(len(vectors) - len(others)) if padded else 0
    return [*rows, *others, *[batch["pad"]] * gap]


CASES = [
    ("own", "只有这一句", "", False, False),
    ("a", "同批是甲句", "a", False, False),
    ("a_padded", "同批是甲句，补齐到一样长", "a", True, False),
    ("b", "同批是乙句", "b", False, False),
    ("b_padded", "同批是乙句，补齐到一样长", "b", True, False),
    ("one", "批里只有「苹果」", "", False, True),
]


def _case(mate, padded, alone):
    def case(batch=toy.at("/batch")):
        rows = _batch(batch, mate, padded, alone)
        apple = rows[0]
        return {
            "tokens": len(rows),
            "bn": norms.batch_norm(rows, batch["eps"])[0],
            "rms": norms.rms_norm(apple),
            "ln": norms.layer_norm(apple),
        }

    return case


for name, title, mate, padded, alone in CASES:
    fact(
        f"norm.batch.{name}",
        title={
            "tokens": f"{title}：同批的 token 数",
            "bn": f"{title}：BatchNorm 后的「苹果」",
            "rms": f"{title}：RMSNorm 后的「苹果」",
            "ln": f"{title}：LayerNorm 后的「苹果」",
        },
        unit={"tokens": "个 token"},
        by="experiments.norms 作用在构造的向量上",
        format={"bn": ".3f", "rms": ".3f", "ln": ".3f"},
    )(_case(mate, padded, alone))


@fact("norm.batch.tokens", title="例句每个 token 的构造向量", by="手工构造")
def batch_tokens(batch=toy.at("/batch/sentence")):
    return {f"t{i}": v for i, v in enumerate(batch["vectors"])}


@fact("norm.batch.words", title="例句的 token", by="手工切分")
def batch_words(words=toy.at("/batch/sentence/words")):
    return {f"t{i}": word for i, word in enumerate(words)}


@fact("norm.batch.token", title="盯住的那个 token", by="手工选定")
def batch_token(token=toy.at("/batch/token")):
    return token


@fact("norm.batch.normalized", title="例句每个 token 经 BatchNorm", by="对整句逐列统计", format=".3f")
def batch_normalized(batch=toy.at("/batch")):
    rows = norms.batch_norm(batch["sentence"]["vectors"], batch["eps"])
    return {f"t{i}": v for i, v in enumerate(rows)}


@fact("norm.batch.mates", title="同批的另一句话", by="手工选的句子")
def batch_mates(mates=toy.at("/batch/mates")):
    return {mate["id"]: mate["text"] for mate in mates}


@fact("norm.batch.eps", title="例子里 BatchNorm 的 ε", by="手工选定", format="e")
def batch_eps(eps=toy.at("/batch/eps")):
    return eps


@fact(
    "norm.batch.flips",
    title="换了同批的话之后，「苹果」变号的维数",
    unit="维",
    by="同批换成甲句、换成乙句，逐维比较符号",
)
def batch_flips(a=ref("norm.batch.a.bn"), b=ref("norm.batch.b.bn")):
    return sum(p * q < 0 for p, q in zip(a, b, strict=True))


@fact(
    "norm.batch.one_largest",
    title="只有一个 token 时，BatchNorm 输出里最大的绝对值",
    by="逐维取绝对值再取最大",
)
def batch_one_largest(one=ref("norm.batch.one.bn")):
    return max(abs(v) for v in one)


@fact(
    "norm.batch.rms_moved",
    title="各种情形之间，RMSNorm 后的「苹果」最多差多少",
    by="与只有这一句时逐维比较，取最大",
)
def batch_rms_moved(
    own=ref("norm.batch.own.rms"),
    a=ref("norm.batch.a_padded.rms"),
    b=ref("norm.batch.b_padded.rms"),
    one=ref("norm.batch.one.rms"),
):
    return max(_largest_difference(own, other) for other in (a, b, one))


@fact(
    "norm.batch.ln_moved",
    title="各种情形之间，LayerNorm 后的「苹果」最多差多少",
    by="与只有这一句时逐维比较，取最大",
)
def batch_ln_moved(
    own=ref("norm.batch.own.ln"),
    a=ref("norm.batch.a_padded.ln"),
    b=ref("norm.batch.b_padded.ln"),
    one=ref("norm.batch.one.ln"),
):
    return max(_largest_difference(own, other) for other in (a, b, one))


@fact(
    "norm.batch.pad_moved",
    title="只因补齐，BatchNorm 后的「苹果」变了多少",
    by="同批是甲句、是乙句，取变得较少的那一种，逐维取最大的差",
    format=".3f",
)
def batch_pad_moved(
    a=ref("norm.batch.a.bn"),
    a_padded=ref("norm.batch.a_padded.bn"),
    b=ref("norm.batch.b.bn"),
    b_padded=ref("norm.batch.b_padded.bn"),
):
    return min(_largest_difference(a, a_padded), _largest_difference(b, b_padded))


claim(
    "norm.c.neighbours",
    "norm.batch.flips > 0 and norm.batch.pad_moved > norm.toy.shown",
    title="同批换一句话、补几个空位，BatchNorm 后的「苹果」都会变",
)
claim(
    "norm.c.one_token_zero",
    "norm.batch.one_largest == 0",
    title="批里只有一个 token 时，BatchNorm 的输出全是零",
    law="只有一个值时均值就是它自己，减完是零",
)
claim("norm.c.mates_flip", "norm.batch.flips > 0", title="只换同批的话，「苹果」就有维度变号")
claim(
    "norm.c.rms_unmoved",
    "norm.batch.rms_moved == 0 and norm.batch.ln_moved == 0",
    title="同批换谁，RMSNorm 和 LayerNorm 后的「苹果」都不变",
    law="RMSNorm 和 LayerNorm 只读「苹果」自己的向量",
)

# ---- ④ LayerNorm 与 RMSNorm 手算 ---------------------------------------------------------------------


@fact("norm.toy.x", title="手算用的向量", by="手工选的整数，便于心算")
def toy_x(x=toy.at("/x")):
    return x


@fact("norm.toy.n", title="手算向量的维数", unit="维", by="数一数")
def toy_n(x=toy.at("/x")):
    return len(x)


@fact("norm.toy.shift", title="整体平移的量", by="手工选定")
def toy_shift(s=toy.at("/shift")):
    return s


@fact("norm.toy.scale", title="整体放大的倍数", unit="倍", by="手工选定")
def toy_scale(k=toy.at("/scale")):
    return k


@fact("norm.ln.mean", title="均值", how="Σ{x} / {n}")
def ln_mean(x=ref("norm.toy.x"), n=ref("norm.toy.n")):
    return sum(x) / n


@fact("norm.ln.var", title="方差", how="Σ({x} − {m})² / {n}")
def ln_var(x=ref("norm.toy.x"), m=ref("norm.ln.mean"), n=ref("norm.toy.n")):
    return sum((v - m) ** 2 for v in x) / n


@fact("norm.ln.std", title="标准差", how="√{v}", format=".3f")
def ln_std(v=ref("norm.ln.var")):
    return v ** (1 / 2)


@fact("norm.ln.out", title="LayerNorm 的输出", how="({x} − {m}) / {s}", format=".3f")
def ln_out(x=ref("norm.toy.x"), m=ref("norm.ln.mean"), s=ref("norm.ln.std")):
    return norms.layer_norm(x)


@fact("norm.rms.meansq", title="均方", how="Σ{x}² / {n}")
def rms_meansq(x=ref("norm.toy.x"), n=ref("norm.toy.n")):
    return sum(v**2 for v in x) / n


@fact("norm.rms.rms", title="均方根", how="√{meansq}", format=".3f")
def rms_rms(meansq=ref("norm.rms.meansq")):
    return meansq ** (1 / 2)


@fact("norm.rms.out", title="RMSNorm 的输出", how="{x} / {rms}", format=".3f")
def rms_out(x=ref("norm.toy.x"), rms=ref("norm.rms.rms")):
    return norms.rms_norm(x)


@fact("norm.shifted.x", title="整体平移后的向量", how="{x} + {s}")
def shifted_x(x=ref("norm.toy.x"), s=ref("norm.toy.shift")):
    return [v + s for v in x]


@fact("norm.shifted.mean", title="平移后的均值", how="{m} + {s}")
def shifted_mean(m=ref("norm.ln.mean"), s=ref("norm.toy.shift")):
    return m + s


@fact("norm.shifted.meansq", title="平移后的均方", how="Σ{x}² / {n}")
def shifted_meansq(x=ref("norm.shifted.x"), n=ref("norm.toy.n")):
    return sum(v**2 for v in x) / n


@fact("norm.shifted.rms", title="平移后的均方根", how="√{meansq}", format=".3f")
def shifted_rms(meansq=ref("norm.shifted.meansq")):
    return meansq ** (1 / 2)


@fact("norm.shifted.out", title="平移后 RMSNorm 的输出", how="{x} / {rms}", format=".3f")
def shifted_out(x=ref("norm.shifted.x"), rms=ref("norm.shifted.rms")):
    return norms.rms_norm(x)


@fact("norm.scaled.x", title="整体放大后的向量", how="{k} × {x}")
def scaled_x(x=ref("norm.toy.x"), k=ref("norm.toy.scale")):
    return [v * k for v in x]


@fact("norm.scaled.rms", title="放大后的均方根", how="{k} × {rms}", format=".3f")
def scaled_rms(k=ref("norm.toy.scale"), rms=ref("norm.rms.rms")):
    return k * rms


MOVES = [("shifted", "整体平移"), ("scaled", "整体放大")]


def _moves(changed):
    def moves(x=ref("norm.toy.x"), other=ref(f"norm.{changed}.x")):
        return {
            "rms": _largest_difference(norms.rms_norm(x), norms.rms_norm(other)),
            "ln": _largest_difference(norms.layer_norm(x), norms.layer_norm(other)),
        }

    return moves


for name, title in MOVES:
    fact(
        f"norm.{name}.moved",
        title={
            "rms": f"{title}后，RMSNorm 的输出最多变了多少",
            "ln": f"{title}后，LayerNorm 的输出最多变了多少",
        },
        by="逐维比较，取最大的差",
        format=".1e",
    )(_moves(name))


@fact("norm.toy.shown", title="按显示的小数位数看得出的最小差别", by="改变末位所需的最小差别", format="e")
def toy_shown(shown=toy.at("/shown")):
    return shown


claim(
    "norm.c.scale_invariant",
    "norm.scaled.moved.rms < norm.toy.shown and norm.scaled.moved.ln < norm.toy.shown",
    title="整体放大，RMSNorm 和 LayerNorm 的输出都不变",
)
claim(
    "norm.c.shift",
    "norm.shifted.moved.ln < norm.toy.shown and norm.shifted.moved.rms > norm.toy.shown",
    title="整体平移，LayerNorm 的输出不变，RMSNorm 的输出变了",
)


@fact("norm.toy.radius", title="RMSNorm 之后向量的长度（手算例子）", how="√{n}")
def toy_radius(n=ref("norm.toy.n")):
    return n ** (1 / 2)


@fact("norm.radius", title="RMSNorm 之后向量的长度（Qwen3.8-27B）", how="√{d}", format=".2f")
def radius(d=ref("anchor.d")):
    return d ** (1 / 2)


@fact("norm.directions", title="方向的自由度", unit="个", how="{d} − 1")
def directions(d=ref("anchor.d")):
    return d - 1


# ---- 参数账与文献 ------------------------------------------------------------------------------------


@fact("norm.negligible", title="算作「几乎可以忽略」的比例", by="写断言时定下的门槛", format=".3%")
def negligible(value=thresholds.at("/negligible")):
    return value


claim(
    "norm.c.negligible",
    "anchor.norm.main_share < norm.negligible and anchor.norm.all_share < norm.negligible",
    title="归一化的参数在整个检查点里几乎可以忽略",
)
claim(
    "norm.c.same_share",
    "round(anchor.norm.text_share, 6) == round(anchor.norm.main_share, 6)"
    " and min(anchor.norm.qk, anchor.norm.gdn, anchor.norm.mtp, anchor.norm.vision) > 0",
    title="主路之外还有 q、k、Gated DeltaNet、MTP 和视觉塔的归一化；加上文本部分的，占比印出来仍与主路的相同",
)
claim(
    "norm.c.speedup",
    "0 < paper.zhang2019.speedup_low < paper.zhang2019.speedup_high",
    title="原文报告的每个模型都是 RMSNorm 用时更少",
)
claim("norm.c.eps_differ", "anchor.eps != frontier.gptoss.eps", title="Qwen3.8 与 gpt-oss 的 ε 不同")
