"""The math font of the site: a subset of STIX Two Math with narrowed roots, as woff2.

Browsers need an OpenType MATH table to draw roots and large operators.  The font inside pip's `ziamath` has
one (SIL Open Font License 1.1; its notice stays in the name table).  1.5 MB become 56 kB: the characters
below, no hints, no alternates.

Chromium reserves for a root the width of its widest variant, 1,212 units, although the one it draws is 794
wide: 0.42 em of air after every root.  Here all variants have one width, so nothing is left to reserve.
It also puts the origin of a combining accent over the middle of its letter: here the ink stands astride it.

The bytes depend on installed packages only, and making them costs a second.  They are therefore kept with
these packages (`sys.prefix`); where that is not writable, in the project's store.  `python -m
course_build.mathml.font` makes them ahead of the first build.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import itertools
import os
import sys
import tempfile
import unicodedata
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

FAMILY = "Course Math"
_RULES = "1"  # raise with every change of what `build` does
_PACKAGES = ("ziamath", "fonttools", "brotli")

# Blocks a lesson's formulas draw from; anything else falls back to the reader's own fonts.
_CHARACTERS = (
    "0020-007E 00A0 00A8 00AC 00AF 00B1 00B7 00D7 00F7 02C6 02C7 02D9 02DC "  # ASCII, accents on a letter
    "0300-0308 030A 030C 0332 0338 20D7 "  # combining accents
    "0391-03C9 03D1 03D5 03D6 03F0 03F1 03F5 "  # Greek
    "2016 2026 2032 2033 203E 2061-2064 "  # bars, dots, primes, invisible operators
    "2102 210A 210B 210E-2113 2115 2118 211B-211D 2124 212C 212F-2131 2133 2134 "  # letter-like
    "2190-2194 21A6 21D0-21D4 27F6 27F9 27FA "  # arrows
    "2200 2202 2203 2205 2207-2209 220B 220F 2211-2213 2217 2218 221A 221D 221E 2223 2225 2227-222B "
    "223C 2243 2245 2248 2254 2260 2261 2264 2265 226A 226B 2282 2286 2295-2297 2299 22A4 22A5 22C5 22C6 "
    "22EE 22EF 22F1 2308-230B 23DE 23DF 27E8 27E9 FE00 "  # dots, fences, braces, the script selector
    "1D400-1D49B 1D49C-1D4B5 1D538-1D551 1D6A8-1D71B 1D71C-1D755 1D7CE-1D7D7"  # bold, italic, script, double
)
_ROOT = 0x221A
_SELECTOR = 0xFE00  # picks the script alphabet; draws nothing
_ROOT_WIDTH = 842  # the advance of every variant; the plain root's own is 794
_ROOT_OVERHANG = 35  # how far each variant's bar reaches beyond its advance


class Store(Protocol):
    """What is needed of course_build.keys.store."""

    def get(self, key: str) -> bytes | None:
        """Return the bytes stored under a key."""

    def put(self, key: str, data: bytes) -> None:
        """Store bytes under a key."""


def characters() -> set[int]:
    """Return the code points that the font draws."""
    found: set[int] = set()
    for part in _CHARACTERS.split():
        first, _, last = part.partition("-")
        found.update(range(int(first, 16), int(last or first, 16) + 1))
    return found


def key() -> str:
    """Return what the bytes depend on: characters, rules, versions of the packages."""
    parts = [_CHARACTERS, _RULES, str(_ROOT_WIDTH), *(f"{name} {version(name)}" for name in _PACKAGES)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def math_font(store: Store | None = None, kept: Path | None = None) -> bytes:
    """Return the woff2 file, made only when neither `kept` nor the store has it whole.

    Args:
        store: where to keep it if `kept` cannot be written.
        kept: folder of the installed copy; default `share/course-build` of the Python environment.
    """
    name = key()
    file = (kept or Path(sys.prefix) / "share" / "course-build") / f"math-{name[:16]}.woff2"
    with contextlib.suppress(OSError):
        data = file.read_bytes()
        if _whole(data):
            return data
    data = (store.get(f"font-{name}") if store else None) or b""
    if _whole(data):
        return data
    data = build()
    try:
        _write(file, data)
    except OSError:
        if store:
            store.put(f"font-{name}", data)
    return data


def build() -> bytes:
    """Return the subset as woff2; the same bytes for the same packages."""
    from fontTools import subset
    from fontTools.ttLib import TTFont

    spec = find_spec("ziamath")
    assert spec is not None, "ziamath is in requirements.txt"
    assert spec.origin is not None
    original = Path(spec.origin).parent / "fonts" / "STIXTwoMath-Regular.ttf"
    with TTFont(original, recalcTimestamp=False, lazy=True) as font:
        for table in ("DSIG", "GPOS", "GDEF", "GSUB", "gasp", "fpgm", "prep", "cvt "):
            if table in font:
                del font[table]
        options = subset.Options()
        options.layout_features = []
        options.hinting = False
        options.glyph_names = False
        options.recalc_timestamp = False
        options.name_IDs = [0, 1, 2, 4, 5, 6, 7, 13, 14]
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=characters())
        subsetter.subset(font)
        _narrow_roots(font)
        _centre_accents(font)
        _rename(font)
        font.flavor = "woff2"
        out = io.BytesIO()
        font.save(out)
        return out.getvalue()


def _narrow_roots(font: Any) -> None:
    """Give every variant of the root, and every part of the assembled one, the same advance."""
    variants = font["MATH"].table.MathVariants
    plain = font.getBestCmap()[_ROOT]
    construction = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(plain)]
    for record in construction.MathGlyphVariantRecord:
        advance = font["hmtx"][record.VariantGlyph][0] + _ROOT_OVERHANG
        _map_x(font, record.VariantGlyph, [(0, 0), (advance, _ROOT_WIDTH + _ROOT_OVERHANG)])
    parts = [part.glyph for part in construction.GlyphAssembly.PartRecords]
    bar = font["glyf"][parts[1]]  # the middle part is nothing but the upright bar: its thickness stays
    right = _ROOT_WIDTH + _ROOT_OVERHANG
    thick = bar.xMax - bar.xMin
    left = right - 80 - thick
    widest = max(font["glyf"][name].xMax for name in parts)
    for name in parts:
        _map_x(font, name, [(0, 0), (bar.xMin, left), (bar.xMax, left + thick), (widest, right)])


def _centre_accents(font: Any) -> None:
    """Put the ink of combining accents astride their origin."""
    for code, name in font.getBestCmap().items():
        if unicodedata.category(chr(code)) == "Mn" and code != _SELECTOR:
            glyph = font["glyf"][name]
            left, wide = glyph.xMin, glyph.xMax - glyph.xMin
            _map_x(font, name, [(left, -wide / 2), (left + wide, wide / 2)], 0)


def _map_x(font: Any, name: str, points: list[tuple[float, float]], advance: int = _ROOT_WIDTH) -> None:
    """Move the x coordinates of a glyph along the straight lines through `points`; set its advance."""
    glyph = font["glyf"][name]
    coordinates, _, _ = glyph.getCoordinates(font["glyf"])
    for index, (x, y) in enumerate(coordinates):
        coordinates[index] = (round(_interpolate(x, points)), y)
    glyph.coordinates = coordinates
    glyph.recalcBounds(font["glyf"])
    font["hmtx"][name] = (advance, glyph.xMin)


def _interpolate(x: float, points: list[tuple[float, float]]) -> float:
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x <= x1:
            return y0 + (x - x0) * (y1 - y0) / (x1 - x0)
    return points[-1][1]


def _rename(font: Any) -> None:
    """A changed font carries a name of its own; copyright, licence and version of the original stay."""
    for record in font["name"].names:
        if record.nameID in (1, 4):
            record.string = FAMILY
        elif record.nameID == 6:
            record.string = FAMILY.replace(" ", "")


def _whole(data: bytes) -> bool:
    """A woff2 file says its own length: a truncated one is made again."""
    return data[:4] == b"wOF2" and int.from_bytes(data[8:12], "big") == len(data)


def _write(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=".math-")
    with os.fdopen(descriptor, "wb") as out:
        out.write(data)
    Path(temporary).chmod(0o644)
    Path(temporary).replace(file)


if __name__ == "__main__":
    print(f"math font: {len(math_font()):,} bytes")
