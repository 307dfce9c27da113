"""A lab page is executed when it is recorded, whole or not at all, and shown without anything fetched."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from course_build.recording import record
from course_build.recording.runs import Run, lab_page, load_run
from tests.science import ROOT, project

LESSON = "c4/03-normalization"
PAGE = """# %% [markdown]
# ## 标题 <script>alert(1)</script>
#
# 一句话，
# 接着写。$x < y$

# %%
print("甲 <b>")
value = {value}

# %%
value + 1
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project with one lab page and no recipes."""
    copied = project(tmp_path, {})
    (copied / "docs/c9/01-thing").mkdir(parents=True)
    return copied


def write(root: Path, text: str) -> None:
    """Write the lab page."""
    (root / "docs/c9/01-thing/lab.py").write_text(text, encoding="utf-8")


@pytest.mark.slow
def test_a_page_is_executed_and_shown(root: Path) -> None:
    """Code, printed text and results, escaped; prose joined over line ends; short heading ids."""
    write(root, PAGE.format(value=41))
    assert record(["lab-thing"], root=root) == 0
    run = load_run(root, "lab-thing")
    assert run.read("/summary/cells") == 2
    outputs = [json.loads(line)["output"] for line in log_of(root, run).splitlines()]
    assert outputs == ["甲 <b>\n", "42\n"]
    page = lab_page(root, "c9/01-thing")
    assert isinstance(page, str)
    soup = BeautifulSoup(page, "html.parser")
    assert [pre.get_text() for pre in soup.select("pre.lab-output")] == ["甲 <b>", "42"]
    assert [heading["id"] for heading in soup.select("h2")] == ["lab-1"]
    assert "一句话，接着写。" in page
    assert soup.select("script") == []
    assert soup.select("pre.lab-output b") == []


def log_of(root: Path, run: Run) -> str:
    """Return a run's log."""
    return (root / run.path).with_name("log.jsonl").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("from IPython.display import HTML; HTML('<b>x</b>')", "only printed text is shown"),
        ("print('x' * 70_000)", "bytes, at most 61,440 are shown"),
    ],
)
def test_a_page_that_fails_keeps_what_was_recorded(
    root: Path, cell: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error in a cell, an output that is no text, a page too large: the recording fails and says why."""
    write(root, "# %%\nprint(1)\n")
    assert record(["lab-thing"], root=root) == 0
    before = lab_page(root, "c9/01-thing")
    write(root, f"# %%\n{cell}\n")
    assert record(["lab-thing"], root=root) == 1
    assert says in " ".join(capsys.readouterr().err.split())
    write(root, "# %%\nprint(1)\n")
    assert before == lab_page(root, "c9/01-thing")


def test_the_committed_page_fetches_nothing_and_is_small() -> None:
    """No script, no style, no frame, no address in any attribute; at most 60 kB; every id once."""
    page = lab_page(ROOT, LESSON)
    assert isinstance(page, str), page
    assert len(page.encode()) <= 60 * 1024
    soup = BeautifulSoup(page, "html.parser")
    assert soup.select("script, style, link, iframe, img, svg") == []
    assert not re.search(r"""(?:src|href|style|on\w+)\s*=\s*["']""", page)
    ids = [tag["id"] for tag in soup.select("[id]")]
    assert ids == [f"lab-{number}" for number in range(1, len(ids) + 1)]


def test_the_committed_page_shows_the_recorded_outputs() -> None:
    """What the log says each cell printed is what the reader sees."""
    run = load_run(ROOT, "lab-normalization")
    outputs = [json.loads(line)["output"].rstrip() for line in log_of(ROOT, run).splitlines()]
    page = lab_page(ROOT, LESSON)
    assert isinstance(page, str), page
    shown = [pre.get_text().rstrip() for pre in BeautifulSoup(page, "html.parser").select("pre.lab-output")]
    assert shown == [output for output in outputs if output]
    for text in ("3.536", "1.871", "0.562    0.749    0.937    1.499", "标准 0.335，零中心 1.112"):
        assert any(text in output for output in outputs), text
