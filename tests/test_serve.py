"""`mkdocs serve` for an author: an edit is shown once, a mistake is a mark in the page, and nothing ends the server."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SITE = Path(__file__).parent / "site"
PATIENCE = 60.0  # seconds; a busy machine is no failure


class Server:
    """A running `mkdocs serve` of a copy of the ten-line course."""

    def __init__(self, project: Path) -> None:
        self.project = project
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.log = project / "serve.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [str(Path(sys.executable).with_name("mkdocs")), "serve", "-a", f"127.0.0.1:{self.port}"],
                cwd=project,
                env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONUNBUFFERED": "1"},
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

    def wait(self, shows: Callable[[str], bool]) -> str:
        """Wait until the page shows something; return it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            assert self.process.poll() is None, f"serve exited:\n{self.log.read_text()}"
            page = self.page()
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


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Start servers; stop them afterwards."""
    running: list[Server] = []

    def start(edits: Callable[[Path], None] = lambda project: None) -> Server:
        project = Path(shutil.copytree(SITE, tmp_path / f"course{len(running)}"))
        edits(project)
        running.append(Server(project))
        return running[-1]

    yield start
    for server in running:
        server.process.terminate()
        server.process.wait(10)


def test_edits_of_text_data_and_facts_are_shown_with_their_reason(serve: Callable[..., Server]) -> None:
    """Text, an input value, a broken facts.py and its mending: each is one rebuild, and the server lives."""
    server = serve()
    server.wait(lambda page: "660,480" in page)
    assert server.builds() == 1

    server.edit("docs/index.md", "参数不少。", "参数真的不少。")
    server.wait(lambda page: "参数真的不少" in page)
    assert server.builds() == 2

    server.edit("docs/data.json", "5120", "4096")
    server.wait(lambda page: "528,384" in page)
    assert "course: toy.norms: 660,480 -> 528,384 (docs/data.json#/width 5120 -> 4096)" in server.log.read_text()

    server.edit("docs/facts.py", "return (L * 2 + 1) * d", "return (L * 2 + 1) * e")
    page = server.wait(lambda page: "NameError" in page)
    assert "docs/facts.py:8: NameError: name &#x27;e&#x27; is not defined" in page
    assert "Traceback" not in page

    server.edit("docs/facts.py", "return (L * 2 + 1) * e", "return (L * 2 + 1) * d")
    server.wait(lambda page: "528,384" in page and "NameError" not in page)
    time.sleep(1.5)
    assert server.builds() == 5


def test_first_build_with_problems_serves_marks(serve: Callable[..., Server]) -> None:
    """A typed numeral, an unknown id and a syntax error at start: red marks, no exit, and it recovers."""

    def spoil(project: Path) -> None:
        path = project / "docs/index.md"
        path.write_text(path.read_text(encoding="utf-8") + "\n一共 17 个 [[toy.nonsense]]。\n", encoding="utf-8")

    server = serve(spoil)
    page = server.wait(lambda page: "typed numeral" in page)
    assert 'class="problem"' in page
    assert "unknown id toy.nonsense" in page
    server.edit("docs/facts.py", "def norms(", "def norms((")
    server.wait(lambda page: "SyntaxError" in page)
    server.edit("docs/facts.py", "def norms((", "def norms(")
    server.edit("docs/index.md", "一共 17 个 [[toy.nonsense]]。", "好了。")
    server.wait(lambda page: "problem" not in page and "660,480" in page)
