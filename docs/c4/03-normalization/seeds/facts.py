"""第 3 课的种子：残差模拟器换上千个种子，读数散在哪里；加深之后又怎样。"""

from __future__ import annotations

from course_build.ledger import claim, fact, ref, run, source

prefix = "norm"
setting = source("docs/c4/03-normalization/simulator.json")
BANDS, DEEP = "residual-bands", "residual-bands-deep"
SETTINGS = [
    ("residual", "只有残差"),
    ("norm", "残差，入口加 RMSNorm"),
    ("scaled", "残差，入口加 RMSNorm，再加写回缩放"),
]
READINGS = [("ratio", "梯度之比"), ("rms", "RMS")]
QUANTILES = [("p5", "下沿"), ("p50", "中位数"), ("p95", "上沿")]
CURVES = [("rms", "RMS"), ("gradient", "梯度")]


def _read(name, pointer):
    def value(value=run(name, pointer)):
        return value

    return value


def _titles(title):
    texts = {f"{key}_{q}": f"{title}：{name}，{edge}" for key, name in READINGS for q, edge in QUANTILES}
    texts |= {f"{key}_percentile": f"{title}：{name}，页面所用的种子排在百分之几" for key, name in READINGS}
    texts |= {f"{key}_low": f"{title}：沿深度的{name}，下沿" for key, name in CURVES}
    return texts | {f"{key}_high": f"{title}：沿深度的{name}，上沿" for key, name in CURVES}


def _settings(pointer):
    def setting(found=run(BANDS, pointer)):
        values = {f"{key}_{q}": found[key][q] for key, _ in READINGS for q, _ in QUANTILES}
        values |= {f"{key}_percentile": found[key]["percentile"] for key, _ in READINGS}
        values |= {f"{key}_low": found["curves"][key]["p5"] for key, _ in CURVES}
        return values | {f"{key}_high": found["curves"][key]["p95"] for key, _ in CURVES}

    return setting


PERCENTILES = {f"{key}_percentile": ".0f" for key, _ in READINGS}
for i, (name, title) in enumerate(SETTINGS):
    titles = _titles(title)
    fact(
        f"norm.seeds.{name}",
        title=titles,
        by="experiments.bands，每个种子一个网络",
        format=dict.fromkeys(titles, ".3g") | PERCENTILES,
    )(_settings(f"/summary/settings/{i}"))

fact("norm.seeds.count", title="模拟的种子数", unit="个种子", by="experiments.bands")(_read(BANDS, "/summary/seeds"))
fact(
    "norm.seeds.falls",
    title={"ratio": "梯度之比每一步都下降的种子", "rms": "RMS 每一步都下降的种子"},
    by="占全部种子的比例",
    format={"ratio": ".1%", "rms": ".2%"},
)(_read(BANDS, "/summary/falls"))

fact("norm.deep.n", title="加深之后的子层数", unit="个子层", by="experiments.bands")(_read(DEEP, "/summary/n"))
fact("norm.deep.count", title="加深之后模拟的种子数", unit="个种子", by="experiments.bands")(
    _read(DEEP, "/summary/seeds")
)
for i, (name, title) in enumerate(SETTINGS):
    fact(
        f"norm.deep.{name}",
        title=f"加深之后，{title}：梯度之比的中位数",
        by="experiments.bands，每个种子一个网络",
        format=".3g",
    )(_read(DEEP, f"/summary/settings/{i}/ratio/p50"))


@fact(
    "norm.deep.growth",
    title={name: f"加深之后，{title}：梯度之比的中位数变成原来的几倍" for name, title in SETTINGS},
    by="加深之后的中位数除以原来的",
    format=".2f",
)
def deep_growth(
    residual=ref("norm.deep.residual"),
    norm=ref("norm.deep.norm"),
    scaled=ref("norm.deep.scaled"),
    residual_before=ref("norm.seeds.residual.ratio_p50"),
    norm_before=ref("norm.seeds.norm.ratio_p50"),
    scaled_before=ref("norm.seeds.scaled.ratio_p50"),
):
    return {
        "residual": residual / residual_before,
        "norm": norm / norm_before,
        "scaled": scaled / scaled_before,
    }


def _threshold(key):
    def threshold(value=setting.at(f"/{key}")):
        return value

    return threshold


THRESHOLDS = [
    ("mostly", "算作「绝大多数」的比例", ".0%"),
    ("clearly", "算作「明显变大」的倍数", ""),
    ("steady", "算作「几乎不变」的相对变化", ".0%"),
]
for name, title, display in THRESHOLDS:
    fact(f"norm.seeds.{name}", title=title, by="写断言时定下的门槛", format=display)(_threshold(name))

claim(
    "norm.c.usual",
    "norm.seeds.falls.ratio > norm.seeds.mostly and norm.seeds.falls.rms > norm.seeds.mostly",
    title="绝大多数种子每一步都下降",
)
claim(
    "norm.c.luck",
    "norm.sim.scaled.ratio < 1 < norm.seeds.scaled.ratio_p50 < norm.seeds.clearly",
    title="比值小于一是页面所用种子的运气，典型值略大于一",
)
claim(
    "norm.c.depth",
    "norm.deep.growth.residual > norm.deep.growth.norm > norm.seeds.clearly"
    " and abs(norm.deep.growth.scaled - 1) < norm.seeds.steady",
    title="加深之后，只有残差时涨得最多，加归一化涨得少，再加写回缩放几乎不涨",
)


@fact("norm.seeds.theory_gap", title="梯度之比的中位数，理论与模拟最多差多少", by="各情形的相对差取最大", format=".1%")
def seeds_theory_gap(
    residual=ref("norm.seeds.residual.ratio_p50"),
    norm=ref("norm.seeds.norm.ratio_p50"),
    scaled=ref("norm.seeds.scaled.ratio_p50"),
    residual_theory=ref("norm.theory.residual.p50"),
    norm_theory=ref("norm.theory.norm.p50"),
    scaled_theory=ref("norm.theory.scaled.p50"),
):
    pairs = [(residual, residual_theory), (norm, norm_theory), (scaled, scaled_theory)]
    return max(abs(theory / simulated - 1) for simulated, theory in pairs)
