"""同批对照表：只换同批的话，「苹果」归一化后变成什么。没有 JavaScript 时所有情形都在；有了它可以只看一句。

选项：column（batch 只看 BatchNorm，both 再加 RMSNorm 与 LayerNorm）· key（mates）。
用到的账本 id：norm.batch.mates.a .b    norm.batch.情形.tokens .bn .rms .ln，情形取 own a a_padded b b_padded one
"""

from __future__ import annotations

from typing import Any

CHANGED = '<span class="is-changed">变</span>'
SAME = '<span class="is-same">没变</span>'
NORMS = {"bn": "BatchNorm", "rms": "RMSNorm", "ln": "LayerNorm"}


def columns(live: Any) -> list[str]:
    """Return the norms that are shown."""
    return ["bn"] if live.options.get("column", "batch") == "batch" else list(NORMS)


def data(live: Any) -> dict[str, Any]:
    """Return the element's name in the query and the other sentences."""
    mates = {name: live.text(f"norm.batch.mates.{name}") for name in ("a", "b")}
    return {"key": live.options.get("key", "mates" if len(columns(live)) == 1 else "mates-both"), "mates": mates}


def fallback(live: Any) -> str:
    """Return the table of all cases."""
    mate = {name: f"「{live.number(f'norm.batch.mates.{name}')}」" for name in ("a", "b")}
    cases = [
        ("own", "", "只有这一句"),
        ("a", "a", f"同批是{mate['a']}"),
        ("a_padded", "a", f"同批是{mate['a']}，补齐到一样长"),
        ("b", "b", f"同批是{mate['b']}"),
        ("b_padded", "b", f"同批是{mate['b']}，补齐到一样长"),
        ("one", "", "批里只有「苹果」这一个 token"),
    ]
    shown = columns(live)
    head = "".join(
        f'<th scope="col">{cell}</th>'
        for cell in ["情形", "批里的 token", *(f"{NORMS[c]} 后的「苹果」" for c in shown)]
    )
    rows = "".join(_row(live, case, owner, title, shown) for case, owner, title in cases)
    return (
        '<p class="live-title">同一个「苹果」，不同的同批</p>'
        f'<div class="table-scroll"><table class="mates"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
        f'<p class="live-reading" role="status">{_reading(shown)}</p>'
    )


def _row(live: Any, case: str, owner: str, title: str, shown: list[str]) -> str:
    cells = [f"<td>{live.number(f'norm.batch.{case}.tokens')}</td>"]
    for norm in shown:
        same = live.text(f"norm.batch.{case}.{norm}") == live.text(f"norm.batch.own.{norm}")
        mark = "" if case == "own" else f" {SAME if same else CHANGED}"
        cells.append(f'<td data-norm="{NORMS[norm]}">{live.number(f"norm.batch.{case}.{norm}")}{mark}</td>')
    return f'<tr data-mate="{owner}"><th scope="row">{title}</th>{"".join(cells)}</tr>'


def _reading(shown: list[str]) -> str:
    if shown == ["bn"]:
        return "「苹果」自己的向量没有动，BatchNorm 的结果却随同批而变；批里只剩它自己时，整行归零。"
    return "同样的情形，只看自己一行的 RMSNorm 与 LayerNorm 一个数也不变。"
