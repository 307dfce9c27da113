"""The weight of what we write for the browser, as it is served: all JavaScript together, all CSS together."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from course_build.site.assets import ALONE, bundle, sources

ROOT = Path(__file__).resolve().parents[1]
PLACES = (ROOT / "course_build" / "web", ROOT / "docs" / "live")
BUDGETS = {"js": 40_000, "css": 15_000}  # bytes, gzip, unminified


def packed(text: str) -> int:
    """Return the bytes that a server sends for a text."""
    return len(gzip.compress(text.encode(), 9, mtime=0))


@pytest.mark.parametrize("suffix", BUDGETS)
def test_within_budget(suffix: str) -> None:
    """What the site serves: one script, one stylesheet, and the files that stand alone."""
    bundled = sources(suffix, ROOT / "docs" / "live")
    assert {path.parent.name for path in bundled} >= {"web", "live"}
    alone = [ROOT / "course_build" / "web" / name for name in ALONE if name.endswith(f".{suffix}")]
    total = packed(bundle(bundled)) + sum(packed(path.read_text(encoding="utf-8")) for path in alone)
    assert total <= BUDGETS[suffix]


def test_scripts_are_classic_and_ask_for_nothing() -> None:
    """No module syntax, no fetch, no address of another host: from file:// these fail."""
    forbidden = re.compile(r"^\s*(?:import|export)\b|\bfetch\(|XMLHttpRequest|https?://(?!www\.w3\.org/)", re.MULTILINE)
    for place in PLACES:
        for path in sorted(place.rglob("*.js")):
            code = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            assert not forbidden.search(code), path.name
