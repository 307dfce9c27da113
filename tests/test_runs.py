"""Recorded runs are read, compared with what they would be now, and refused when that differs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from course_build.errors import CourseError, Gravity, Problem
from course_build.evidence import Kind
from course_build.recording.keep import Made, keep
from course_build.recording.plans import all_plans, plan
from course_build.recording.runs import RunState, check_outcomes, lab_page, load_run, status
from tests.science import ROOT, project, small_recipe, write_recipe

TWO = {"one": small_recipe([1, 2], "stuck"), "other": small_recipe([1], "trains", lr=0.01)}
BANDS = {"kind": "bands", "title": "带", "why": "测试", "values": {"n": 4, "gain": 1.0, "first": 1, "seeds": 3}}


def log(gain: float = 0.0, diverged: bool = False) -> list[dict[str, Any]]:
    """Return what a training process of three steps emits."""
    readings = {
        "validation": 6.0 - gain,
        "rms": [0.5, 1.0],
        "act_grad": [2.0, 1.0],
        "block_grad": [3.0, 1.5],
        "gain": [1.0],
    }
    steps = [
        {
            "step": n,
            "loss": 5.0 - n,
            "floor": 6.0,
            "lr": 0.1,
            "grad": 1.0 + n,
            "rate": 100,
            **(readings if n == 0 else {}),
        }
        for n in range(3)
    ]
    last = {"step": 3, "loss": 1.5, "floor": 6.0, **readings}
    if diverged:
        steps[2]["loss"] = None
        last = {}
    end = {"params": 9, "V": 3, "characters": 5, "entropy": 1.0, "floor_validation": 6.0, "weights_sha256": "00"}
    return [*steps, *([last] if last else []), {"end": end}]


def store(root: Path, name: str, records: list[dict[str, Any]]) -> None:
    """Keep a run as if its process had given `records`."""
    keep(root, plan(root, name), Made(records, "2026-01-02T03:04:05+00:00", 9.87, {"machine": "test"}))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project with two recipes of three runs, all recorded, and a band that is not."""
    copied = project(tmp_path, {**TWO, "band": BANDS})
    for name in ("one-s1", "one-s2"):
        store(copied, name, log())
    store(copied, "other-s1", log(gain=1.0))
    return copied


def states(root: Path) -> dict[str, str]:
    """Return name -> state."""
    return {each.name: each.state for each in status(root)}


def edit(root: Path, recipe: str, **values: Any) -> None:
    """Change values of a recipe file."""
    path = root / f"experiments/configs/recipes/{recipe}.json"
    data = json.loads(path.read_text())
    write_recipe(root, recipe, data | {"values": data["values"] | values})


def test_a_run_is_fresh_as_long_as_nothing_changed(root: Path) -> None:
    """Every run that a recipe asks for has a state."""
    assert states(root) == {"band": "missing", "one-s1": "fresh", "one-s2": "fresh", "other-s1": "fresh"}


def test_one_changed_value_makes_exactly_its_runs_stale_and_is_named(root: Path) -> None:
    """Old and new value are both said."""
    edit(root, "one", lr=0.001)
    changed = {each.name: each.changed for each in status(root) if each.state == "stale"}
    assert changed == {"one-s1": "lr: 0.003 → 0.001", "one-s2": "lr: 0.003 → 0.001"}


def test_layout_and_words_make_nothing_stale(root: Path) -> None:
    """Key order, white space, number spelling, title, reason and expectation are not in the key."""
    path = root / "experiments/configs/recipes/one.json"
    data = json.loads(path.read_text())
    data["values"] = dict(reversed(data["values"].items())) | {"clip": 1}
    data |= {"title": "另一个", "why": "别的", "expect": "varies"}
    path.write_text(json.dumps(dict(reversed(data.items())), indent=7))
    assert "stale" not in states(root).values()


def test_a_comment_makes_nothing_stale_and_code_makes_every_training_run_stale(root: Path) -> None:
    """Docstrings and comments explain; statements compute. The recipe's schema computes nothing."""
    model = root / "experiments/model.py"
    text = model.read_text()
    model.write_text("# a comment\n" + text.replace("Two sublayers", "Both sublayers"))
    schema = root / "experiments/recipe.py"
    schema.write_text(schema.read_text().replace("Range(8, 4096)", "Range(4, 4096)"))
    assert "stale" not in states(root).values()
    model.write_text(text.replace("4 * d", "3 * d"))
    changed = {each.changed for each in status(root) if each.state == "stale"}
    assert changed == {"experiments/model.py changed"}
    assert list(states(root).values()).count("stale") == 3


def test_corpus_and_seed_and_library_are_in_the_key(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each change is named; a library that is not installed cannot contradict."""
    corpus = root / "experiments/configs/corpus.json"
    corpus.write_text(json.dumps(json.loads(corpus.read_text()) | {"file_sha256": "ab"}))
    assert '→ "ab"' in status(root)[1].changed
    corpus.unlink()
    with pytest.raises(CourseError, match="file not found"):
        status(root)


def test_another_torch_makes_runs_stale_and_none_at_all_does_not(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clone without torch builds from the recorded runs."""
    monkeypatch.setattr("course_build.recording.code.version", lambda name: None)
    assert "stale" not in states(root).values()
    monkeypatch.setattr("course_build.recording.code.version", lambda name: "9.9")
    assert status(root)[1].changed.endswith('→ "9.9"')


def test_a_stale_run_is_a_draft_problem_and_still_readable(root: Path) -> None:
    """The ledger marks it; it is never silently used."""
    edit(root, "one", d=64)
    run = load_run(root, "one-s1")
    expected = "run one-s1 is stale (d: 32 → 64): course record one-s1"
    assert run.problem == Problem("experiments/configs/recipes/one.json", 0, expected, Gravity.DRAFT)
    assert run.state == "stale"
    assert run.read("/summary/final_loss") == 4.0


def test_a_run_never_recorded_has_no_value(root: Path) -> None:
    """Reading it raises the same problem that the run carries."""
    run = load_run(root, "band")
    assert (run.state, run.kind) == ("missing", Kind.SIMULATED)
    with pytest.raises(CourseError, match="run band was never recorded: course record band"):
        run.read("/summary/n")


def test_an_unknown_run_names_the_nearest(root: Path) -> None:
    """A misspelt name and a seed that the recipe does not ask for."""
    with pytest.raises(CourseError, match="no recipe gives a run 'ohter-s1'; nearest: other-s1"):
        load_run(root, "ohter-s1")
    with pytest.raises(CourseError, match=r"no recipe gives a run 'one-s3'; nearest: one-s[12]"):
        load_run(root, "one-s3")


def test_series_and_marks_come_from_the_log(root: Path) -> None:
    """A series has every trained step, marks those with all readings; members by pointer."""
    run = load_run(root, "one-s1")
    assert run.kind is Kind.MEASURED
    assert run.read("/series/loss") == [5.0, 4.0, 3.0]
    assert run.read("/series/grad/2") == 3.0
    assert run.read("/marks/step") == [0, 3]
    assert run.read("/marks/rms/1") == [0.5, 1.0]
    assert (run.read("/date"), run.read("/seconds"), run.read("/values/steps")) == ("2026-01-02", 9.9, 12)
    with pytest.raises(CourseError, match=r"/series/los: the log has no 'los'; nearest: loss"):
        run.read("/series/los")


def test_summary_says_what_the_log_says(root: Path) -> None:
    """Means, medians, the gain on the same characters, start and end."""
    summary = load_run(root, "other-s1").read("/summary")
    expected = {"outcome": "trains", "gain": 1.0, "final_loss": 4.0, "final_floor": 6.0, "diverged_at": None,
                "grad_max": 3.0, "grad_median": 2.0, "rate": 100, "validation": 5.0}  # fmt: skip
    assert expected == {key: summary[key] for key in expected}
    assert (summary["start"]["block_ratio"], summary["end"]["loss"]) == (2.0, 1.5)


def test_divergence_is_an_outcome(root: Path) -> None:
    """The step is said, what does not exist is null, the series ends before it."""
    store(root, "one-s1", log(diverged=True))
    run = load_run(root, "one-s1")
    found = {key: run.read(f"/summary/{key}") for key in ("outcome", "diverged_at", "final_loss", "gain")}
    assert found == {"outcome": "diverged", "diverged_at": 2, "final_loss": None, "gain": None}
    assert run.read("/series/loss") == [5.0, 4.0]


def test_a_log_that_was_touched_is_not_used(root: Path) -> None:
    """One changed digit in the log, or no log at all, is a problem with the way out."""
    path = root / "experiments/runs/one-s1/log.jsonl"
    path.write_text(path.read_text().replace("5.0", "4.9"))
    with pytest.raises(CourseError, match="is not the log that was recorded: course record one-s1"):
        load_run(root, "one-s1").read("/series/loss")
    path.unlink()
    state = next(each for each in status(root) if each.name == "one-s1")
    assert state.state == "missing"
    assert "log.jsonl: file not found" in str(state.problem)


def test_outcomes_are_held_against_the_recipes(root: Path) -> None:
    """A run that did not end as its recipe says is a problem at the recipe's line."""
    assert check_outcomes(root) == []
    store(root, "one-s2", log(gain=0.5))
    [problem] = check_outcomes(root)
    assert problem.path == "experiments/configs/recipes/one.json"
    assert problem.line == 4
    assert problem.text == "/expect: run one-s2 gave 'trains', the recipe expects 'stuck'"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"lr": "0.1"}, '/values/lr: is "0.1", a number is expected'),
        ({"norm": "rmsnrom"}, "one of rmsnorm, layernorm, zero_centered is expected; nearest: rmsnorm"),
        ({"warm_up": 3}, "/values/warm_up: unknown key; nearest: warmup"),
        ({"heads": 5}, "d = 32 is not a multiple of heads = 5"),
        ({"steps": 0}, "/values/steps: is 0, at least 1 is expected"),
    ],
)
def test_a_malformed_recipe_is_one_line(root: Path, change: dict[str, Any], says: str) -> None:
    """File, key, what was seen, what would be right."""
    edit(root, "one", **change)
    with pytest.raises(CourseError) as error:
        status(root)
    assert says in str(error.value)
    assert "recipes/one.json:" in str(error.value)


def test_all_malformed_recipes_are_reported_at_once(root: Path) -> None:
    """Two faults in one recipe and one in another: three problems."""
    edit(root, "one", lr=-1, d="x")
    edit(root, "other", tied=1)
    with pytest.raises(CourseError) as error:
        all_plans(root)
    assert len(error.value.problems) == 3


def test_a_lab_page_is_shown_as_recorded(root: Path) -> None:
    """Missing, fresh, touched and stale pages; the data file that the page names is in its key."""
    folder = root / "docs/c9/01-thing"
    folder.mkdir(parents=True)
    (folder / "toy.json").write_text('{"a": 1}')
    (folder / "lab.py").write_text('# %%\nopen("docs/c9/01-thing/toy.json")\n')
    assert isinstance(lab_page(root, "c9/01-thing"), Problem)
    store(root, "lab-thing", [{"cell": 0, "output": "1\n"}, {"page": "<div>1</div>\n"}, {"end": {"cells": 1}}])
    assert lab_page(root, "c9/01-thing") == "<div>1</div>\n"
    (folder / "toy.json").write_text('{ "a": 2 }')
    assert "docs/c9/01-thing/toy.json" in str(lab_page(root, "c9/01-thing"))
    (folder / "toy.json").write_text('{ "a": 1 }')
    (root / "experiments/runs/lab-thing/page.html").write_text("<div>2</div>")
    assert "is not what was recorded" in str(lab_page(root, "c9/01-thing"))


def test_reading_runs_imports_no_torch() -> None:
    """Nor what executes notebooks: a build must not pay for what recording needs."""
    code = (
        "import sys; from pathlib import Path; from course_build.recording.runs import status, load_run\n"
        "from course_build.recording import record\n"
        "status(Path('.'))\n"
        "print(sorted({'torch', 'numpy', 'nbconvert', 'jupytext', 'rich', 'distributed'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_committed_runs_are_fresh_and_end_as_their_recipes_expect() -> None:
    """What the pages show is what the recipes say; the benchmark and the lab page too."""
    assert [each for each in status(ROOT) if each.state != "fresh"] == []
    assert check_outcomes(ROOT) == []


def test_committed_summaries_follow_from_their_logs() -> None:
    """A summary edited by hand is found: it is computed again from log and end."""
    from course_build.files.source import load
    from course_build.recording.summary import training

    thresholds = load("experiments/configs/outcomes.json", ROOT).read("", dict)
    plans = [each for each in all_plans(ROOT) if each.kind == "training"]
    assert plans
    for each in plans:
        run = json.loads((ROOT / f"experiments/runs/{each.name}/run.json").read_text())
        lines = (ROOT / f"experiments/runs/{each.name}/log.jsonl").read_text().splitlines()
        end = {
            key: run["summary"][key]
            for key in ("params", "V", "characters", "entropy", "floor_validation", "weights_sha256")
        }
        assert run["summary"] == training([json.loads(line) for line in lines], end, thresholds), each.name


def test_states_are_what_the_command_line_prints() -> None:
    """A state says its changes in words."""
    assert RunState("a-s1", 1, "fresh").changed == ""
