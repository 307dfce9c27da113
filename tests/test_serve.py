"""`mkdocs serve` for an author: an edit is shown once, a mistake is a mark in the page, and nothing ends the server."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path

import pytest
from mkdocs.commands import serve as commands
from mkdocs.config import load_config

from tests.bench_serve import copy

ROOT = Path(__file__).parents[1]
SITE = Path(__file__).parent / "site"
PATIENCE = 120.0  # seconds; a busy machine is no failure
QUIET = 0.7  # seconds in which a second rebuild would begin: the watcher looks seven times a second
MKDOCS = Path(sys.executable).with_name("mkdocs")


class Server:
    """A running `mkdocs serve` of a copy of a course."""

    def __init__(self, project: Path) -> None:
        self.project = project
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.log = project.with_suffix(".log")
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [str(MKDOCS), "serve", "--livereload", "-a", f"127.0.0.1:{self.port}"],
                cwd=project,
                env={
                    **os.environ,
                    "NO_MKDOCS_2_WARNING": "1",
                    "PYTHONUNBUFFERED": "1",
                    "PYTHONPATH": str(project if (project / "course_build").is_dir() else ROOT),
                },
                stdout=log,
                stderr=log,
            )

    def page(self, name: str = "index.html") -> str:
        """Return a page as it is served now; "" while the server does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{name}", timeout=PATIENCE) as answer:
                return str(answer.read().decode())
        except (urllib.error.URLError, ConnectionError):
            return ""

    def wait(self, shows: Callable[[str], bool], name: str = "index.html") -> str:
        """Wait until the page shows something; return it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            assert self.process.poll() is None, f"serve exited:\n{self.log.read_text()}"
            page = self.page(name)
            if shows(page):
                return page
            time.sleep(0.1)
        raise AssertionError(f"never shown; the terminal says:\n{self.log.read_text()}")

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace text in a file of the project."""
        path = self.project / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def builds(self) -> int:
        """Return how many builds there were (MkDocs drops a second `Documentation built in 0.31 seconds`)."""
        return self.log.read_text().count("Building documentation...")

    @contextmanager
    def once(self, shows: Callable[[str], bool], name: str = "index.html") -> Iterator[None]:
        """Expect that what is done in the block is one rebuild, after which the page shows it."""
        before = self.builds()
        yield
        self.wait(shows, name)
        time.sleep(QUIET)
        assert self.builds() == before + 1, self.log.read_text()

    def told(self) -> list[str]:
        """Return the generator's own lines on the terminal."""
        return [line for line in self.log.read_text().splitlines() if line.startswith("course: ")]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Start servers; stop them afterwards."""
    running: list[Server] = []

    def start(project: Path | None = None) -> Server:
        project = project or Path(shutil.copytree(SITE, tmp_path / f"course{len(running)}"))
        running.append(Server(project))
        return running[-1]

    yield start
    for server in running:
        server.process.terminate()
        server.process.wait(10)


def write(path: Path, text: str | bytes) -> None:
    """Write a file, its folder too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def test_every_kind_of_edit_is_one_rebuild_with_its_reason(serve: Callable[..., Server]) -> None:
    """Text, a value, a broken facts.py and its mending, a chart, a style: shown once, the terminal says why."""
    server = serve()
    docs = server.project / "docs"
    server.wait(lambda page: "660,480" in page)
    assert server.builds() == 1

    with server.once(lambda page: "参数真的不少" in page):
        server.edit("docs/index.md", "参数不少。", "参数真的不少。")
    assert server.told() == ["course: docs/index.md edited"]

    with server.once(lambda page: "528,384" in page):
        server.edit("docs/data.json", "5120", "4096")
    assert "course: toy.norms: 660,480 -> 528,384 (docs/data.json#/width 5120 -> 4096)" in server.told()

    with server.once(lambda page: "docs/facts.py:8: NameError: name &#x27;e&#x27; is not defined" in page):
        server.edit("docs/facts.py", "return (L * 2 + 1) * d", "return (L * 2 + 1) * e")
    assert "Traceback" not in server.page() + server.log.read_text()

    with server.once(lambda page: "528,384" in page and "NameError" not in page):
        server.edit("docs/facts.py", "return (L * 2 + 1) * e", "return (L * 2 + 1) * d")

    chart = 'from course_build.figures import table, Table\n\n@table("toy.t", title="题")\ndef rows():\n'
    with server.once(lambda page: "第一行" in page):
        write(docs / "charts.py", chart + '    return Table(("甲",), [("第一行",)])\n')
        server.edit("docs/index.md", "一共有", "/// table | toy.t\n///\n\n一共有")
    with server.once(lambda page: "第二行" in page):
        server.edit("docs/charts.py", "第一行", "第二行")
    assert server.told()[-2:] == ["course: docs/charts.py edited", "course: figure toy.t: drawn anew (code function)"]

    with server.once(lambda page: "rebeccapurple" in page, "assets/course/course.css"):
        write(docs / "live" / "own.css", "p { color: rebeccapurple }\n")
    assert server.told()[-1] == "course: docs/live/own.css new"


def test_saves_that_are_no_plain_writes(serve: Callable[..., Server]) -> None:
    """By rename, beside a swap file, twice at once, many files, gone and back, a lock, other settings: one rebuild."""
    server = serve()
    docs = server.project / "docs"
    server.wait(lambda page: "660,480" in page)
    text = (docs / "index.md").read_text(encoding="utf-8")

    with server.once(lambda page: "换名存盘" in page):
        write(docs / ".index.md.swp", "x")
        write(docs / "4913", "")
        (docs / "4913").unlink()
        write(docs / "index.md~", text)
        write(docs / ".index.md.part", f"{text}\n换名存盘。\n")
        (docs / ".index.md.part").replace(docs / "index.md")

    with server.once(lambda page: "第二次" in page):
        write(docs / "index.md", f"{text}\n第一次。\n")
        write(docs / "index.md", f"{text}\n第二次。\n")

    with server.once(lambda page: "甲课" in page, "c1/01-a/index.html"):
        for number in range(40):
            write(docs / "c1" / f"{number:02}-a" / "index.md", "# 甲课 {#top}\n")
    with server.once(lambda page: "甲课" in page, "c1/99-b/index.html"):
        (docs / "c1" / "01-a").rename(docs / "c1" / "99-b")

    data = (docs / "data.json").read_bytes()
    with server.once(lambda page: "data.json: file not found" in page):
        (docs / "data.json").unlink()
    with server.once(lambda page: "660,480" in page and "problem" not in page):
        write(docs / "data.json", data)

    with server.once(lambda page: "660,480" in page):
        subprocess.run([str(MKDOCS.with_name("course")), "lock"], cwd=server.project, check=True, capture_output=True)

    with server.once(lambda page: "这次没有建成" in page):
        docs.rename(server.project / "away")
    with server.once(lambda page: "660,480" in page):
        (server.project / "away").rename(docs)

    settings = (server.project / "mkdocs.yml").read_bytes()
    with server.once(lambda page: "这次没有建成" in page):
        write(server.project / "mkdocs.yml", b"site_name: [\n")
    with server.once(lambda page: "660,480" in page and "新名" in page):
        (server.project / "mkdocs.yml").unlink()
        write(server.project / "mkdocs.yml", settings.replace("小课".encode(), "新名".encode()))


def test_an_edit_while_a_build_runs_is_shown(serve: Callable[..., Server]) -> None:
    """Also during the first build, when nobody watches yet; what is served at the end is what stands on the disk."""
    server = serve()
    facts = server.project / "docs" / "facts.py"
    for number in range(1, 9):
        time.sleep(0.15)
        write(server.project / "docs" / "data.json", f'{{"x": [1, 2, 3, 6], "layers": 64, "width": {number}}}')
        write(facts, facts.read_text(encoding="utf-8") + "\n")
    server.wait(lambda page: "1,032 个" in page or "1,032</" in page)


def test_the_project_itself_is_served_live(serve: Callable[..., Server], tmp_path: Path) -> None:
    """The anchor's config, a recorded run, our own style and a live component: one rebuild each, the reason told."""
    project = copy(ROOT, tmp_path / "project")
    server = serve(project)
    lesson = "c4/03-normalization/index.html"
    server.wait(lambda page: "660,480" in page, lesson)

    with server.once(lambda page: "528,384" in page, lesson):
        server.edit("experiments/configs/anchor-model.json", '"hidden_size": 5120', '"hidden_size": 4096')
    reason = "experiments/configs/anchor-model.json#/text_config/hidden_size 5120 -> 4096"
    assert f"course: anchor.d: 5,120 -> 4,096 ({reason})" in server.told()

    run = project / "experiments" / "runs" / "pre-rms-s1" / "run.json"
    loss = str(json.loads(run.read_bytes())["summary"]["final_loss"])
    with server.once(lambda page: f"{loss} -> 4.5" in " ".join(server.told()), lesson):
        server.edit("experiments/runs/pre-rms-s1/run.json", f'"final_loss": {loss}', '"final_loss": 4.5')

    with server.once(lambda page: "rebeccapurple" in page, "assets/course/course.css"):
        write(project / "course_build" / "web" / "own.css", "p { color: rebeccapurple }\n")
    with server.once(lambda page: "course_build/theme/main.html:1: " in page):
        server.edit("course_build/theme/main.html", "{% extends", "{% block %}{% extends")
    assert "Traceback" not in server.log.read_text()
    with server.once(lambda page: "没有建成" not in page):
        server.edit("course_build/theme/main.html", "{% block %}{% extends", "{% extends")
        write(project / "course_build" / "value.py", (project / "course_build" / "value.py").read_bytes() + b"\n")
    assert "course: course_build/value.py edited; restart `serve` to use it" in server.told()
    with server.once(lambda page: "// own" in page, "assets/course/course.js"):
        server.edit("docs/live/norm-lab.js", "class NormLab", "// own\n  class NormLab")


def more(path: Path, text: str | bytes | Path | None) -> None:
    """Write more at the end of a file, a front matter at its beginning; make it a link; None: remove it."""
    before = path.read_bytes() if path.exists() else b""
    if text is None:
        path.unlink()
    elif isinstance(text, Path):
        path.symlink_to(text)
    elif isinstance(text, str) and text.startswith("---"):
        write(path, text.encode() + before)
    else:
        write(path, before + (text.encode() if isinstance(text, str) else text))


FIRST: dict[str, tuple[dict[str, str | bytes | Path | None], str]] = {
    "unknown id": ({"docs/index.md": "\n有 [[toy.no]] 个。\n"}, "docs/index.md:9: unknown id toy.no"),
    "typed numeral": ({"docs/index.md": "\n有 17 个。\n"}, "docs/index.md:9: typed numeral"),
    "facts.py": ({"docs/facts.py": "\ndef x((\n"}, "docs/facts.py:13: SyntaxError"),
    "exit()": ({"docs/facts.py": "\nimport sys; sys.exit(0)\n"}, "docs/facts.py:13: SystemExit"),
    "claim": ({"docs/index.md": "\n不少。[[? toy.norms < 0]]\n"}, "is false"),
    "front matter": ({"docs/index.md": "---\ntitle: [a\n---\n"}, ": front matter: not YAML"),
    "title": ({"docs/index.md": "---\ntitle: {a: 1}\n---\n"}, "front matter: /title"),
    "template": ({"docs/index.md": "---\ntemplate: no.html\n---\n"}, "no.html"),
    "JSON": ({"docs/data.json": "{"}, "docs/data.json:2: not JSON"),
    "UTF-8": ({"docs/index.md": b"\n\xff\n"}, "docs/index.md:9: is not UTF-8"),
    "UTF-8 in a script": ({"docs/live/a.js": b"\n\xff"}, "docs/live/a.js:2: is not UTF-8"),
    "evolution.yml": (
        {"docs/evolution.yml": "a: [1\n", "docs/index.md": "\n/// evolution | a\n///\n"},
        "docs/evolution.yml:2: not YAML",
    ),
    "terms.yml": ({"docs/terms.yml": "terms: [1\n"}, "docs/terms.yml:2: not YAML"),
    "papers.json": (
        {"experiments/configs/papers.json": "{", "docs/index.md": "\n好[@a2019]。\n"},
        "experiments/configs/papers.json:1: not JSON",
    ),
    "quoted code": (
        {"docs/a.py": "def x((", "docs/index.md": "\n[[code docs/a.py x]]\n"},
        "docs/a.py:1: SyntaxError",
    ),
    "open block": ({"docs/index.md": "\n/// claim | toy.c.many\nx\n"}, "is never closed"),
    "data gone": ({"docs/data.json": None}, "docs/data.json: file not found"),
    "facts gone": ({"docs/facts.py": None}, "unknown id toy.norms"),
    "dead link": ({"docs/b.md": Path("nowhere")}, "docs/b.md: is a symbolic link to nowhere"),
    "link in a circle": ({"docs/loop": Path()}, "symbolic links"),
    "navigation": ({"mkdocs.yml": "\nnav: [index.md, no.md]\n"}, "660,480"),
}


def build_served(folder: Path, *, first: bool) -> None:
    """Build the course of the working folder as `mkdocs serve` does."""
    config = load_config(site_dir=str(folder))  # MkDocs keeps the plugins from one to the next
    if first:
        config.plugins.on_startup(command="serve", dirty=False)
    vars(commands)["build"](config, serve_url="http://127.0.0.1:8000/")


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the small course, the working folder; MkDocs' own build is put back afterwards."""
    project = Path(shutil.copytree(SITE, tmp_path / "course"))
    monkeypatch.chdir(project)
    monkeypatch.setitem(vars(commands), "build", vars(commands)["build"])
    return project


@pytest.mark.parametrize("fault", FIRST)
def test_no_fault_of_the_content_ends_the_first_build(
    course: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], fault: str
) -> None:
    """It is built, or a page says why not; either way the fault stands in the page, without a traceback."""
    files, told = FIRST[fault]
    for name, text in files.items():
        more(course / name, text)
    build_served(tmp_path / "site", first=True)
    assert told in unescape((tmp_path / "site" / "index.html").read_text(encoding="utf-8"))
    assert "Traceback" not in capfd.readouterr().err


def test_an_edited_site_is_that_of_a_fresh_build(course: Path, tmp_path: Path) -> None:
    """What serve keeps from build to build (facts, search, templates) changes no byte of the site."""
    more(course / "docs" / "ledger.md", "# 账本 {#top}\n\n/// generated | ledger\n///\n")
    more(course / "docs" / "b.md", "# 旁课 {#b}\n\n有 [[toy.norms]] 个，见 [[code docs/facts.py norms]]。\n")
    more(course / "docs" / "index.md", "\n[旁课](b.md#b)\n")
    settings = course / "mkdocs.yml"
    write(settings, settings.read_text(encoding="utf-8").replace("[course]", "[search, course]"))
    edited, fresh = tmp_path / "edited", tmp_path / "fresh"
    build_served(edited, first=True)
    for text in ("\n又一句。\n", "\n再一句。\n"):
        more(course / "docs" / "index.md", text)
        build_served(edited, first=False)
    build_served(fresh, first=True)
    files = {path.relative_to(fresh): path.read_bytes() for path in fresh.rglob("*") if path.is_file()}
    assert files == {path.relative_to(edited): path.read_bytes() for path in edited.rglob("*") if path.is_file()}
    index = json.loads((fresh / "search" / "search_index.json").read_bytes())["docs"]
    rows = next(entry["text"] for entry in index if entry["location"] == "ledger.html")
    assert "660,480" in rows
    assert "toy.norms" in rows
    assert "docs/facts.py" not in rows
