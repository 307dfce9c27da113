"""第 3 课实测里沿深度的读数：残差流、每一块的梯度、每个归一化的增益。"""

from __future__ import annotations

from itertools import pairwise

from course_build.ledger import claim, fact, ref, run, source

prefix = "norm"
thresholds = source("docs/c4/03-normalization/simulator.json")


def _mean(values):
    return sum(values) / len(values)


def _three(recipe, pointer):
    def seeds(a=run(f"{recipe}-s1", pointer), b=run(f"{recipe}-s2", pointer), c=run(f"{recipe}-s3", pointer)):
        return [a, b, c]

    return seeds


def _average(name):
    def average(values=ref(name)):
        return _mean(values)

    return average


# ---- 梯度与残差流 ------------------------------------------------------------------------------------


def _mean_vectors(rows):
    return [_mean(column) for column in zip(*rows, strict=True)]


def _three_vectors(recipe, pointer):
    def vectors(a=run(f"{recipe}-s1", pointer), b=run(f"{recipe}-s2", pointer), c=run(f"{recipe}-s3", pointer)):
        return _mean_vectors([a, b, c])

    return vectors


PLACES = [("pre", "前置", "pre-rms"), ("post", "后置", "post-rms")]
MOMENTS = [("start", "训练开始时"), ("end", "训练结束时")]
VECTORS = [("rms", "残差流的 RMS", "/rms", ".3g"), ("blocks", "每一块参数收到的梯度", "/block_grad", ".2g")]

for place, title, recipe in PLACES:
    for moment, when in MOMENTS:
        for what, name_of, pointer, display in VECTORS:
            fact(
                f"norm.depth.{place}.{moment}.{what}",
                title=f"{title} RMSNorm，{when}：{name_of}",
                by="逐位置取各种子的平均",
                format=display,
            )(_three_vectors(recipe, f"/summary/{moment}{pointer}"))


@fact("norm.depth.writes", title="残差流上的位置", by="起点，以及每次写入之后")
def depth_writes(curve=ref("norm.depth.pre.start.rms")):
    return list(range(len(curve)))


@fact("norm.depth.block_numbers", title="块的编号", by="从底层往上数")
def depth_blocks(blocks=ref("norm.depth.pre.start.blocks")):
    return list(range(1, len(blocks) + 1))


@fact(
    "norm.depth.bounds",
    title={
        "pre_start_first": "前置，训练开始时：起点的 RMS",
        "pre_start_last": "前置，训练开始时：顶上的 RMS",
        "pre_end_first": "前置，训练结束时：起点的 RMS",
        "pre_end_last": "前置，训练结束时：顶上的 RMS",
    },
    by="曲线的第一个与最后一个点",
    format=".2g",
)
def depth_bounds(start=ref("norm.depth.pre.start.rms"), end=ref("norm.depth.pre.end.rms")):
    return {
        "pre_start_first": start[0],
        "pre_start_last": start[-1],
        "pre_end_first": end[0],
        "pre_end_last": end[-1],
    }


@fact(
    "norm.depth.jump",
    title={
        "write": "前置，训练结束时：涨得最多的是第几次写入",
        "before": "那次写入之前的 RMS",
        "after": "那次写入之后的 RMS",
    },
    by="逐次写入比较前后",
    format={"before": ".2g", "after": ".2g"},
)
def depth_jump(end=ref("norm.depth.pre.end.rms")):
    growth = [after / before for before, after in pairwise(end)]
    at = growth.index(max(growth))
    return {"write": at + 1, "before": end[at], "after": end[at + 1]}


@fact(
    "norm.depth.start_ratio",
    title="训练开始时，后置各块的平均梯度与前置之比",
    how="{post} / {pre}",
    format=".1%",
)
def depth_start_ratio(post=ref("norm.depth.mean.post"), pre=ref("norm.depth.mean.pre")):
    return post / pre


@fact(
    "norm.depth.mean",
    title={"pre": "前置，训练开始时各块梯度的平均", "post": "后置，训练开始时各块梯度的平均"},
    by="各块取平均",
    format=".2g",
)
def depth_mean(pre=ref("norm.depth.pre.start.blocks"), post=ref("norm.depth.post.start.blocks")):
    return {"pre": _mean(pre), "post": _mean(post)}


for name, title, seeds in [("post_rms", "后置 RMSNorm", _three), ("post_ln", "后置 LayerNorm", _three)]:
    fact(
        f"norm.run.{name}.block_ratios",
        title=f"{title}，训练结束时：最底块与最顶块的梯度之比，各种子",
        by="每个种子一次训练",
        format=".0e",
    )(seeds(name.replace("_", "-"), "/summary/end/block_ratio"))

# ---- 增益参加衰减 ------------------------------------------------------------------------------------

for name, title in [("decay_rms", "标准写法"), ("decay_zero", "零中心写法"), ("pre_rms", "增益不衰减")]:
    fact(
        f"norm.run.{name}.norm_gains",
        title=f"{title}，训练结束时：每个归一化的平均增益",
        by="逐位置取各种子的平均",
        format=".3f",
    )(_three_vectors(name.replace("_", "-"), "/summary/end/gain"))
    fact(
        f"norm.run.{name}.norm_gain",
        title=f"{title}，训练结束时：全部归一化的平均增益",
        by="各位置取平均",
        format=".3f",
    )(_average(f"norm.run.{name}.norm_gains"))


@fact("norm.depth.norm_numbers", title="归一化的编号", by="从底层往上数")
def depth_norms(gains=ref("norm.run.pre_rms.norm_gains")):
    return list(range(1, len(gains) + 1))


claim(
    "norm.c.gains",
    "all(norm.run.decay_rms.norm_gains < norm.run.decay_zero.norm_gains) and norm.run.decay_rms.norm_gain < 1",
    title="增益参加衰减时，标准写法每一处的平均增益都低于零中心写法",
)


@fact(
    "norm.run.decay_keep",
    title="训练中只算衰减，增益会剩下的比例",
    by="每一步减去自己的 ηλ 倍，η 取那一步的学习率",
    format=".1%",
)
def decay_keep(rates=run("decay-rms-s1", "/series/lr"), decay=run("decay-rms-s1", "/values/decay")):
    kept = 1
    for rate in rates:
        kept *= 1 - rate * decay
    return kept


@fact(
    "norm.run.decay_share",
    title={
        "standard": "标准写法，衰减后的平均增益与不衰减之比",
        "zero": "零中心写法，衰减后的平均增益与不衰减之比",
    },
    by="平均增益相除",
    format=".1%",
)
def decay_share(
    standard=ref("norm.run.decay_rms.norm_gain"),
    zero=ref("norm.run.decay_zero.norm_gain"),
    plain=ref("norm.run.pre_rms.norm_gain"),
):
    return {"standard": standard / plain, "zero": zero / plain}


@fact(
    "norm.run.decay_differences",
    title="标准写法减零中心写法，同种子的最终损失之差",
    unit="nats",
    by="同一个种子成对相减",
    format="+.4f",
)
def decay_differences(standard=ref("norm.run.decay_rms.losses"), zero=ref("norm.run.decay_zero.losses")):
    return [a - b for a, b in zip(standard, zero, strict=True)]


@fact(
    "norm.run.block_spread",
    title="后置训练结束时，底顶梯度比在种子之间最大与最小之比",
    unit="倍",
    by="各种子里的最大除以最小",
    format=".2g",
)
def block_spread(rms=ref("norm.run.post_rms.block_ratios"), ln=ref("norm.run.post_ln.block_ratios")):
    return max(*rms, *ln) / min(*rms, *ln)


claim("norm.c.block_spread", "norm.run.block_spread > 100", title="底顶梯度比在种子之间相差悬殊")
claim(
    "norm.c.block_small",
    "all(norm.run.post_rms.block_ratios < 1 / 10) and all(norm.run.post_ln.block_ratios < 1 / 10)",
    title="停滞的后置模型里，底层的梯度远小于顶层",
)
claim(
    "norm.c.jump",
    "norm.depth.jump.write == 2 and norm.depth.jump.after > 10 * norm.depth.jump.before",
    title="涨得最多的一次写入来自最底层的 FFN，涨得远比别的多",
)
claim(
    "norm.c.stream",
    "rising(norm.depth.pre.start.rms) and rising(norm.depth.pre.end.rms)"
    " and norm.depth.bounds.pre_end_last / norm.depth.bounds.pre_end_first"
    " > norm.depth.bounds.pre_start_last / norm.depth.bounds.pre_start_first"
    " and all(abs(norm.depth.post.start.rms[1:] - 1) < norm.sim.level)"
    " and all(abs(norm.depth.post.end.rms[1:] - 1) < norm.sim.level)",
    title="前置的残差流越往上越大，训练之后涨得更多；后置的从第一次写入起就在一附近",
)
claim(
    "norm.c.blocks",
    "all(norm.depth.post.start.blocks < norm.depth.pre.start.blocks / 10) and rising(norm.depth.post.end.blocks)",
    title="训练开始时后置每一块的梯度远小于前置；训练结束时后置的梯度越往底层越小",
)
claim(
    "norm.c.decay_pull",
    "abs(norm.run.decay_share.standard - norm.run.decay_keep) < norm.run.near"
    " and abs(norm.run.decay_share.zero - 1) < norm.run.near",
    title="标准写法的增益降到单凭衰减应有的水平，零中心写法几乎没有动",
)


@fact("norm.run.near", title="算作「差不多」的差别", by="写断言时定下的门槛", format=".0%")
def near(value=thresholds.at("/near")):
    return value


claim(
    "norm.c.decay_sign",
    "all(norm.run.decay_differences > 0) and max(norm.run.decay_differences) < norm.lab.stuck",
    title="增益参加衰减，每个种子都是标准写法的损失略高",
)
