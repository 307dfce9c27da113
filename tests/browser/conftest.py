"""A real Chromium, the network cut, every console error and every request outwards counted.

demo     the fixture course of the browser parts, built and served once (tests/browser/demo)
course   the real site, built and served once
reader   a page object that opens pages of a site and fails the test when the console complained
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route

from tests.browser import chromium
from tests.browser.serving import bound, serving

ROOT = Path(__file__).resolve().parents[2]
DEMO = Path(__file__).parent / "demo"
WEB = ROOT / "course_build" / "web"
READY = """
() => window.course && document.readyState === "complete" && (
  !document.documentElement.matches(".is-fresh") || document.querySelector("article").dataset.thawing === "done")
"""
PARTS = ("mount.js", "live.js", "thaw.js", "scroll.js", "cards.js", "formula.js", "notes.js", "search.js", "ledger.js")
PHONE = {"width": 375, "height": 740}
STYLES = ("tokens.css", "course.css", "shell.css", "parts.css", "print.css")


@dataclass(frozen=True)
class Site:
    """A built site and where it is served."""

    url: str
    folder: Path

    @property
    def pages(self) -> list[str]:
        """Return every page of the course, relative to the root."""
        return [path for path in self._all() if not path.startswith("sources/")]

    @property
    def sources(self) -> list[str]:
        """Return the published input files, which stand outside the theme."""
        return [path for path in self._all() if path.startswith("sources/")]

    def _all(self) -> list[str]:
        return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*.html"))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """Tell pytest-playwright which browser to start (its own download is not used)."""
    path = chromium.find()
    if path is None:
        pytest.fail("no Chromium: run python -m tests.browser.chromium")
    return {"executable_path": path, "args": list(chromium.ARGUMENTS)}


def build(config: Path, site: Path, url: str) -> None:
    """Build a site; its output is shown when it fails."""
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "-f", str(config), "-d", str(site)]
    environment = {**os.environ, "COURSE_SITE_URL": url, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Build and serve the fixture course of the browser parts."""
    place = tmp_path_factory.mktemp("demo")
    docs = place / "docs"
    shutil.copytree(DEMO / "docs", docs)
    shutil.copytree(WEB, docs / "assets" / "course")
    config = (DEMO / "mkdocs.yml").read_text(encoding="utf-8").replace("../../..", str(ROOT))
    styles = ", ".join(f"assets/course/{name}" for name in STYLES)
    scripts = ", ".join(f"{{path: assets/course/{name}, defer: true}}" for name in PARTS)
    config += f"extra_css: [{styles}]\nextra_javascript: [{scripts}]\n"
    (place / "mkdocs.yml").write_text(config, encoding="utf-8")
    with bound() as (server, url):
        build(place / "mkdocs.yml", place / "site", url)
        with serving(server, place / "site"):
            yield Site(url, place / "site")


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Build and serve the real site."""
    folder = tmp_path_factory.mktemp("course") / "site"
    with bound() as (server, url):
        build(ROOT / "mkdocs.yml", folder, url)
        with serving(server, folder):
            yield Site(url, folder)


@dataclass
class Reader:
    """Someone who reads in a browser, and remembers what went wrong."""

    context: BrowserContext
    page: Page
    faults: list[str] = field(default_factory=list)

    def open(self, site: Site, path: str = "index.html") -> Page:
        """Open a page by its full address and wait until it is mounted."""
        self.page.goto(site.url + path)
        self.page.wait_for_function(READY)
        return self.page

    def open_file(self, site: Site, path: str = "index.html") -> Page:
        """Open a page from the disk, without any server."""
        self.page.goto((site.folder / path).as_uri())
        return self.page


@pytest.fixture
def read(browser: Browser) -> Iterator[Callable[..., Reader]]:
    """Make readers with any screen, palette or habit; each is checked for faults when the test ends."""
    readers: list[Reader] = []

    def make(**options: Any) -> Reader:
        desk = {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"}
        context = browser.new_context(**{**desk, **options})
        reader = Reader(context, context.new_page())
        readers.append(reader)

        def outward(route: Route) -> None:
            if route.request.url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:")):
                route.fallback()
                return
            reader.faults.append(f"request outwards: {route.request.url}")
            route.abort()

        context.route("**/*", outward)
        reader.page.on("pageerror", lambda error: reader.faults.append(f"{error}"))
        reader.page.on("console", lambda line: reader.faults.append(line.text) if line.type == "error" else None)
        return reader

    yield make
    for reader in readers:
        reader.context.close()
    assert [fault for reader in readers for fault in reader.faults] == []


@pytest.fixture
def reader(read: Callable[..., Reader]) -> Reader:
    """Return a reader at a desk, in light colours."""
    return read()


@pytest.fixture(params=["demo", "course"])
def site(request: pytest.FixtureRequest) -> Site:
    """Give the fixture course, then the real one."""
    found: Site = request.getfixturevalue(request.param)
    return found
