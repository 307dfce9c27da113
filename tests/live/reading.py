"""What a reader does with the live components, and what must then be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

from course_build.value import format_number
from experiments import meanfield
from experiments.residual import Setting, simulate

BLOCKS: list[tuple[str, dict[str, Any]]] = [
    ("residual-sim", {"bands": "norm.seeds"}),
    ("norm-lab", {}),
    ("batch-mates", {}),
    ("batch-mates", {"column": "both"}),
    ("decay-chart", {}),
    ("data-flow", {}),
]
LINKS = '<p><a href="?sim=residual">只有残差</a> <a href="?sim=scaled">都加</a> <a href="?decay=2_100">衰减</a></p>'
SITE = "http://course.test"
FRAME = 16.0  # ms

Open = Callable[..., Page]


def reading(page: Page, name: str) -> Locator:
    """Return a component's reading line."""
    return page.locator(f"{name} .live-reading").first


def shown(x: float) -> str:
    """Return a reading by the simulator's display rule."""
    return format_number(float(x), ".2g" if abs(x) < 1 else ".1f" if abs(x) < 1000 else ".3g")


def expect_simulator(page: Page, setting: Setting) -> None:
    """The simulator shows Python's two readings and theory for a setting."""
    found, theory = simulate(setting), meanfield.theory(setting)
    line = reading(page, "residual-sim")
    expect(line).to_contain_text(f"梯度比 {shown(found.ratio)}，残差流 RMS {shown(found.rms)}。")
    expect(line).to_contain_text(f"RMS 是 {format_number(theory.rms[-1], '.3g')}")
    if theory.ratio_median[0] is not None:
        expect(line).to_contain_text(f"（中位数）是 {format_number(theory.ratio_median[0], '.3g')}")
    else:
        expect(line).to_contain_text("理论给不出有用的带")


def drag(slider: Locator, value: float) -> None:
    """Set a range input as a reader does, with its events."""
    slider.evaluate("(e, v) => { e.value = v; e.dispatchEvent(new Event('input', { bubbles: true })); }", value)


def query(page: Page, key: str, value: str | None) -> None:
    """Wait until the query string holds the state (None: no such key)."""
    page.wait_for_function("([k, v]) => new URLSearchParams(location.search).get(k) === v", arg=[key, value])


def press(page: Page, name: str) -> None:
    """Press one of the playground's buttons."""
    page.locator("norm-lab").get_by_role("button", name=name).click()


def last_row(page: Page) -> Locator:
    """Return the log's last row."""
    return page.locator("norm-lab tbody tr").last
