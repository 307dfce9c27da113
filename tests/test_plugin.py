"""Builds through the MkDocs command, as a user runs it: exit codes, the old site, the terminal's lines."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SITE = Path(__file__).parent / "site"
MKDOCS = Path(sys.executable).with_name("mkdocs")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a copy of the ten-line course."""
    return Path(shutil.copytree(SITE, tmp_path / "course"))


def build(project: Path, *flags: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `mkdocs build`."""
    given = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": "1704067200", **environment}
    command = [str(MKDOCS), "build", *flags]
    return subprocess.run(command, cwd=project, env=given, capture_output=True, text=True, check=False)


def prints(folder: Path) -> dict[str, str]:
    """Return a digest of every file below a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def edit(path: Path, old: str, new: str) -> None:
    """Replace text in a file."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_course_builds_with_its_whole_course_pages(project: Path) -> None:
    """Ten lines of course give a page, a ledger with a row, an evidence page, the published input."""
    done = build(project)
    assert done.returncode == 0, done.stderr
    page = (project / "site/index.html").read_text(encoding="utf-8")
    assert '<data value="660480">660,480</data>' in page
    assert "(64 × 2 + 1) × 5,120 = 660,480" in page
    assert '<template id="course-cards">{"words":' in page
    assert '"toy.norms":[' in page
    assert '<tr id="toy.norms">' in (project / "site/ledger.html").read_text(encoding="utf-8")
    assert '<tr id="toy.c.many">' in (project / "site/evidence.html").read_text(encoding="utf-8")
    assert (project / "site/sources/docs/data.json").read_bytes() == (project / "docs/data.json").read_bytes()


def test_two_builds_are_byte_identical(project: Path) -> None:
    """Cold and warm, the same bytes."""
    build(project)
    first = prints(project / "site")
    shutil.rmtree(project / ".cache", ignore_errors=True)
    build(project)
    assert prints(project / "site") == first


@pytest.mark.parametrize("flags", [(), ("-q",), ("-v",), ("--strict",), ("--strict", "-q")], ids=" ".join)
def test_error_exits_1_whatever_the_flags_and_leaves_the_old_site(project: Path, flags: tuple[str, ...]) -> None:
    """A typed numeral: path, line and text on the terminal, exit 1, the old site untouched."""
    assert build(project).returncode == 0
    before = prints(project / "site")
    edit(project / "docs/index.md", "参数不少", "参数有 17 个")
    done = build(project, *flags)
    assert done.returncode == 1
    assert "docs/index.md:6: typed numeral '17'" in done.stderr
    assert "Traceback" not in done.stderr
    assert prints(project / "site") == before
    assert [path.name for path in project.iterdir() if path.name.startswith(".site")] == []


def test_dead_link_and_dead_anchor_are_errors(project: Path) -> None:
    """Links are ours to judge: MkDocs only whispers about anchors."""
    with (project / "docs/index.md").open("a", encoding="utf-8") as file:
        file.write("\n[甲](nowhere.md) 与 [乙](#nothing) 与 [丙](ledger.md#toy.norms)。\n")
    done = build(project, "-q")
    assert done.returncode == 1
    assert "docs/index.md:9: dead link 'nowhere.md'" in done.stderr
    assert "docs/index.md:9: dead link '#nothing'" in done.stderr
    assert "ledger.md#toy.norms" not in done.stderr


def test_false_claim_stops_the_build_but_not_a_draft(project: Path) -> None:
    """Error in a build; with COURSE_DRAFT=1 a mark in the page."""
    edit(project / "docs/data.json", '"width": 5120', '"width": -5120')
    done = build(project)
    assert done.returncode == 1
    assert "docs/index.md:5: claim toy.c.many is false" in done.stderr
    assert not (project / "site").exists()
    assert build(project, COURSE_DRAFT="1").returncode == 0
    assert "claim-false" in (project / "site/index.html").read_text(encoding="utf-8")


def test_changed_input_moves_every_dependent_number_and_back(project: Path) -> None:
    """Page, derivation, card and ledger move together; restored, the site is byte-identical."""
    build(project)
    before = prints(project / "site")
    edit(project / "docs/data.json", "5120", "4096")
    build(project)
    for page in ("index.html", "ledger.html"):
        text = (project / "site" / page).read_text(encoding="utf-8")
        assert "528,384" in text
        assert "660,480" not in text
    edit(project / "docs/data.json", "4096", "5120")
    build(project)
    assert prints(project / "site") == before


def test_broken_facts_are_a_line_not_a_traceback(project: Path) -> None:
    """The author's own frame and exception."""
    edit(project / "docs/facts.py", "return (L * 2 + 1) * d", "return (L * 2 + 1) * e")
    done = build(project)
    assert done.returncode == 1
    assert "docs/facts.py:8: NameError: name 'e' is not defined" in done.stderr
    assert "Traceback" not in done.stderr


def test_promise_to_an_existing_lesson_must_be_kept(project: Path) -> None:
    """A broken promise is an error; keeping it mends the build."""
    (project / "docs/c1/02-b").mkdir(parents=True)
    (project / "docs/c1/02-b/index.md").write_text("# 乙课 {#b}\n\n内容。\n", encoding="utf-8")
    with (project / "docs/index.md").open("a", encoding="utf-8") as file:
        file.write("\n/// promise | p.later\n    to: c1/02\n以后再讲。\n///\n")
    assert "promise 'p.later' is broken: lesson c1/02 exists" in build(project).stderr
    with (project / "docs/c1/02-b/index.md").open("a", encoding="utf-8") as file:
        file.write("\n/// keeps | p.later\n这里讲。\n///\n")
    assert build(project).returncode == 0
