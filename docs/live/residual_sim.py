"""残差模拟器在没有 JavaScript 时的样子：默认情形的曲线、读数，以及几种情形的对照表。

选项：ids（默认 norm.sim）· theory（norm.theory）· bands（空 = 没有记录）· start（norm）· key（sim）。
用到的账本 id，s 取 residual、norm、scaled：
    {ids}.n .gain .seed .band.low .band.high（带的两条边，如 5%）
    {ids}.s.ratio .rms .rms_curve .gradient_curve
    {theory}.s.p5 .p50 .p95 .rms .rms_p5 .rms_p95 .rms_curve .rms_low .rms_high
    {theory}.s.gradient_curve .gradient_low .gradient_high
    {bands}.count    {bands}.s.ratio_p5 .ratio_p50 .ratio_p95 .ratio_percentile .rms_percentile
    {bands}.s.rms_low .rms_high .gradient_low .gradient_high
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from course_build.files.source import load
from course_build.plot import plot

DEFAULTS = load("docs/live/defaults.json", Path(__file__).parents[2]).reader("/residual-sim")
THREE, WHOLE = ".3g", ".0f"  # the digits that residual-sim.js shows
LIMITS = ("/n/min", "/n/max", "/n/step", "/gain/min", "/gain/max", "/gain/step", "/seed/min", "/seed/max")
BOXES = {"r": "残差", "n": "RMSNorm", "s": "写回缩放"}


def shown(live: Any, name: str) -> Any:
    """Return a reading by the rule that the browser uses too, whatever rule the fact has for prose."""
    size = abs(live.value(name))
    return live.number(name, ".2g" if size < 1 else ".1f" if size < 1000 else ".3g")


def names(live: Any) -> tuple[str, str, str, str]:
    """Return the prefixes of simulation, theory and recorded bands, and the scenario shown first."""
    option = live.options.get
    return (
        option("ids", "norm.sim"),
        option("theory", "norm.theory"),
        option("bands", ""),
        option("start", "norm"),
    )


def settings() -> dict[str, Any]:
    """Return this component's part of defaults.json, checked."""
    for pointer in (*LIMITS, "/height", "/rms/0", "/rms/1", "/gradient/0", "/gradient/1"):
        DEFAULTS.read(pointer, float)
    for index in range(len(DEFAULTS.read("/scenarios", list))):
        for key in ("id", "boxes", "title"):
            DEFAULTS.read(f"/scenarios/{index}/{key}", str)
    return DEFAULTS.read("", dict)


def scenarios() -> list[dict[str, str]]:
    """Return the scenarios that have facts: all but the plain network."""
    return [s for s in settings()["scenarios"] if s["id"] != "plain"]


def data(live: Any) -> dict[str, Any]:
    """Return limits, scenarios, the default state and what was recorded over many seeds."""
    ids, _, bands, start = names(live)
    state = {name: live.value(f"{ids}.{name}") for name in ("n", "gain", "seed")}
    found = {**settings(), "key": live.options.get("key", "sim"), "start": start, "state": state}
    found["edges"] = [live.text(f"{ids}.band.{edge}") for edge in ("low", "high")]
    if bands:
        found["bands"] = {s["boxes"]: _recorded(live, f"{bands}.{s['id']}") for s in scenarios()}
        found["count"] = live.text(f"{bands}.count")
    return found


def _recorded(live: Any, prefix: str) -> dict[str, Any]:
    edges = ("rms_low", "rms_high", "gradient_low", "gradient_high")
    texts = ("ratio_p5", "ratio_p50", "ratio_p95", "ratio_percentile", "rms_percentile")
    return {name: live.value(f"{prefix}.{name}") for name in edges} | {
        name: live.text(f"{prefix}.{name}", WHOLE if name.endswith("percentile") else THREE) for name in texts
    }


def fallback(live: Any) -> str:
    """Return the default scenario's picture and reading, and the table of all scenarios."""
    ids, theory, bands, start = names(live)
    boxes = next(s["boxes"] for s in scenarios() if s["id"] == start)
    ink = "ink-rmsnorm" if "n" in boxes else "ink-residual"
    pictures = "".join(_picture(live, kind, ids, theory, bands, start, ink) for kind in ("rms", "gradient"))
    return (
        '<p class="live-title">残差模拟器</p>'
        f'<div class="live-picture sim-picture">{pictures}</div>'
        f'<p class="live-legend">{_legend(live, ids, bands, ink)}</p>'
        f'<p class="live-reading" role="status">{_reading(live, ids, theory, bands, start)}</p>'
        f'<p class="live-state">{_state(live, ids, boxes)}</p>'
        '<details class="chart-data sim-table"><summary>各情形的读数</summary>'
        f"{_table(live, ids, theory, bands)}</details>"
    )


def _picture(live: Any, kind: str, ids: str, theory: str, bands: str, start: str, ink: str) -> str:
    """Return one panel: "rms" or "gradient" along depth."""
    n = live.value(f"{ids}.n")

    def value(name: str) -> Any:
        return live.value(f"{theory}.{start}.{name}")

    lines = [
        {"y": value(f"{kind}_low"), "ink": "ink-theory plot-edge"},
        {"y": value(f"{kind}_high"), "ink": "ink-theory plot-edge"},
        {"y": value(f"{kind}_curve"), "ink": "ink-theory plot-dashed", "name": "理论"},
        {"y": live.value(f"{ids}.{start}.{kind}_curve"), "ink": ink, "name": "本网络"},
    ]
    recorded = [f"{bands}.{start}.{kind}_{edge}" for edge in ("low", "high")] if bands else []
    low_high = [live.value(name) for name in recorded]
    words = {
        "rms": ("残差流 RMS（对数轴）", "残差流 RMS 沿深度的曲线，两端的读数写在图下"),
        "gradient": ("梯度 ÷ 顶层梯度（对数轴）", "梯度沿深度的曲线，读数写在图下"),
    }
    return plot(
        {
            "label": words[kind][1],
            "title": words[kind][0],
            "height": settings()["height"],
            "x": list(range(n + 1)),
            "xname": "子层",
            "y": settings()[kind],
            "log": True,
            "side": "right" if kind == "rms" else "left",
            "lines": lines,
            "bands": [{"low": low_high[0], "high": low_high[1], "ink": ink}] if low_high else [],
        }
    )


def _edges(live: Any, ids: str) -> str:
    return f"{live.number(f'{ids}.band.low')} 到 {live.number(f'{ids}.band.high')} 分位"


def _legend(live: Any, ids: str, bands: str, ink: str) -> str:
    parts = [
        f'<span class="plot-key {ink}">本网络</span>',
        '<span class="plot-key ink-theory plot-dashed">理论的平均场</span>',
    ]
    parts.append(f'<span class="plot-key ink-theory plot-edge">理论的 {_edges(live, ids)}</span>')
    if bands:
        parts.append(
            f'<span class="plot-key plot-fill {ink}">记录的 {live.number(f"{bands}.count")} 个种子，同样的分位</span>'
        )
    return "".join(parts)


def _reading(live: Any, ids: str, theory: str, bands: str, start: str) -> str:

    def of(name: str) -> Any:
        return live.number(f"{theory}.{start}.{name}", THREE)

    text = (
        f"<strong>梯度比 {shown(live, f'{ids}.{start}.ratio')}，"
        f"残差流 RMS {shown(live, f'{ids}.{start}.rms')}。</strong>"
        f"按理论，梯度比的典型值（中位数）是 {of('p50')}，"
        f"{_edges(live, ids)}是 {of('p5')} 到 {of('p95')}；"
        f"RMS 是 {of('rms')}（{of('rms_p5')} 到 {of('rms_p95')}）。"
    )
    if bands:
        prefix = f"{bands}.{start}"
        text += (
            f"在记录的 {live.number(f'{bands}.count')} 个种子里，种子 {live.number(f'{ids}.seed')} 的梯度比高过"
            f" {live.number(f'{prefix}.ratio_percentile', WHOLE)}% 的种子，"
            f"RMS 高过 {live.number(f'{prefix}.rms_percentile', WHOLE)}%。"
        )
    return text


def _state(live: Any, ids: str, boxes: str) -> str:
    switches = "，".join(f"{name}{'开' if letter in boxes else '关'}" for letter, name in BOXES.items())
    gain = live.number(f"{ids}.gain", ".2f")
    return (
        f"当前设置：N = {live.number(f'{ids}.n')}，初始化尺度 {gain}，种子 {live.number(f'{ids}.seed')}；{switches}。"
    )


def _table(live: Any, ids: str, theory: str, bands: str) -> str:
    head = ["情形", "梯度比", "RMS", f"理论的梯度比：中位数（{_edges(live, ids)}）"]
    if bands:
        head.append("记录的种子：中位数，同样的分位")
    rows = []
    for s in scenarios():
        of, sim = f"{theory}.{s['id']}", f"{ids}.{s['id']}"
        cells = [shown(live, f"{sim}.ratio"), shown(live, f"{sim}.rms")]
        cells.append(_spread(live, f"{of}.p50", f"{of}.p5", f"{of}.p95"))
        if bands:
            prefix = f"{bands}.{s['id']}.ratio_"
            cells.append(_spread(live, f"{prefix}p50", f"{prefix}p5", f"{prefix}p95"))
        rows.append(f'<tr><th scope="row">{s["title"]}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>')
    heads = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    return (
        f'<div class="table-scroll"><table><thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _spread(live: Any, middle: str, low: str, high: str) -> str:
    return f"{live.number(middle, THREE)}（{live.number(low, THREE)} 到 {live.number(high, THREE)}）"
