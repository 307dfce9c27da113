"""Browser files: bundles in order, the library from what is installed, the math font."""

import io
import json
import unicodedata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fontTools.ttLib import TTFont
from mkdocs.config.defaults import MkDocsConfig

from course_build.keys.store import Store
from course_build.mathml import font
from course_build.site import assets

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def woff2() -> bytes:
    """Make the font once."""
    return font.build()


@pytest.fixture
def project(tmp_path: Path) -> Any:
    """Return a course without npm's packages, with one live part and one large chart."""
    live = tmp_path / "docs" / "live"
    (live / "kernel").mkdir(parents=True)
    (live / "kernel" / "k.js").write_text("/* kernel */ var k = 1", encoding="utf-8")
    (live / "part.js").write_text("/* part */", encoding="utf-8")
    (live / "part.css").write_text("/* part style */", encoding="utf-8")
    return SimpleNamespace(
        root=tmp_path, docs=tmp_path / "docs", store=Store(tmp_path / "cache"), scripts={"charts/a.1.js": "course"}
    )


def npm(root: Path) -> None:
    """Put npm's two packages there."""
    for name, text in ((assets._NPM_PLOTLY, "small"), (assets._NPM_WORKER, "worker")):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text(text, encoding="utf-8")


def test_a_site_gets_every_file(project: Any, tmp_path: Path) -> None:
    """Without npm: both bundles, the font with its licence, the full library, the data of charts."""
    site = tmp_path / "site"
    assets.publish(project, site)
    folder = site / assets.FOLDER
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {"course.js", "course.css", "math.woff2", "math.OFL.txt", "plotly.js", "charts/a.1.js"} <= names
    assert "iframe-worker.js" not in names
    assert (folder / "plotly.js").stat().st_size > 4_000_000
    assert "SIL OPEN FONT LICENSE" in (folder / "math.OFL.txt").read_text(encoding="utf-8")


def test_npm_packages_win_where_they_are(project: Any, tmp_path: Path) -> None:
    """With npm: the small library, and search from file://."""
    npm(project.root)
    (tmp_path / "site" / "search").mkdir(parents=True)
    (tmp_path / "site" / "search" / "search_index.json").write_text('{"docs": []}', encoding="utf-8")
    assets.publish(project, tmp_path / "site")
    folder = tmp_path / "site" / assets.FOLDER
    assert (folder / "plotly.js").read_text(encoding="utf-8") == "small"
    assert (folder / "iframe-worker.js").read_text(encoding="utf-8") == "worker"
    index = (tmp_path / "site" / "search" / "search_index.js").read_text(encoding="utf-8")
    assert index == 'var __index = {"docs": []}'


def test_two_publications_are_the_same_bytes(project: Any, tmp_path: Path) -> None:
    """Nothing in the files depends on the run."""
    found = []
    for name in ("a", "b"):
        assets.publish(project, tmp_path / name)
        folder = tmp_path / name
        found.append({p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()})
    assert found[0] == found[1]


def test_scripts_are_read_in_the_order_they_need(project: Any) -> None:
    """Formatter and mount layer first, live parts after what they extend, print styles last."""
    live = project.docs / "live"
    scripts = [path.name for path in assets.sources("js", live)]
    styles = [path.name for path in assets.sources("css", live)]
    assert scripts[:3] == ["format.js", "mount.js", "live.js"]
    assert scripts[-2:] == ["k.js", "part.js"]
    assert styles[0] == "tokens.css"
    assert styles[-2:] == ["part.css", "print.css"]
    assert not set(assets.ALONE) & set(styles)


def test_a_bundled_script_ends_before_the_next_begins(project: Any) -> None:
    """A file without a last semicolon cannot call the next one."""
    text = assets.bundle(sorted((project.docs / "live" / "kernel").glob("*.js")))
    assert text == "/* kernel */ var k = 1;\n"


def test_our_code_stays_small() -> None:
    """Issue 4's budgets: 40 kB of scripts, 15 kB of styles, gzip, as written."""
    import gzip

    live = ROOT / "docs" / "live"
    for suffix, limit in (("js", 40_000), ("css", 15_000)):
        size = len(gzip.compress(assets.bundle(assets.sources(suffix, live)).encode(), 9))
        assert size <= limit, f"{suffix}: {size} bytes"


def test_mkdocs_is_told_once(project: Any) -> None:
    """One deferred script, one style, and the shim only where it is installed."""
    config = MkDocsConfig()
    config.load_dict({"site_name": "x", "extra": {}})
    config.validate()
    assets.configure(config, project.root)
    assert [(str(s), s.defer) for s in config.extra_javascript] == [("assets/course/course.js", True)]  # type: ignore[union-attr]
    assert config.extra_css == ["assets/course/course.css"]
    assert "polyfills" not in config.extra
    npm(project.root)
    assets.configure(config, project.root)
    assert config.extra["polyfills"] == ["assets/course/iframe-worker.js"]


def test_npm_files_name_no_address() -> None:
    """Pins without registry: the lock holds versions and checksums only."""
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    pins = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["dependencies"]
    assert "://" not in json.dumps(lock)
    for name, pin in pins.items():
        entry = lock["packages"][f"node_modules/{name}"]
        assert entry["version"] == pin
        assert entry["integrity"].startswith("sha512-")


def test_the_font_draws_math_and_is_small(woff2: bytes) -> None:
    """MATH table, the characters, no alternates; below 60 kB."""
    drawn = TTFont(io.BytesIO(woff2))
    assert "MATH" in drawn
    assert "GSUB" not in drawn
    missing = font.characters() - set(drawn.getBestCmap())
    assert {code for code in missing if unicodedata.category(chr(code)) not in ("Cn", "Cf", "Mn")} == set()
    assert len(woff2) < 60_000
    assert "Open Font License" in str(drawn["name"].getDebugName(13))
    assert drawn["name"].getDebugName(1) == font.FAMILY


def test_every_root_has_one_width(woff2: bytes) -> None:
    """Chromium reserves the widest variant: all variants and parts are as wide as the plain root."""
    drawn = TTFont(io.BytesIO(woff2))
    variants = drawn["MATH"].table.MathVariants
    plain = drawn.getBestCmap()[0x221A]
    construction = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(plain)]
    names = [record.VariantGlyph for record in construction.MathGlyphVariantRecord]
    names += [part.glyph for part in construction.GlyphAssembly.PartRecords]
    assert len(names) >= 6
    assert {drawn["hmtx"][name][0] for name in names} == {font._ROOT_WIDTH}


def test_the_font_is_the_same_every_time(woff2: bytes) -> None:
    """No time stamps: two runs give the same bytes."""
    assert font.build() == woff2


def test_the_font_is_made_once_and_heals(woff2: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept beside the packages; a truncated copy is made again; an unwritable place falls back to the store."""
    made = []

    def build() -> bytes:
        made.append(1)
        return woff2

    monkeypatch.setattr(font, "build", build)
    kept = tmp_path / "kept"
    assert font.math_font(kept=kept) == font.math_font(kept=kept) == woff2
    assert len(made) == 1
    (file,) = kept.iterdir()
    file.write_bytes(woff2[:1000])
    assert font.math_font(kept=kept) == woff2
    assert len(made) == 2
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    store = Store(tmp_path / "cache")
    assert font.math_font(store, blocked / "x") == font.math_font(store, blocked / "x") == woff2
    assert len(made) == 3
