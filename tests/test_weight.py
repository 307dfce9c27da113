"""The weight of what we write for the browser, as it is served: all JavaScript together, all CSS together."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLACES = (ROOT / "course_build" / "web", ROOT / "docs" / "live")
BUDGETS = {".js": 40_000, ".css": 15_000}  # bytes, gzip, unminified


@pytest.mark.parametrize("suffix", BUDGETS)
def test_within_budget(suffix: str) -> None:
    """Each file compressed by itself, as a server sends it; the sum stays below the budget."""
    sizes = {
        path.relative_to(ROOT).as_posix(): len(gzip.compress(path.read_bytes(), 9, mtime=0))
        for place in PLACES
        for path in sorted(place.rglob(f"*{suffix}"))
    }
    assert sizes
    assert sum(sizes.values()) <= BUDGETS[suffix], sizes


def test_scripts_are_classic_and_ask_for_nothing() -> None:
    """No module syntax, no fetch, no address of another host: from file:// these fail."""
    forbidden = re.compile(r"^\s*(?:import|export)\b|\bfetch\(|XMLHttpRequest|https?://(?!www\.w3\.org/)", re.MULTILINE)
    for place in PLACES:
        for path in sorted(place.rglob("*.js")):
            code = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            assert not forbidden.search(code), path.name
