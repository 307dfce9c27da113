"""第 3 课的模拟：残差模拟器的读数、不带拟合参数的理论、weight decay 单独的作用。"""

from __future__ import annotations

from course_build.ledger import claim, fact, ref, source
from experiments import decay, meanfield, residual

prefix = "norm"
setting = source("docs/c4/03-normalization/simulator.json")
toy = source("docs/c4/03-normalization/toy.json", kind="constructed")

SETTINGS = [
    ("n", "模拟器的子层数", "个子层"),
    ("width", "模拟器的宽度", "维"),
    ("gain", "模拟器的初始化尺度", ""),
    ("seed", "模拟器的随机种子", ""),
]


def _setting(key):
    def value(value=setting.at(f"/{key}")):
        return value

    return value


for name, title, unit in SETTINGS:
    fact(f"norm.sim.{name}", title=title, unit=unit, by="模拟器的默认状态")(_setting(name))


@fact("norm.sim.band", title={"low": "带的下沿", "high": "带的上沿"}, by="按正态分布取的分位", format=".0%")
def sim_band(band=setting.at("/band")):
    return band


# ---- 读数与理论 --------------------------------------------------------------------------------------

BOXES = [
    ("residual", "只有残差", {"residual": True}, ".1f"),
    ("norm", "残差，入口加 RMSNorm", {"residual": True, "norm": True}, ".1f"),
    ("scaled", "残差，入口加 RMSNorm，再加写回缩放", {"residual": True, "norm": True, "scale": True}, ".2f"),
]


def _simulated(boxes):
    def simulated(n=ref("norm.sim.n"), gain=ref("norm.sim.gain"), seed=ref("norm.sim.seed")):
        reading = residual.simulate(residual.Setting(n=n, gain=gain, seed=seed, **boxes))
        return {
            "ratio": reading.ratio,
            "rms": reading.rms,
            "rms_curve": reading.rms_curve,
            "gradient_curve": reading.gradient_curve,
        }

    return simulated


THEORY = [
    *("ratio", "p5", "p50", "p95", "rms", "rms_p5", "rms_p95"),
    *("rms_curve", "rms_low", "rms_high", "gradient_curve", "gradient_low", "gradient_high"),
]


def _theory(boxes):
    def theory(n=ref("norm.sim.n"), gain=ref("norm.sim.gain")):
        curves = meanfield.theory(residual.Setting(n=n, gain=gain, **boxes))
        return {
            "ratio": curves.ratio[0],
            "p5": curves.ratio_low[0],
            "p50": curves.ratio_median[0],
            "p95": curves.ratio_high[0],
            "rms": curves.rms[-1],
            "rms_p5": curves.rms_low[-1],
            "rms_p95": curves.rms_high[-1],
            "rms_curve": curves.rms,
            "rms_low": curves.rms_low,
            "rms_high": curves.rms_high,
            "gradient_curve": curves.ratio,
            "gradient_low": curves.ratio_low,
            "gradient_high": curves.ratio_high,
        }

    return theory


@fact("norm.sim.depth", title="沿深度的位置", unit="个子层", by="从起点到最后一次写入")
def sim_depth(n=ref("norm.sim.n")):
    return list(range(n + 1))


@fact("norm.sim.start", title="起点的 RMS", by="残差流曲线的第一个点", format=".0f")
def sim_start(curve=ref("norm.sim.residual.rms_curve")):
    return curve[0]


for name, title, boxes, display in BOXES:
    fact(
        f"norm.sim.{name}",
        title={
            "ratio": f"{title}：底层与顶层的梯度之比",
            "rms": f"{title}：走到顶时残差流的 RMS",
            "rms_curve": f"{title}：沿深度的 RMS",
            "gradient_curve": f"{title}：沿深度的梯度，以顶层为一",
        },
        by="experiments.residual，逐层前向与反向",
        kind="simulated",
        format={"ratio": display, "rms": ".1f", "rms_curve": ".3g", "gradient_curve": ".3g"},
    )(_simulated(boxes))
    fact(
        f"norm.theory.{name}",
        title={
            "ratio": f"{title}：梯度之比，平均场",
            "p5": f"{title}：梯度之比，理论的下沿",
            "p50": f"{title}：梯度之比，理论的中位数",
            "p95": f"{title}：梯度之比，理论的上沿",
            "rms": f"{title}：RMS，平均场",
            "rms_p5": f"{title}：RMS，理论的下沿",
            "rms_p95": f"{title}：RMS，理论的上沿",
            "rms_curve": f"{title}：沿深度的 RMS，平均场",
            "rms_low": f"{title}：沿深度的 RMS，理论的下沿",
            "rms_high": f"{title}：沿深度的 RMS，理论的上沿",
            "gradient_curve": f"{title}：沿深度的梯度，平均场",
            "gradient_low": f"{title}：沿深度的梯度，理论的下沿",
            "gradient_high": f"{title}：沿深度的梯度，理论的上沿",
        },
        by="experiments.meanfield，不带拟合参数",
        kind="simulated",
        format=dict.fromkeys(THEORY, ".3g") | {"p50": display},
    )(_theory(boxes))


@fact(
    "norm.theory.integrals",
    title={"v": "V = E tanh²(gz)", "c": "C = E (sech²(gz))²"},
    by="对标准正态的 z 积分，experiments.meanfield",
    kind="simulated",
    format=".4f",
)
def theory_integrals(gain=ref("norm.sim.gain")):
    v, c, _ = meanfield.integrals(gain)
    return {"v": v, "c": c}


@fact(
    "norm.theory.exponent",
    title="有归一化时，梯度之比随子层数增长的指数",
    how="{C} / (2 × {V})",
    format=".3f",
)
def theory_exponent(C=ref("norm.theory.integrals.c"), V=ref("norm.theory.integrals.v")):
    return C / (2 * V)


@fact("norm.theory.limit_ratio", title="再加写回缩放，梯度之比趋于", how="(1 + {V})^{p}", format=".3f")
def theory_limit_ratio(V=ref("norm.theory.integrals.v"), p=ref("norm.theory.exponent")):
    return (1 + V) ** p


@fact("norm.theory.limit_rms", title="再加写回缩放，RMS 趋于", how="√(1 + {V})", format=".3f")
def theory_limit_rms(V=ref("norm.theory.integrals.v")):
    return (1 + V) ** (1 / 2)


@fact("norm.sim.level", title="算作「基本不动」的相对变化", by="写断言时定下的门槛", format=".0%")
def sim_level(value=setting.at("/level")):
    return value


claim(
    "norm.c.grows",
    "norm.sim.residual.rms > norm.seeds.clearly * norm.sim.start",
    title="只有残差时，残差流的 RMS 一路写大",
)
claim(
    "norm.c.ladder",
    "norm.sim.residual.ratio > norm.sim.norm.ratio > norm.sim.scaled.ratio"
    " and norm.sim.residual.rms > norm.sim.norm.rms > norm.sim.scaled.rms"
    " and norm.sim.norm.rms > norm.seeds.clearly * norm.sim.start"
    " and abs(norm.sim.scaled.rms - norm.sim.start) < norm.sim.level * norm.sim.start",
    title="依次加上 RMSNorm 和写回缩放，梯度比与 RMS 都下降；只加 RMSNorm 时 RMS 仍在涨，写回缩放后才基本停住",
)
claim(
    "norm.c.curves",
    "norm.sim.residual.ratio > norm.seeds.clearly * norm.sim.norm.ratio"
    " and max(norm.sim.scaled.gradient_curve) - min(norm.sim.scaled.gradient_curve) < norm.sim.level",
    title="与只有残差相比，入口加 RMSNorm 后梯度明显平缓，再加写回缩放后几乎水平",
)
claim(
    "norm.c.in_band",
    "norm.theory.residual.p5 < norm.sim.residual.ratio < norm.theory.residual.p95"
    " and norm.theory.norm.p5 < norm.sim.norm.ratio < norm.theory.norm.p95",
    title="只有残差、再加归一化，梯度比都落在理论的带里",
)
claim(
    "norm.c.high_rms",
    "norm.sim.residual.rms > norm.theory.residual.rms_p95",
    title="只有残差时，页面所用种子的 RMS 高于理论的带",
)

# ---- weight decay 单独的作用 -------------------------------------------------------------------------

baseline = source("experiments/configs/recipes/pre-rms.json")


@fact("norm.decay.gain", title="衰减开始时的增益", by="手工选定", format=".2f")
def decay_gain(g0=toy.at("/decay/gain")):
    return g0


@fact("norm.decay.steps", title="只受衰减作用的步数", unit="步", by="手工选定")
def decay_steps(steps=toy.at("/decay/steps")):
    return steps


@fact("norm.decay.lr", title="学习率 η", by="本课训练的基准配方", format="e")
def decay_lr(lr=baseline.at("/values/lr")):
    return lr


@fact("norm.decay.wd", title="衰减系数 λ", by="本课训练的基准配方")
def decay_wd(wd=baseline.at("/values/decay")):
    return wd


@fact("norm.decay.keep", title="衰减之后剩下的比例", how="(1 − {lr} × {wd})^{t}", format=".1%")
def decay_keep(lr=ref("norm.decay.lr"), wd=ref("norm.decay.wd"), t=ref("norm.decay.steps")):
    return decay.power(1 - lr * wd, t)


@fact("norm.decay.standard", title="标准写法的增益", how="{g} × {keep}", format=".3f")
def decay_standard(g=ref("norm.decay.gain"), keep=ref("norm.decay.keep")):
    return g * keep


@fact("norm.decay.zero_centered", title="零中心写法的增益", how="1 + ({g} − 1) × {keep}", format=".3f")
def decay_zero_centered(g=ref("norm.decay.gain"), keep=ref("norm.decay.keep")):
    return 1 + (g - 1) * keep


@fact("norm.decay.at", title="画衰减曲线的步数", unit="步", by="从零到给定步数等分")
def decay_at(steps=ref("norm.decay.steps"), points=toy.at("/decay/points")):
    return [steps * i // points for i in range(points + 1)]


@fact(
    "norm.decay.curve",
    title={"stored": "标准写法的增益曲线", "zero_centered": "零中心写法的增益曲线"},
    by="experiments.decay，逐点求幂",
    format=".3f",
)
def decay_curve(g=ref("norm.decay.gain"), lr=ref("norm.decay.lr"), wd=ref("norm.decay.wd"), at=ref("norm.decay.at")):
    return decay.curves(g, at, lr, wd)


claim(
    "norm.c.decay",
    "norm.decay.standard < 1 < norm.decay.zero_centered",
    title="同样的衰减，标准写法被拉到一以下，零中心写法停在一以上",
)


@fact("norm.eps.effect", title="均方取单位值时，ε 让输出缩小的比例", how="1 − 1 / √(1 + {eps})", format=".1e")
def eps_effect(eps=ref("anchor.eps")):
    return 1 - (1 + eps) ** (-1 / 2)
