"""What an author waits for under `mkdocs serve`: plain Material against ours on the same rendered pages, in one run.

    python -m tests.bench_serve [--rounds N]

All servers run at once and are edited in turn, each in a copy of its own: our project, plain Material with all our
rendered pages, and plain Material with that one page alone (the least that any site could cost).  Shown are, as medians
of N rounds,
the time from the write of a file until the new text is served (seconds of a clock, MkDocs' half a second of polling
included) and the processor time that the server spent on it (user + system), which a busy machine does not stretch.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests import plain_site

ROOT = Path(__file__).parents[1]
LESSON = "c4/03-normalization/index"
CONFIG = "experiments/configs/anchor-model.json"
WIDTH, OTHER_WIDTH = '"hidden_size": 5120', '"hidden_size": 4096'
PATIENCE = 120.0  # s
LABELS = {
    "plain": "plain Material, our pages",
    "alone": "plain Material, one page",
    "text": "ours, text edit",
    "config": "ours, config edit",
}
_EPOCH = re.compile(r"livereload\((\d+), \d+\);")
_TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A running `mkdocs serve`, driven as a browser drives it: fetch the page, wait for the epoch, fetch again."""

    def __init__(self, folder: Path, page: str) -> None:
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.root = f"http://127.0.0.1:{port}/"
        self.page = f"{self.root}{page}.html"
        command = [str(Path(sys.executable).with_name("mkdocs")), "serve", "--livereload", "-q", "-a"]
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(folder)}
        self.process = subprocess.Popen(
            [*command, f"127.0.0.1:{port}"], cwd=folder, env=environment, stderr=subprocess.DEVNULL
        )

    def get(self, address: str) -> str:
        """Return what is served at an address, once the server answers."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                    return str(answer.read().decode())
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(0.2)

    def spent(self) -> float:
        """Return the processor seconds of the server so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def edit(self, path: Path, text: str, mark: str) -> tuple[float, float]:
        """Write a file; return the seconds until `mark` is served, and the processor seconds spent meanwhile."""
        epoch = _EPOCH.search(self.get(self.page))
        assert epoch, f"{self.page} has no live reload"
        spent, start = self.spent(), time.monotonic()
        path.write_text(text, encoding="utf-8")
        self.get(f"{self.root}livereload/{epoch[1]}/1")
        shown = mark in self.get(self.page)
        end = time.monotonic()
        assert shown, f"the first reload after an edit of {path} does not show {mark!r}"
        return end - start, self.spent() - spent


@contextmanager
def serving(folder: Path, page: str) -> Iterator[Server]:
    """Serve a project until the block ends."""
    server = Server(folder, page)
    try:
        server.get(server.page)
        yield server
    finally:
        server.process.terminate()
        server.process.wait()


def copy(root: Path, folder: Path) -> Path:
    """Copy a project as its author has it, with a warm cache; the browser's packages are linked."""
    unwanted = {".git", ".venv", "site", "node_modules", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
    shutil.copytree(root, folder, ignore=lambda place, names: unwanted & set(names) if Path(place) == root else ())
    if (root / "node_modules").is_dir():
        (folder / "node_modules").symlink_to(root / "node_modules")
    return folder


def plain_copies(project: Path, folder: Path) -> tuple[Path, Path]:
    """Write the two plain projects: all rendered pages, the lesson's page alone."""
    plain, alone = folder / "plain", folder / "alone"
    plain_site.write(project, plain)
    shutil.copytree(plain, alone)
    for page in (alone / "docs").rglob("*.md"):
        if page != alone / "docs" / f"{LESSON}.md":
            page.unlink()
    return plain, alone


def measure(servers: dict[str, Server], rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Edit in turn; return kind of edit -> (clock, processor) seconds of each round, the first round left out."""
    found: dict[str, list[tuple[float, float]]] = {kind: [] for kind in LABELS}
    pages = {kind: server.folder / "docs" / f"{LESSON}.md" for kind, server in servers.items()}
    texts = {kind: path.read_text(encoding="utf-8") for kind, path in pages.items()}
    config = servers["text"].folder / CONFIG
    values = config.read_text(encoding="utf-8")
    for number in range(rounds + 1):
        mark = f"第{'一' * (number + 1)}次改动。"
        for kind, server in servers.items():
            found[kind].append(server.edit(pages[kind], f"{texts[kind]}\n{mark}\n", mark))
        narrow = number % 2 == 0
        text = values.replace(WIDTH, OTHER_WIDTH) if narrow else values
        found["config"].append(servers["text"].edit(config, text, "528,384" if narrow else "660,480"))
    return {kind: seconds[1:] for kind, seconds in found.items()}


def main() -> None:
    """Print the figures and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        project = copy(ROOT, Path(name) / "project")
        plain, alone = plain_copies(project, Path(name))
        folders = {"plain": plain, "alone": alone, "text": project}
        servers = {kind: stack.enter_context(serving(folder, LESSON)) for kind, folder in folders.items()}
        found = measure(servers, rounds)
    middle = {kind: [statistics.median(column) for column in zip(*found[kind], strict=True)] for kind in LABELS}
    for kind, label in LABELS.items():
        spread = [f"[{min(column):.2f}, {max(column):.2f}]" for column in zip(*found[kind], strict=True)]
        clock, spent = middle[kind]
        print(f"{label:28}{clock:.2f} s clock {spread[0]}   {spent:.2f} s CPU {spread[1]}")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors: beyond that number it stretches the clock")
    for index, what in enumerate(("clock", "CPU")):
        text, config = middle["text"][index], middle["config"][index]
        print(f"text / our pages in Material, {what:6}{text / middle['plain'][index]:.2f}   (clock: at most 1.3)")
        print(f"text / that page alone, {what:12}{text / middle['alone'][index]:.2f}")
        print(f"config - text, {what:20}{config - text:+.2f} s   (clock: at most +1.0)")


if __name__ == "__main__":
    main()
