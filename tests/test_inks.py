"""Colours: every ink is readable on every ground, in both palettes, and tokens.css is the only place that has one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

WEB = Path(__file__).resolve().parents[1] / "course_build" / "web"
TOKENS = (WEB / "tokens.css").read_text(encoding="utf-8")
GROUNDS = ("--c-paper", "--c-raised", "--c-sunk")
_COLOUR = re.compile(r"(--[a-z-]+):\s*(#[0-9a-f]{6})\b")


def palette(name: str) -> dict[str, str]:
    """Return name -> colour of the light or the dark palette."""
    light, _, dark = TOKENS.partition('[data-md-color-scheme="slate"]')
    found = dict(_COLOUR.findall(light))
    return found if name == "light" else {**found, **dict(_COLOUR.findall(dark))}


def luminance(colour: str) -> float:
    """Return the relative luminance of #rrggbb (WCAG 2)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2)."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def mixed(ink: str, ground: str, share: float) -> str:
    """Return color-mix(in srgb, ink share, transparent) over the ground."""
    pairs = [(int(ink[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_every_ink_is_text_on_every_ground(name: str) -> None:
    """Inks, greys and the accent reach 4.5:1 on paper, cards and sunk areas; body text 12:1."""
    colours = palette(name)
    texts = [f"--c-{name}" for name in ("text", "grey", "accent", "fail", "improve", "problem")]
    inks = [key for key in colours if key.startswith("--ink-") or key in texts]
    assert len(inks) >= 20
    low = {
        (ink, ground): round(contrast(colours[ink], colours[ground]), 2)
        for ink in inks
        for ground in GROUNDS
        if contrast(colours[ink], colours[ground]) < 4.5
    }
    assert low == {}
    assert contrast(colours["--c-text"], colours["--c-paper"]) >= 12


@pytest.mark.parametrize("name", ["light", "dark"])
def test_inks_stay_readable_on_their_own_tint(name: str) -> None:
    """A number that is pointed at stands on 13 % of its ink and still reaches 4.5:1."""
    colours = palette(name)
    for key in (key for key in colours if key.startswith("--ink-")):
        for ground in GROUNDS[:2]:
            tint = mixed(colours[key], colours[ground], 0.13)
            assert contrast(colours[key], tint) >= 4.5, (key, ground)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_edges_of_controls_reach_three_to_one(name: str) -> None:
    """Lines that carry meaning reach 3:1."""
    colours = palette(name)
    for ground in GROUNDS:
        assert contrast(colours["--c-line"], colours[ground]) >= 3, ground


def test_both_palettes_have_the_same_names() -> None:
    """Every colour of the light palette has a dark one."""
    light, _, dark = TOKENS.partition('[data-md-color-scheme="slate"]')
    assert {name for name, _ in _COLOUR.findall(light)} == {name for name, _ in _COLOUR.findall(dark)}


def test_colours_are_written_in_one_place() -> None:
    """No other stylesheet of the pages writes a colour (the overlay's black and the paper's white apart).

    source.css stands alone, outside the theme; axe looks at its pages (tests/browser/test_everyone.py).
    """
    for path in sorted(WEB.glob("*.css")):
        if path.name in ("tokens.css", "source.css"):
            continue
        code = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        found = [c for c in re.findall(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(", code) if c not in ("#0006", "#fff")]
        assert found == [], path.name


def test_kinds_have_the_glyphs_of_the_ledger() -> None:
    """The glyph that CSS shows on hover is the one that evidence.py prints."""
    from course_build.evidence import Kind

    for kind in Kind:
        ink = rf"--ink: var\(--ink-{kind.value}\)"
        rule = re.search(rf'\[data-kind="{kind.value}"\][^{{]*\{{ {ink}; --glyph: "(.)"; \}}', TOKENS)
        assert rule, kind
        assert rule[1] == kind.glyph
