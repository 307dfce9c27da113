"""The cache: nothing that happens to its folder gives a wrong value or stops a build."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_build.errors import Gravity
from course_build.keys.store import Store


def entries(store: Store) -> list[Path]:
    """Return the entry files, temporary ones too."""
    return sorted(store.folder.glob("??/*"))


def run(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a Python process."""
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a store in a folder that does not exist yet."""
    return Store(tmp_path / ".cache" / "course")


def test_what_is_put_is_got(store: Store) -> None:
    """Any bytes under any text; other keys are absent."""
    assert store.get("a") is None
    for key, data in [("a", b""), ("../../x", b"\0" * 5000), ("重" * 300, b"data"), ("", b"empty key")]:
        store.put(key, data)
        assert store.get(key) == data
    assert store.get("b") is None
    assert store.notices == []
    assert [path.name for path in store.folder.parent.iterdir()] == ["course"]


@given(st.integers(min_value=0, max_value=10**6), st.sampled_from(["flip", "cut", "append", "empty"]))
@settings(max_examples=60)
def test_any_damage_is_a_miss_and_heals(tmp_path_factory: pytest.TempPathFactory, at: int, how: str) -> None:
    """A flipped bit, a cut, junk at the end or an empty file: absent, removed, and good again after a put."""
    store = Store(tmp_path_factory.mktemp("store"))
    data = bytes(range(100))
    store.put("key", data)
    (path,) = entries(store)
    raw = path.read_bytes()
    at %= len(raw)
    damaged = {
        "flip": raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :],
        "cut": raw[:at],
        "append": raw + b"x",
        "empty": b"",
    }
    path.write_bytes(damaged[how])
    assert store.get("key") is None
    assert not path.exists()
    store.put("key", data)
    assert store.get("key") == data


def test_an_entry_under_another_name_is_no_hit(store: Store) -> None:
    """The checksum covers the key: a file copied to another entry's place is refused."""
    store.put("one", b"1")
    store.put("two", b"2")
    first, second = entries(store)
    second.write_bytes(first.read_bytes())
    assert sorted([store.get("one") or b"-", store.get("two") or b"-"]) in ([b"-", b"1"], [b"-", b"2"])


def test_the_folder_stays_below_its_limit_and_keeps_what_is_used(tmp_path: Path) -> None:
    """Old entries go first, one that is read survives, and the count is kept between processes."""
    limit = 400 * 4096
    Store(tmp_path, limit).put("used", b"u" * 4000)
    past = time.time() - 10**6
    for number in range(1200):
        store = Store(tmp_path, limit)
        store.put(f"{number}", b"x" * 4000)
        if number % 50 == 0:
            for path in entries(store):
                os.utime(path, (past + number, past + number))
            assert store.get("used") == b"u" * 4000
        if number % 10 == 0:
            assert sum(path.stat().st_size for path in entries(store)) <= limit
    assert store.get("1199") == b"x" * 4000
    assert store.get("0") is None
    assert len(entries(store)) > 150


def test_put_scans_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below a quarter of the limit no put lists the folder."""

    def refuse(*_: object) -> None:
        raise AssertionError("the folder was listed")

    for name in ("glob", "iterdir", "rglob"):
        monkeypatch.setattr(Path, name, refuse)
    for number in range(300):
        store.put(f"{number}", b"x")


def test_a_value_too_large_for_the_limit_is_not_kept(tmp_path: Path) -> None:
    """One giant may not push out everything else."""
    store = Store(tmp_path, limit=4 * 4096)
    store.put("giant", b"x" * 5000)
    assert store.get("giant") is None


@pytest.mark.parametrize("place", ["folder", "parent"])
def test_a_file_in_the_way_is_named_once(tmp_path: Path, place: str) -> None:
    """A file where the folder should be: every get is a miss, one notice, no exception."""
    (tmp_path / "cache").write_text("not a folder")
    store = Store(tmp_path / "cache" if place == "folder" else tmp_path / "cache" / "course")
    for _ in range(3):
        store.put("a", b"1")
        assert store.get("a") is None
    (notice,) = store.notices
    assert notice.gravity is Gravity.NOTICE
    assert "cannot be written" in notice.text
    assert (tmp_path / "cache").read_text() == "not a folder"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
def test_full_or_read_only_is_named_once(store: Store, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    """What was there stays readable; nothing half-written is left."""
    store.put("old", b"old")

    def refuse(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:10])
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    store.put("new", b"new")
    store.put("newer", b"newer")
    assert [store.get(key) for key in ("old", "new", "newer")] == [b"old", None, None]
    assert [notice.path for notice in store.notices] == [".cache/course"]
    assert os.strerror(code) in store.notices[0].text
    assert len(entries(store)) == 1


def test_a_file_system_that_is_really_full(tmp_path: Path) -> None:
    """The same with the kernel's own refusal (a limit on file size) instead of a simulated one."""
    code = """
        import resource, signal, sys
        from pathlib import Path
        from course_build.keys.store import Store
        store = Store(Path(sys.argv[1]))
        store.put("small", b"1")
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        store.put("large", b"x" * 10_000)
        print(store.get("small"), store.get("large"), len(store.notices), store.notices[0].text)
    """
    process = run(code, str(tmp_path))
    out, _ = process.communicate(timeout=60)
    assert out.startswith("b'1' None 1 the cache cannot be written (File too large)")
    assert len(entries(Store(tmp_path))) == 1


def test_an_unreadable_entry_is_a_miss(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry that the system refuses to read is computed again, said once."""
    store.put("a", b"1")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("os.open", refuse)
    assert store.get("a") is None
    assert store.get("a") is None
    assert [notice.text.split(";")[0] for notice in store.notices] == [
        "the cache cannot be read (Permission denied)"
    ]


WRITER = """
    import sys
    from pathlib import Path
    from course_build.keys.store import Store
    store = Store(Path(sys.argv[1]), limit=64 * 4096)
    for turn in range(int(sys.argv[2])):
        for number in range(20):
            data = bytes([number]) * (3000 + number)
            found = store.get(f"k{number}")
            assert found in (None, data), (number, found[:3])
            store.put(f"k{number}", data)
    assert store.notices == []
"""


def test_two_processes_share_a_folder(tmp_path: Path) -> None:
    """Two writers of the same keys, sweeping all the time, never see each other's halves."""
    processes = [run(WRITER, str(tmp_path), "40") for _ in range(2)]
    for process in processes:
        process.communicate(timeout=120)
        assert process.returncode == 0


def test_threads_share_a_store(store: Store) -> None:
    """Several threads may use one store."""
    wrong: list[str] = []

    def work(name: int) -> None:
        for number in range(50):
            data = bytes([number]) * 2000
            store.put(f"k{number}", data)
            if store.get(f"k{number}") != data:
                wrong.append(f"{name}: k{number}")

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_kill_at_any_moment(tmp_path: Path) -> None:
    """Processes killed while they write leave only whole entries, and left-overs that a sweep removes."""
    for turn in range(12):
        process = run(WRITER, str(tmp_path), "100000")
        time.sleep(0.15 + turn * 0.013)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    store = Store(tmp_path, limit=64 * 4096)
    for number in range(20):
        assert store.get(f"k{number}") in (None, bytes([number]) * (3000 + number))
    left = tmp_path / "00" / ".left.over"
    left.parent.mkdir(exist_ok=True)
    left.write_bytes(b"half")
    os.utime(left, (1, 1))
    for number in range(40):
        store.put(f"k{number}", b"x" * 4000)
    assert not left.exists()


@pytest.mark.parametrize("place", ["entry", "its folder", "volume"])
@pytest.mark.parametrize("what", ["folder", "loop", "pipe", "file"])
def test_what_stands_in_the_way_inside_the_cache_is_removed(store: Store, place: str, what: str) -> None:
    """A folder, a link to itself, a pipe or a file of another kind: a miss at most once, nobody waits for it."""
    store.put("a", b"1")
    (entry,) = entries(store)
    target = {"entry": entry, "its folder": entry.parent, "volume": store.folder / "volume"}[place]
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    make: dict[str, Callable[[], object]] = {
        "folder": lambda: (target / "inner").mkdir(parents=True),
        "loop": lambda: target.symlink_to(target.name),
        "pipe": lambda: os.mkfifo(target),
        "file": lambda: target.write_bytes(b"x"),
    }
    make[what]()
    assert store.get("a") in (None, b"1")
    store.put("a", b"1")
    assert Store(store.folder).get("a") == b"1"
    Store(store.folder).put("b", b"2")
    assert Store(store.folder).get("b") == b"2"
