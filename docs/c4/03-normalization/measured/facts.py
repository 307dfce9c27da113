"""第 3 课的实测：小模型的训练记录，逐种子汇总；沿深度的读数在 depth/。"""

from __future__ import annotations

from course_build.ledger import claim, fact, ref, run, source

prefix = "norm"
outcomes = source("experiments/configs/outcomes.json")


def _mean(values):
    return sum(values) / len(values)


def _three(recipe, pointer):
    def seeds(a=run(f"{recipe}-s1", pointer), b=run(f"{recipe}-s2", pointer), c=run(f"{recipe}-s3", pointer)):
        return [a, b, c]

    return seeds


def _five(recipe, pointer):
    def seeds(
        a=run(f"{recipe}-s1", pointer),
        b=run(f"{recipe}-s2", pointer),
        c=run(f"{recipe}-s3", pointer),
        d=run(f"{recipe}-s4", pointer),
        e=run(f"{recipe}-s5", pointer),
    ):
        return [a, b, c, d, e]

    return seeds


def _average(name):
    def average(values=ref(name)):
        return _mean(values)

    return average


def _ends(name):
    def ends(values=ref(name)):
        return {"low": min(values), "high": max(values)}

    return ends


def _one(name, pointer):
    def one(value=run(name, pointer)):
        return value

    return one


RECIPES = [
    ("pre_rms", "前置 RMSNorm", _five),
    ("pre_ln", "前置 LayerNorm", _five),
    ("post_rms", "后置 RMSNorm", _three),
    ("post_ln", "后置 LayerNorm", _three),
    ("pre_hot", "前置 RMSNorm，大学习率、无预热", _three),
    ("post_hot", "后置 RMSNorm，大学习率、无预热", _three),
    ("post_low", "后置 RMSNorm，小学习率、有预热", _three),
    ("post_low_cold", "后置 RMSNorm，小学习率、无预热", _three),
    ("no_residual", "前置 RMSNorm，无残差", _three),
    ("post_untied", "后置 RMSNorm，输出头不共享", _five),
    ("post_ln_untied", "后置 LayerNorm，输出头不共享", _five),
    ("decay_rms", "标准 RMSNorm，增益也衰减", _three),
    ("decay_zero", "零中心 RMSNorm，增益也衰减", _three),
]

for name, title, seeds in RECIPES:
    recipe = name.replace("_", "-")
    fact(
        f"norm.run.{name}.losses",
        title=f"{title}：各种子的最终训练损失",
        unit="nats",
        by="每个种子一次训练",
        format=".3f",
    )(seeds(recipe, "/summary/final_loss"))
    fact(
        f"norm.run.{name}.gains",
        title=f"{title}：各种子比字频多学到的",
        unit="nats",
        by="每个种子一次训练",
        format="+.3f",
    )(seeds(recipe, "/summary/gain"))
    fact(
        f"norm.run.{name}.loss",
        title=f"{title}：最终训练损失的平均",
        unit="nats",
        by="各种子取平均",
        format=".3f",
    )(_average(f"norm.run.{name}.losses"))
    fact(
        f"norm.run.{name}.gain",
        title=f"{title}：比字频多学到的，平均",
        unit="nats",
        by="各种子取平均",
        format="+.3f",
    )(_average(f"norm.run.{name}.gains"))
    for what, title_of, display in [("loss", "最终训练损失", ".3f"), ("gain", "比字频多学到的", "+.3f")]:
        plural = {"loss": "losses", "gain": "gains"}[what]
        fact(
            f"norm.run.{name}.{what}_range",
            title={"low": f"{title}：{title_of}，最小的种子", "high": f"{title}：{title_of}，最大的种子"},
            unit={"low": "nats", "high": "nats"},
            by="各种子里的最小与最大",
            format=display,
        )(_ends(f"norm.run.{name}.{plural}"))


def _outcome(name):
    def outcome(gains=ref(f"norm.run.{name}.gains"), trains=ref("norm.lab.trains"), stuck=ref("norm.lab.stuck")):
        if min(gains) > trains:
            return "学会了"
        return "停滞" if max(gains) < stuck else "因种子而异"

    return outcome


for name, title, _ in RECIPES:
    fact(f"norm.run.{name}.outcome", title=f"{title}：结果", by="各种子比字频多学到的，与门槛比较")(_outcome(name))


@fact(
    "norm.run.whiskers",
    title={"above": "最大的种子比平均高出多少", "below": "最小的种子比平均低多少"},
    by="逐配方，与平均相减",
    format=".3f",
)
def run_whiskers(
    a=ref("norm.run.pre_rms.gains"),
    b=ref("norm.run.pre_ln.gains"),
    c=ref("norm.run.post_rms.gains"),
    d=ref("norm.run.post_ln.gains"),
):
    found = [a, b, c, d]
    return {"above": [max(v) - _mean(v) for v in found], "below": [_mean(v) - min(v) for v in found]}


# ---- 语料、模型、机器 --------------------------------------------------------------------------------

ABOUT = [
    ("characters", "训练部分的字符数", "个字符", "/summary/characters", ""),
    ("kinds", "字符的种数", "种", "/summary/V", ""),
    ("entropy", "只看字频的交叉熵", "nats", "/summary/entropy", ".3f"),
    ("params", "小模型的参数", "个参数", "/summary/params", ""),
    ("machine", "训练所用的机器", "", "/environment/machine", ""),
    ("date", "训练的日期", "", "/date", ""),
    ("seconds", "基准配方一次训练的时间", "秒", "/seconds", ".0f"),
    ("threads", "训练所用的线程数", "个线程", "/environment/threads", ""),
    ("torch", "训练所用的 PyTorch", "", "/environment/torch", ""),
]
for name, title, unit, pointer, display in ABOUT:
    fact(f"norm.lab.{name}", title=title, unit=unit, by="基准配方第一个种子的训练记录", format=display)(
        _one("pre-rms-s1", pointer)
    )


def _values(recipe):
    return source(f"experiments/configs/recipes/{recipe}.json").at("/values")


@fact("norm.lab.changed", title="各配方与基线相比改动过的设置", by="逐项比较配方的数据文件")
def lab_changed(
    base=_values("pre-rms"),
    a=_values("pre-ln"),
    b=_values("post-rms"),
    c=_values("post-ln"),
    d=_values("pre-hot"),
    e=_values("post-hot"),
    f=_values("post-low"),
    g=_values("post-low-cold"),
    h=_values("no-residual"),
    i=_values("post-untied"),
    j=_values("post-ln-untied"),
    k=_values("decay-rms"),
    l=_values("decay-zero"),  # noqa: E741
):
    others = [a, b, c, d, e, f, g, h, i, j, k, l]
    return "、".join(sorted(key for key in base if any(other.get(key) != base[key] for other in others)))


def _seeds(recipe):
    return source(f"experiments/configs/recipes/{recipe}.json").at("/seeds")


@fact(
    "norm.lab.planned",
    title={"pairs": "配方要求的种子数：前置的归一化对照，输出头不共享的各组", "others": "配方要求的种子数：其余各组"},
    by="数配方里的种子",
)
def lab_planned(
    a=_seeds("pre-rms"),
    b=_seeds("pre-ln"),
    c=_seeds("post-untied"),
    d=_seeds("post-ln-untied"),
    e=_seeds("post-rms"),
    f=_seeds("post-ln"),
    g=_seeds("pre-hot"),
    h=_seeds("post-hot"),
    i=_seeds("post-low"),
    j=_seeds("post-low-cold"),
    k=_seeds("no-residual"),
    l=_seeds("decay-rms"),  # noqa: E741
    m=_seeds("decay-zero"),
):
    return {
        "pairs": [len(seeds) for seeds in (a, b, c, d)],
        "others": [len(seeds) for seeds in (e, f, g, h, i, j, k, l, m)],
    }


@fact("norm.lab.corpus", title="训练所用的语料", by="experiments/configs/corpus.json")
def lab_corpus(name=source("experiments/configs/corpus.json").at("/name")):
    return name


claim(
    "norm.c.seeds",
    "all(norm.lab.planned.pairs == norm.lab.seeds) and all(norm.lab.planned.others == norm.lab.seeds_other)",
    title="页面用到了每个配方的每一个种子",
)
claim(
    "norm.c.changed",
    "norm.lab.changed == 'decay_gains、lr、norm、placement、residual、tied、warmup' and recipe.schedule == 'cosine'",
    title="各配方与基线只差归一化的种类与位置、残差、输出头、学习率、预热、增益是否衰减，其余设置都相同",
)

RATES = [("lr_hot", "大学习率", "post-hot"), ("lr_low", "小学习率", "post-low")]


def _rate(recipe):
    def rate(lr=source(f"experiments/configs/recipes/{recipe}.json").at("/values/lr")):
        return lr

    return rate


for name, title, recipe in RATES:
    fact(f"norm.lab.{name}", title=title, by="配方", format="e")(_rate(recipe))


def _threshold(name):
    def threshold(value=outcomes.at(f"/{name}")):
        return value

    return threshold


for name, title in [("trains", "算作学会了的门槛"), ("stuck", "算作停滞的门槛")]:
    fact(f"norm.lab.{name}", title=title, unit="nats", by="experiments/configs/outcomes.json")(_threshold(name))


@fact("norm.lab.seeds", title="归一化对照的种子数", unit="个种子", by="数一数")
def lab_seeds(losses=ref("norm.run.pre_rms.losses")):
    return len(losses)


@fact("norm.lab.seeds_other", title="其余配方的种子数", unit="个种子", by="数一数")
def lab_seeds_other(losses=ref("norm.run.post_rms.losses")):
    return len(losses)


# ---- RMSNorm 与 LayerNorm：同一个种子成对相减 ----------------------------------------------------------


@fact(
    "norm.pair.differences",
    title="LayerNorm 减 RMSNorm，同种子的最终损失之差",
    unit="nats",
    by="同一个种子成对相减",
    format="+.4f",
)
def pair_differences(ln=ref("norm.run.pre_ln.losses"), rms=ref("norm.run.pre_rms.losses")):
    return [a - b for a, b in zip(ln, rms, strict=True)]


@fact("norm.pair.mean", title="成对之差的平均", unit="nats", by="各种子取平均", format="+.4f")
def pair_mean(differences=ref("norm.pair.differences")):
    return _mean(differences)


@fact("norm.pair.error", title="成对之差的标准误", unit="nats", by="样本标准差除以种子数的平方根", format=".4f")
def pair_error(differences=ref("norm.pair.differences")):
    middle = _mean(differences)
    variance = sum((v - middle) ** 2 for v in differences) / (len(differences) - 1)
    return (variance / len(differences)) ** (1 / 2)


claim(
    "norm.c.ln_rms_same",
    "abs(norm.pair.mean) < 2 * norm.pair.error",
    title="LayerNorm 与 RMSNorm 的差别没有超出噪声",
)
claim(
    "norm.c.pre_trains",
    "norm.run.pre_rms.gain_range.low > norm.lab.trains and norm.run.pre_ln.gain_range.low > norm.lab.trains",
    title="前置的每个种子都学会了",
)
claim(
    "norm.c.shown_curves",
    "norm.run.pre_rms.gains[0] > norm.lab.trains and norm.run.pre_hot.gains[0] > norm.lab.trains"
    " and norm.run.post_low.gains[0] > norm.lab.trains and norm.run.post_rms.gains[0] < norm.lab.stuck"
    " and norm.run.post_hot.gains[0] < norm.lab.stuck and norm.run.post_low_cold.gains[0] < norm.lab.stuck",
    title="图上的第一个种子：前置都学会了，后置只有学习率低且有预热的一条学会了",
)
claim(
    "norm.c.bars",
    "abs(norm.run.pre_rms.gain - norm.run.pre_ln.gain) < norm.lab.stuck"
    " and abs(norm.run.post_rms.gain) < norm.lab.stuck and abs(norm.run.post_ln.gain) < norm.lab.stuck",
    title="比字频多学到的：前置的 RMSNorm 与 LayerNorm 几乎一样多，后置的都几乎没有",
)
claim(
    "norm.c.source_agrees",
    "abs(paper.source2026.loss_ln - paper.source2026.loss_rms) < norm.lab.stuck"
    " and paper.source2026.loss_post - paper.source2026.loss_rms > norm.lab.trains",
    title="原课里 RMSNorm 与 LayerNorm 的损失也看不出区别，Post-LN 也停得高得多",
)
claim(
    "norm.c.post_stuck",
    "norm.run.post_rms.gain_range.high < norm.lab.stuck and norm.run.post_ln.gain_range.high < norm.lab.stuck"
    " and norm.run.post_rms.gain_range.low > -norm.lab.stuck and norm.run.post_ln.gain_range.low > -norm.lab.stuck",
    title="同样的学习率和预热，后置的每个种子都停滞，停在字频上，没有发散",
)
claim(
    "norm.c.hot",
    "norm.run.pre_hot.gain_range.low > norm.lab.trains and norm.run.post_hot.gain_range.high < norm.lab.stuck"
    " and norm.lab.lr_hot > recipe.lr",
    title="学习率更大、没有预热：前置仍能学，后置停滞",
)
claim(
    "norm.c.hot_costs",
    "norm.run.pre_hot.loss_range.low - norm.run.pre_rms.loss_range.high > norm.lab.trains",
    title="大学习率、无预热的前置，每个种子都明显不如基线",
)
claim(
    "norm.c.low",
    "norm.run.post_low.gain_range.low > norm.lab.trains and norm.run.post_low_cold.gain_range.high < norm.lab.stuck"
    " and norm.lab.lr_low < recipe.lr",
    title="学习率更小：有预热的后置能学，没有预热的停滞",
)
claim(
    "norm.c.low_worse",
    "norm.run.post_low.loss_range.low > norm.run.pre_rms.loss_range.high",
    title="能学的后置仍不如前置基线",
)
claim(
    "norm.c.no_residual",
    "norm.run.no_residual.gain_range.high < norm.lab.stuck",
    title="去掉残差，每个种子都停滞",
)


claim(
    "norm.c.untied",
    "norm.run.post_untied.gain_range.high < norm.lab.stuck"
    " and norm.run.post_ln_untied.gain_range.high < norm.lab.stuck",
    title="输出头不共享，后置的每个种子仍然停滞",
)
