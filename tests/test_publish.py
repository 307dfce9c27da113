"""The site is wholly old or wholly new."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from course_build.errors import CourseError
from course_build.files import publish


def site(folder: Path, text: str) -> Path:
    """Write a one-page site."""
    folder.mkdir(parents=True)
    (folder / "index.html").write_text(text)
    return folder


def test_first_site_is_put_in_place(tmp_path: Path) -> None:
    """Without an old site the new one simply appears."""
    publish.publish(site(tmp_path / ".new", "new"), tmp_path / "site")
    assert (tmp_path / "site/index.html").read_text() == "new"
    assert list(tmp_path.iterdir()) == [tmp_path / "site"]


def test_full_folder_is_exchanged(tmp_path: Path) -> None:
    """The old site is replaced and removed."""
    site(tmp_path / "site", "old")
    publish.publish(site(tmp_path / ".new", "new"), tmp_path / "site")
    assert (tmp_path / "site/index.html").read_text() == "new"
    assert list(tmp_path.iterdir()) == [tmp_path / "site"]


def test_exchange_works_where_the_system_has_no_atomic_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two renames give the same result."""
    monkeypatch.setattr(publish, "_exchange", lambda one, other: False)
    test_full_folder_is_exchanged(tmp_path)


def test_failed_exchange_leaves_the_old_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the system is one line, and the old site stands."""
    site(tmp_path / "site", "old")

    def refuse(one: Path, other: Path) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(publish, "_exchange", refuse)
    with pytest.raises(CourseError, match="No space left on device"):
        publish.publish(site(tmp_path / ".new", "new"), tmp_path / "site")
    assert (tmp_path / "site/index.html").read_text() == "old"


def test_staging_folder_of_a_dead_build_is_removed(tmp_path: Path) -> None:
    """A killed build leaves a folder; the next one removes it, but not that of a living one."""
    process = os.fork()
    if process == 0:
        os._exit(0)
    os.waitpid(process, 0)
    dead = tmp_path / f".site-abc-{process}"
    alive = tmp_path / f".site-abd-{os.getpid()}"
    dead.mkdir()
    alive.mkdir()
    publish.staging(tmp_path / "site")
    assert not dead.exists()
    assert alive.exists()


def test_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A file where the folder should be: one line, no traceback."""
    (tmp_path / "file").write_text("")
    with pytest.raises(CourseError, match="cannot build beside the site"):
        publish.staging(tmp_path / "file" / "site")
