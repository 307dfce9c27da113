"""数据流图：从查表到输出头的一条链，每个环节点开就看见形状与参数。用原生的 details，没有 JavaScript 也能点。

选项：ids（默认 anchor）· key（flow）。
用到的账本 id：{ids}.d .vocab .layers .layers_full .layers_linear .ffn.width .ffn.matrices
    .embed.params .head.params .norm.each .attention.full .attention.linear .ffn.each
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Number = Callable[[str], str]


def data(live: Any) -> dict[str, Any]:
    """Return the element's name in the query."""
    return {"key": live.options.get("key", "flow")}


def fallback(live: Any) -> str:
    """Return the chain: the residual stream as a rail, parts that read from it beside it, sums on it."""
    prefix = live.options.get("ids", "anchor")

    def n(name: str) -> str:
        return str(live.number(f"{prefix}.{name}"))

    block = "".join(
        [
            _stage("norm-in", "归一化", "RMSNorm", _norm(n, "注意力"), branch=True, here=True),
            _stage("attention", "注意力", "读全句", _attention(n), branch=True),
            _stage("add-attention", "加回残差流", "x + F(x)", _add(n)),
            _stage("norm-ffn", "归一化", "RMSNorm", _norm(n, "FFN"), branch=True, here=True),
            _stage("ffn", "FFN", "逐个 token", _ffn(n), branch=True),
            _stage("add-ffn", "加回残差流", "x + F(x)", _add(n)),
        ]
    )
    return (
        '<p class="live-title">数据流：点开任一环节，看形状与参数</p>'
        '<ol class="flow">'
        f"{_stage('embed', '嵌入', '查表', _embed(n))}"
        f'<li class="flow-block"><p class="flow-times">同样的一层，重复 {n("layers")} 次</p><ol>{block}</ol></li>'
        f"{_stage('norm-final', '最终归一化', 'RMSNorm', _final(n), here=True)}"
        f"{_stage('head', '输出头', '打分', _head(n))}"
        "</ol>"
    )


def _stage(
    name: str, title: str, note: str, entries: list[tuple[str, str]], *, branch: bool = False, here: bool = False
) -> str:
    """Return one stage; `branch` stands beside the stream, `here` is what this lesson puts in."""
    kind = "flow-stage" + (" flow-branch" if branch else "") + (" flow-here" if here else "")
    mark = '<span class="flow-mark">本课</span>' if here else ""
    terms = "".join(f"<div><dt>{term}</dt><dd>{text}</dd></div>" for term, text in entries)
    return (
        f'<li class="{kind}"><details data-stage="{name}"><summary>{title}<small>{note}</small>{mark}</summary>'
        f"<dl>{terms}</dl></details></li>"
    )


def _embed(n: Number) -> list[tuple[str, str]]:
    return [
        ("做什么", "按词表编号取出一行，作为残差流的起点"),
        ("形状", f"表 [{n('vocab')}, {n('d')}]；每个 token 得到一行 [{n('d')}]"),
        ("参数", n("embed.params")),
    ]


def _norm(n: Number, reader: str) -> list[tuple[str, str]]:
    return [
        ("做什么", f"{reader}读残差流之前，把每个 token 的一行拉回同一个尺度；不改残差流本身"),
        ("形状", f"[{n('d')}] 进，[{n('d')}] 出；增益每维一个"),
        ("参数", n("norm.each")),
    ]


def _attention(n: Number) -> list[tuple[str, str]]:
    kinds = f"{n('layers_full')} 层是完整注意力，{n('layers_linear')} 层是 Gated DeltaNet"
    return [
        ("做什么", "让「苹果」读到同句的其他 token"),
        ("种类", f"{n('layers')} 层里 {kinds}；对残差流都是读一次、写一次"),
        ("形状", f"[{n('d')}] 进，[{n('d')}] 出"),
        ("参数", f"完整注意力每层 {n('attention.full')}；Gated DeltaNet 每层 {n('attention.linear')}"),
    ]


def _ffn(n: Number) -> list[tuple[str, str]]:
    return [
        ("做什么", "每个 token 各算各的，把读到的东西加工一遍"),
        ("形状", f"[{n('d')}] → [{n('ffn.width')}] → [{n('d')}]，共 {n('ffn.matrices')} 个矩阵"),
        ("参数", n("ffn.each")),
    ]


def _add(n: Number) -> list[tuple[str, str]]:
    return [
        ("做什么", "把子层算出的增量加到残差流上；这是主路，只做加法"),
        ("形状", f"[{n('d')}] + [{n('d')}]"),
        ("参数", "没有"),
    ]


def _final(n: Number) -> list[tuple[str, str]]:
    return [
        ("做什么", "残差流一路没有被归一化，输出之前补一次"),
        ("形状", f"[{n('d')}] 进，[{n('d')}] 出"),
        ("参数", n("norm.each")),
    ]


def _head(n: Number) -> list[tuple[str, str]]:
    return [
        ("做什么", "给词表里的每个词打一个分"),
        ("形状", f"[{n('d')}] → [{n('vocab')}]"),
        ("参数", n("head.params")),
    ]
