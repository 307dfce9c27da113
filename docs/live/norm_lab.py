"""操作台在没有 JavaScript 时的样子：起点、整体放大、整体平移三行，两种归一化的输出与「变 / 没变」。

选项：key（默认 lab）。
用到的账本 id：norm.toy.x .shift .scale .n .radius    norm.ln.out    norm.rms.out
    norm.scaled.x    norm.shifted.x .out
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from course_build.files.source import load

DEFAULTS = load("docs/live/defaults.json", Path(__file__).parents[2]).reader("/norm-lab")
SHOWN = ".3f"  # the digits that norm-lab.js shows
CHANGED = '<span class="is-changed">变</span>'
SAME = '<span class="is-same">没变</span>'
HEAD = ["#", "操作", "输入 x", "LayerNorm(x)", "RMSNorm(x)"]


def settings() -> dict[str, Any]:
    """Return this component's part of defaults.json, checked."""
    for pointer in ("/shrink", "/random"):
        DEFAULTS.read(pointer, float)
    return DEFAULTS.read("", dict)


def data(live: Any) -> dict[str, Any]:
    """Return the start vector and what the buttons do."""
    toy = {name: live.value(f"norm.toy.{name}") for name in ("x", "shift", "scale")}
    return {**settings(), **toy, "key": live.options.get("key", "lab")}


def fallback(live: Any) -> str:
    """Return the log as if the two buttons of the argument had been pressed, each from the start."""
    start, scaled, shifted = (live.number(f"norm.{name}.x") for name in ("toy", "scaled", "shifted"))
    layer, rms, moved = (live.number(f"norm.{name}.out", SHOWN) for name in ("ln", "rms", "shifted"))
    rows = [
        ("起点", start, layer, rms),
        (f"起点整体 ×{live.number('norm.toy.scale')}", scaled, f"{layer} {SAME}", f"{rms} {SAME}"),
        (f"起点整体 +{live.number('norm.toy.shift')}", shifted, f"{layer} {SAME}", f"{moved} {CHANGED}"),
    ]
    head = "".join(f'<th scope="col">{cell}</th>' for cell in HEAD[1:])
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>' for row in rows
    )
    radius = f"√{live.number('norm.toy.n')} = {live.number('norm.toy.radius')}"
    return (
        '<p class="live-title">归一化操作台</p>'
        f'<p class="live-reading" role="status">RMSNorm 输出的长度总是 {radius}：方向随输入变，长度不变。</p>'
        f'<div class="lab-log table-scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )
