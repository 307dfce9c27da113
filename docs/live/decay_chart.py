"""衰减图在没有 JavaScript 时的样子：默认的增益与步数，两条曲线和两个终点。

选项：ids（默认 norm.decay）· key（decay）。
用到的账本 id：{ids}.gain .steps .lr .wd .standard .zero_centered .at .curve.stored .curve.zero_centered
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from course_build.files.source import load
from course_build.plot import plot

DEFAULTS = load("docs/live/defaults.json", Path(__file__).parents[2]).reader("/decay-chart")
LIMITS = ("/gain/min", "/gain/max", "/gain/step", "/steps/min", "/steps/max", "/steps/step")


def settings() -> dict[str, Any]:
    """Return this component's part of defaults.json, checked."""
    for pointer in (*LIMITS, "/height", "/y/0", "/y/1"):
        DEFAULTS.read(pointer, float)
    DEFAULTS.read("/ticks", list[float])
    return DEFAULTS.read("", dict)


def data(live: Any) -> dict[str, Any]:
    """Return the default state, the recipe's rates and the limits."""
    ids = live.options.get("ids", "norm.decay")
    known = {name: live.value(f"{ids}.{name}") for name in ("lr", "wd")}
    state = {name: live.value(f"{ids}.{name}") for name in ("gain", "steps")}
    points = len(live.value(f"{ids}.at")) - 1
    return {**settings(), **known, "state": state, "points": points, "key": live.options.get("key", "decay")}


def fallback(live: Any) -> str:
    """Return the chart and the two end values."""
    ids = live.options.get("ids", "norm.decay")
    given = settings()

    def number(name: str, spec: str | None = None) -> Any:
        return live.number(f"{ids}.{name}", spec)

    picture = plot(
        {
            "label": "标准与零中心写法的增益随步数变化的曲线，终点的读数写在图下",
            "title": "增益",
            "height": given["height"],
            "x": live.value(f"{ids}.at"),
            "xname": "步",
            "y": given["y"],
            "ticks": [t for t in given["ticks"] if t <= max(given["y"][1], live.value(f"{ids}.gain"))],
            "lines": [
                {"y": live.value(f"{ids}.curve.stored"), "ink": "ink-fail", "name": "标准写法"},
                {"y": live.value(f"{ids}.curve.zero_centered"), "ink": "ink-improve", "name": "零中心写法"},
            ],
        }
    )
    return (
        '<p class="live-title">只有 weight decay 时，增益往哪里走</p>'
        f'<div class="live-picture">{picture}</div>'
        f'<p class="live-reading" role="status"><strong>{number("steps", ",d")} 步之后，'
        f"标准写法的增益是 {number('standard', '.3f')}，"
        f"零中心写法是 {number('zero_centered', '.3f')}。</strong>"
        "前者被拉向零，后者被拉向一。</p>"
        f'<p class="live-state">当前设置：训练把增益推到 {number("gain", ".2f")}，'
        f"之后只衰减 {number('steps', ',d')} 步；"
        f"学习率 {number('lr', 'e')}，衰减系数 {number('wd', 'g')}。</p>"
    )
