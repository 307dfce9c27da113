"""The browser's files: our scripts and styles as one file each, third-party ones from installed packages.

Everything lands in `assets/course/` of the site; scripts find their neighbours by their own address, so that a page
works at any depth and from file://.

    course.js          web/*.js, then docs/live/kernel/*.js and docs/live/*.js
    course.css         web/*.css and docs/live/*.css; source.css alone, for published sources
    plotly.js          npm's basic bundle (0.4 MB compressed), else the full one of the Python package (1.5 MB)
    iframe-worker.js   npm; makes Material's search work from file://
    math.woff2         made by font.py, with its licence
    charts/*.js        data of large charts
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_build.errors import CourseError, Problem
from course_build.files.textfile import load_text
from course_build.mathml.font import math_font

if TYPE_CHECKING:
    from course_build.site.course import Course

FOLDER = "assets/course"
WEB = Path(__file__).parents[1] / "web"
ALONE = ("source.css",)
_FIRST = ("format.js", "mount.js", "live.js", "tokens.css", "course.css", "shell.css", "parts.css")
_LAST = ("print.css",)
_NPM_PLOTLY = "node_modules/plotly.js-basic-dist-min/plotly-basic.min.js"
_NPM_WORKER = "node_modules/iframe-worker/shim/index.js"
_SEARCH = "search/search_index"


def configure(config: Any, root: Path) -> None:
    """Name the site's script and style to MkDocs; with npm's shim, search works from file:// too."""
    from mkdocs.config.config_options import ExtraScriptValue

    script = ExtraScriptValue(f"{FOLDER}/course.js")
    script.defer = True
    config.extra_javascript.append(script)
    config.extra_css.append(f"{FOLDER}/course.css")
    if (root / _NPM_WORKER).is_file():
        config.extra.setdefault("polyfills", []).append(f"{FOLDER}/iframe-worker.js")


def publish(course: Course, site: Path) -> None:
    """Write the browser's files into a built site.

    Raises:
        CourseError: the site cannot be written, or the chart library is installed nowhere.
    """
    folder = site / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        live = course.docs / "live"
        for suffix in ("js", "css"):
            (folder / f"course.{suffix}").write_text(bundle(sources(suffix, live)), encoding="utf-8")
        for name in (*ALONE, "math.OFL.txt"):
            if (WEB / name).is_file():
                shutil.copyfile(WEB / name, folder / name)
        (folder / "math.woff2").write_bytes(math_font(course.store))
        shutil.copyfile(plotly(course.root), folder / "plotly.js")
        if (course.root / _NPM_WORKER).is_file():
            shutil.copyfile(course.root / _NPM_WORKER, folder / "iframe-worker.js")
        for path, text in sorted(course.scripts.items()):
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        _inline_search(site)
    except OSError as error:
        raise CourseError(Problem(FOLDER, 0, f"cannot be written: {error.strerror} ({error.filename})")) from None


def sources(suffix: str, live: Path) -> list[Path]:
    """Return our files in the order in which the browser reads them."""
    web = [path for path in WEB.glob(f"*.{suffix}") if path.name not in ALONE]
    known = {name: rank for rank, name in enumerate(_FIRST)} | dict.fromkeys(_LAST, len(_FIRST) + 2)
    ordered = sorted(web, key=lambda path: (known.get(path.name, len(_FIRST)), path.name))
    course = [*sorted(live.glob(f"kernel/*.{suffix}")), *sorted(live.glob(f"*.{suffix}"))]
    last = [path for path in ordered if path.name in _LAST]
    return [*(path for path in ordered if path not in last), *course, *last]


def bundle(paths: Iterable[Path]) -> str:
    """Return the files one after the other; each script is closed, so that none can change the next one's meaning.

    Raises:
        CourseError: one is no UTF-8 text.
    """
    parts = []
    for path in paths:
        text = load_text(path, Path.cwd()).strip()
        parts.append(text + (";" if path.suffix == ".js" and not text.endswith(";") else ""))
    return "\n\n".join(parts) + "\n"


def plotly(root: Path) -> Path:
    """Return the chart library that is installed: npm's small one, else the one inside the Python package.

    Raises:
        CourseError: neither is there.
    """
    small = root / _NPM_PLOTLY
    if small.is_file():
        return small
    spec = find_spec("plotly")
    full = Path(spec.origin or "").parent / "package_data" / "plotly.min.js" if spec else None
    if full is None or not full.is_file():
        raise CourseError(Problem("requirements.txt", 0, "plotly is not installed; pip install -r requirements.txt"))
    return full


def _inline_search(site: Path) -> None:
    """Write the search index as a script too: from file:// a page cannot fetch JSON."""
    index = site / f"{_SEARCH}.json"
    if index.is_file():
        (site / f"{_SEARCH}.js").write_text(f"var __index = {index.read_text(encoding='utf-8')}", encoding="utf-8")
