"""Nothing is ever half-written: kills, two builds at once, read-only trees and full disks."""

from __future__ import annotations

import json
import random
import re
import shutil
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from course_build.recording.runs import load_run, status
from tests import disk, every_input
from tests.science import project, small_recipe
from tests.small import BUILD, LOCK, finish, run, set_input, small_course, start, tree, unprivileged

GPT2 = {"model_type": "gpt2", "vocab_size": 9, "n_positions": 4, "n_embd": 4, "n_layer": 1, "n_head": 1}
MOMENTS = 20
NEW, OLD = 20, 2  # values of the input


STORED = """
from course_build.ledger import fact, source
import science


@fact("norm.square", title="平方", by="自己乘自己")  # its code reaches into a module: the value is cached
def square(a=source("docs/data.json").at("/a")):
    return science.square(a)
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return a small course, locked and built with the old value."""
    folder = small_course(tmp_path / "course")
    (folder / "docs/c4/03-norm/facts.py").write_text(STORED)
    (folder / "science.py").write_text("def square(x):\n    return x * x\n")
    for command in (LOCK, BUILD):
        code, said = run(folder, *command)
        assert code == 0, said
    return folder


def moments(longest: float) -> Iterator[float]:
    """Yield random moments of a command that takes `longest` seconds; always the same share of it."""
    draw = random.Random(7)
    for _ in range(MOMENTS):
        yield draw.uniform(0.2, 1.05) * longest


def timed(folder: Path, command: Sequence[str]) -> float:
    """Run a command to its end; return how long it took."""
    begin = time.monotonic()
    code, said = run(folder, *command)
    assert code == 0, said
    return time.monotonic() - begin


def kill_after(folder: Path, command: Sequence[str], seconds: float) -> None:
    """Start a command and kill it, its children too."""
    process = start(folder, command)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.communicate()


def hidden(folder: Path) -> list[str]:
    """Return what commands leave beside their results until they are done."""
    beside = (".site-", ".ledger", ".new-")
    names = [path.name for path in folder.iterdir()]
    return sorted(name for name in names if name.startswith(beside) or name.endswith(".part"))


# -- kill -9 ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_killed_build_leaves_the_old_site_or_the_new_one(course: Path) -> None:
    """kill -9 at twenty random moments: the site is one of the two, whole; the next build leaves nothing beside it."""
    whole = {OLD: tree(course / "site")}
    set_input(course, NEW)
    longest = timed(course, BUILD)
    whole[NEW] = tree(course / "site")
    assert whole[OLD] != whole[NEW]
    for number, moment in enumerate(moments(longest)):
        set_input(course, (OLD, NEW)[number % 2])
        kill_after(course, BUILD, moment)
        assert tree(course / "site") in whole.values(), f"half a site after {moment:.2f} of {longest:.2f} s"
    set_input(course, OLD)
    timed(course, BUILD)
    assert tree(course / "site") == whole[OLD]
    assert hidden(course) == []


DYING = """
import os, shutil, signal, sys
from pathlib import Path
from course_build.files import publish, writing

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def before(owner, name, test=lambda *_: True):
    real = getattr(owner, name)
    setattr(owner, name, lambda *a, **k: die() if test(*a) else real(*a, **k))

def after(owner, name):
    real = getattr(owner, name)
    setattr(owner, name, lambda *a, **k: (real(*a, **k), die()))

moment = sys.argv.pop(1)
"""
WORST_OF_BUILD = {
    "before the exchange": "before(publish, '_exchange')",
    "after the exchange": "after(publish, '_exchange')",
    "while the old site is removed": "before(shutil, 'rmtree', lambda path, *_: not (path / 'index.html').unlink())",
    "between two renames": (
        "publish._exchange = lambda one, other: False\n"
        "    before(Path, 'rename', lambda self, to: Path(to).name == 'site' and self.name.startswith('.site-'))"
    ),
}


def dying(folder: Path, moments: dict[str, str], moment: str, then: str) -> None:
    """Run a command that kills itself at a chosen moment."""
    body = "\n".join(f"if moment == {name!r}:\n    {code}" for name, code in moments.items())
    (folder / "dying.py").write_text(f"{DYING}\n{body}\n{then}\n")
    code, said = run(folder, "dying", moment)
    assert code == -signal.SIGKILL, said
    (folder / "dying.py").unlink()


@pytest.mark.parametrize("moment", WORST_OF_BUILD)
def test_a_build_killed_at_the_worst_moment(course: Path, moment: str) -> None:
    """Killed around the exchange itself, the site is whole; where two renames are needed, the next build mends it."""
    old = tree(course / "site")
    set_input(course, NEW)
    dying(course, WORST_OF_BUILD, moment, "from mkdocs.__main__ import cli\ncli(['build', '-q'])")
    left = tree(course / "site")
    timed(course, BUILD)
    new = tree(course / "site")
    assert new != old
    expected = {"before the exchange": old, "between two renames": ""}
    assert left == expected.get(moment, new)
    assert hidden(course) == []


@pytest.mark.slow
def test_a_killed_lock_leaves_the_old_lock_or_the_new_one(course: Path) -> None:
    """kill -9 at twenty random moments: docs/ledger.json is one of the two texts."""
    lock = course / "docs/ledger.json"
    whole = {OLD: lock.read_bytes()}
    set_input(course, NEW)
    longest = timed(course, LOCK)
    whole[NEW] = lock.read_bytes()
    for number, moment in enumerate(moments(longest)):
        set_input(course, (OLD, NEW)[number % 2])
        kill_after(course, LOCK, moment)
        assert lock.read_bytes() in whole.values()
    set_input(course, OLD)
    timed(course, LOCK)
    assert lock.read_bytes() == whole[OLD]


WORST_OF_LOCK = {
    "before it is written out": "before(os, 'fsync')",
    "before the rename": "before(Path, 'replace', lambda self, to: Path(to).name == 'ledger.json')",
}


@pytest.mark.parametrize("moment", WORST_OF_LOCK)
def test_a_lock_killed_at_the_worst_moment(course: Path, moment: str) -> None:
    """Killed around its rename, the lock is the old one; the next lock removes what was left beside it."""
    old = (course / "docs/ledger.json").read_bytes()
    set_input(course, NEW)
    then = "sys.argv = ['course', 'lock']\nfrom course_build.__main__ import main\nmain()"
    dying(course, WORST_OF_LOCK, moment, then)
    assert (course / "docs/ledger.json").read_bytes() == old
    timed(course, LOCK)
    assert (course / "docs/ledger.json").read_bytes() != old
    assert hidden(course / "docs") == []


TRAINER = """
import json, sys, time
job = json.load(sys.stdin)
for step in range(2):
    time.sleep(0.02)
    print(json.dumps({"step": step, "loss": 2.0 - job["values"]["lr"], "floor": 3.0, "lr": job["values"]["lr"],
                      "grad": 1.0, "validation": 1.0, "rms": [1.0]}), flush=True)
print(json.dumps({"end": {"floor_validation": 3.0}}))
"""


@pytest.mark.slow
def test_a_killed_recording_leaves_the_old_run_or_the_new_one(tmp_path: Path) -> None:
    """kill -9 at twenty random moments: run.json and log.jsonl belong together, and are of one recipe or the other."""
    root = project(tmp_path, {"one": small_recipe([1])})
    (root / "experiments/train.py").write_text(TRAINER)
    (root / "mkdocs.yml").write_text("site_name: x\n")
    recipe = root / "experiments/configs/recipes/one.json"
    texts = [recipe.read_text(), recipe.read_text().replace('"lr": 0.003', '"lr": 0.001')]
    assert texts[0] != texts[1]
    record = ("course_build", "record", "one")
    longest = timed(root, record)
    folder = root / "experiments/runs/one-s1"
    for number, moment in enumerate(moments(longest)):
        recipe.write_text(texts[(number + 1) % 2])
        kill_after(root, record, moment)
        (state,) = (each for each in status(root) if each.name == "one-s1")
        assert state.problem is None
        assert state.state in ("fresh", "stale")
        assert sorted(path.name for path in folder.iterdir()) == ["log.jsonl", "run.json"]
        run_ = load_run(root, "one-s1")
        assert run_.read("/series/loss")[0] == 2.0 - run_.read("/values/lr")
    recipe.write_text(texts[1])
    timed(root, record)
    assert load_run(root, "one-s1").state == "fresh"
    assert sorted(path.name for path in folder.parent.iterdir()) == ["one-s1"]


# -- two at once -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cache", ["cold", "warm"])
def test_two_builds_at_once_give_the_same_site(course: Path, cache: str) -> None:
    """Both succeed, whoever is last: the site is the one that a single build makes."""
    expected = tree(course / "site")
    for _ in range(2):
        if cache == "cold":
            shutil.rmtree(course / ".cache/course")
        both = [start(course, BUILD), start(course, BUILD)]
        for process in both:
            code, said = finish(process)
            assert code == 0, said
        assert tree(course / "site") == expected
        assert hidden(course) == []


def test_a_lock_during_a_build_and_two_locks_at_once(course: Path) -> None:
    """The lock is whole and the site is that of the inputs."""
    set_input(course, NEW)
    together = [start(course, command) for command in (BUILD, LOCK, LOCK)]
    for process in together:
        code, said = finish(process)
        assert code == 0, said
    site, lock = tree(course / "site"), (course / "docs/ledger.json").read_bytes()
    timed(course, LOCK)
    timed(course, BUILD)
    assert (tree(course / "site"), (course / "docs/ledger.json").read_bytes()) == (site, lock)


# -- read-only trees and full disks ----------------------------------------------------------------------------


def protect(folder: Path, writable: bool) -> None:
    """Take or give the right to write to everything below a folder."""
    for path in [folder, *folder.rglob("*")]:
        mode = path.stat().st_mode
        path.chmod(mode | 0o200 if writable else mode & ~0o222)


@pytest.fixture
def read_only(course: Path) -> Iterator[Path]:
    """Return the course with the new value, in a tree that cannot be written."""
    set_input(course, NEW)
    (course / "other.json").write_text(json.dumps(GPT2))
    protect(course, writable=False)
    yield course
    protect(course, writable=True)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (BUILD, "cannot build beside the site: Permission denied"),
        (LOCK, "Permission denied"),
        (("course_build", "new", "lesson", "c4/04-gating"), "cannot be written: Permission denied"),
        (("course_build", "anchor", "add", "other.json"), "cannot be written: Permission denied"),
    ],
)
def test_a_read_only_tree_is_named(read_only: Path, command: tuple[str, ...], said: str) -> None:
    """What has to write says so in a line with exit 1, and everything stays as it was."""
    before = tree(read_only)
    code, text = run(read_only, *command, prefix=unprivileged())
    assert code == 1
    assert said in text
    assert "Traceback" not in text
    assert tree(read_only) == before


def test_reading_commands_work_in_a_read_only_tree(read_only: Path) -> None:
    """What only reads works; the cache that cannot be written is named and is no problem."""
    before = tree(read_only)
    for command in (("show", "toy.sum"), ("explain", "toy.sum"), ("diff",), ("find", "23"), ("status",)):
        code, text = run(read_only, "course_build", *command, prefix=unprivileged())
        assert code == 0, text
        assert "Traceback" not in text
    assert tree(read_only) == before


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
command = sys.argv[1:]
if command[0] == "mkdocs":
    from mkdocs.__main__ import cli
    cli(command[1:])
else:
    sys.argv = ["course", *command[1:]]
    from course_build.__main__ import main
    main()
"""


@pytest.mark.parametrize(("command", "size"), [(BUILD, 3000), (BUILD, 100_000), (LOCK, 50)])
def test_a_full_disk_is_named_and_loses_nothing(course: Path, command: tuple[str, ...], size: int) -> None:
    """The kernel refuses larger files, as a full disk does: one line, exit 1, the old site and lock whole."""
    set_input(course, NEW)
    (course / "limited.py").write_text(LIMITED)
    before = tree(course / "site"), (course / "docs/ledger.json").read_bytes()
    code, text = run(course, "limited", str(size), *command)
    assert code == 1
    assert "File too large" in text
    assert "Traceback" not in text
    assert (tree(course / "site"), (course / "docs/ledger.json").read_bytes()) == before
    assert hidden(course) == []
    assert hidden(course / "docs") == []


def test_limits_are_real(course: Path) -> None:
    """The same wrapper without a tight limit builds: the test above can fail."""
    (course / "limited.py").write_text(LIMITED)
    code, text = run(course, "limited", str(10**9), *BUILD)
    assert code == 0, text
    assert (course / "site/index.html").stat().st_size > 0


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course with a recorded run, locked and built; its page and recipe changed since."""
    folder = tmp_path_factory.mktemp("disk")
    root = every_input.course(folder)
    (root / "experiments/train.py").write_text(TRAINER)
    for command in (("course_build", "record", "one"), LOCK, BUILD):
        code, said = run(root, *command)
        assert code == 0, said
    (root / "docs/data.json").write_text('{"a": 20, "b": 3}')
    recipe = root / "experiments/configs/recipes/two.json"
    recipe.write_text((root / "experiments/configs/recipes/one.json").read_text())
    (root / "other.json").write_text(json.dumps(GPT2))
    return root


WRITING = [
    (BUILD, "cannot build beside the site|cannot be written|cannot write the site"),
    (LOCK, "docs/ledger.json: cannot be written: "),
    (("course_build", "record", "two"), "two-s1"),
    (("course_build", "new", "lesson", "c4/04-gating"), "cannot be written: "),
    (("course_build", "anchor", "add", "other.json"), "cannot be written: "),
    (("course_build", "diff", "--output", "review.md"), "review.md: cannot be written: "),
]


DISKS = [(kind, *each) for kind in ("full", "read-only") for each in WRITING] + [("nearly full", *WRITING[0])]


@pytest.mark.parametrize(("kind", "command", "said"), DISKS, ids=[f"{kind} {command[1]}" for kind, command, _ in DISKS])
def test_a_disk_that_takes_nothing(recorded: Path, kind: str, command: tuple[str, ...], said: str) -> None:
    """The kernel's own refusal, on a disk of its own: a line, exit 1, and everything as it was."""
    if not disk.is_possible():
        pytest.skip("this system lets nobody mount a disk of their own")
    code, out = run(recorded, "tests.disk", kind, str(recorded), *command, prefix=disk.ISOLATED)
    assert code == 0, out
    told = json.loads(out.splitlines()[-1])
    assert told["code"] == 1, told
    assert ("Read-only file system" if kind == "read-only" else "No space left on device") in told["said"]
    assert re.search(said, told["said"])
    assert "Traceback" not in told["said"]
    assert told["same"]
    assert told["beside"] == []
