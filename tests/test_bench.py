"""The operator benchmark times what it says, fairly, and its summary follows from its log."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial

import pytest
import torch

from course_build.recording.summary import bench, spread
from experiments import bench as operators
from experiments import norms
from tests.science import ROOT

EPS = 0.1  # large, so that a misplaced eps shows


def test_all_rmsnorms_are_the_same_function() -> None:
    """torch's, by hand and plain Python agree, eps included."""
    x = torch.tensor([[1.0, 2.0, 3.0, 6.0]], dtype=torch.float64)
    gain, bias = torch.tensor([1.0, -2.0, 0.5, 3.0], dtype=torch.float64), torch.zeros(4, dtype=torch.float64)
    expected = norms.rms_norm(x[0].tolist(), EPS, gain.tolist())
    for norm in (operators.rmsnorm, operators.by_hand):
        assert expected == pytest.approx(norm(x, gain, bias, EPS)[0].tolist(), rel=1e-12)
    layer = norms.layer_norm(x[0].tolist(), EPS, gain.tolist())
    assert layer == pytest.approx(operators.layernorm(x, gain, bias, EPS)[0].tolist(), rel=1e-12)


def test_a_trial_runs_forward_and_backward(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradients for input and gain, and LayerNorm's bias; the copy copies."""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    calls = operators.trials([2, 3, 4], EPS, "cpu")
    assert list(calls) == ["layernorm", "rmsnorm", "by_hand", "copy"]
    for name, count in (("layernorm", 3), ("rmsnorm", 2), ("by_hand", 2)):
        gradients = calls[name]()
        assert isinstance(gradients, tuple)
        assert [tuple(each.shape) for each in gradients] == [(2, 3, 4), (4,), (4,)][:count]
        assert all(bool(each.abs().sum() > 0) for each in gradients)
    copied = calls["copy"]()
    assert isinstance(copied, torch.Tensor)
    assert copied.shape == (2, 3, 4)


def test_by_hand_is_compiled_only_where_a_compiler_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one the candidate is left out, not timed as something else."""
    monkeypatch.setattr(torch, "compile", lambda function: function)
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/g++" if name == "g++" else None)
    assert "by_hand_compiled" in operators.candidates()
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert "by_hand_compiled" not in operators.candidates()


def test_candidates_take_turns_and_each_comes_first_once() -> None:
    """Warm-up first; then every round has all, beginning one further."""
    seen: list[str] = []
    calls: dict[str, Callable[[], object]] = {name: partial(seen.append, name) for name in "abc"}
    found = list(operators.rounds(calls, 3, "cpu"))
    timed = seen[3 * operators.WARM_UP :]
    assert [timed[at : at + 3] for at in (0, 3, 6)] == [list("abc"), list("bca"), list("cab")]
    assert all(list(each) == list("abc") and min(each.values()) >= 0 for each in found)


def test_the_spread_is_minimum_quartiles_and_median() -> None:
    """Of 1 .. 5; a single value is all of them."""
    assert spread([5.0, 1.0, 4.0, 2.0, 3.0]) == {"min": 1.0, "q1": 2.0, "median": 3.0, "q3": 4.0}
    assert set(spread([2.0]).values()) == {2.0}


def test_the_limit_is_the_copy_scaled_to_what_a_norm_must_move() -> None:
    """A copy moves two tensors, a norm five."""
    log = [{"step": n, "device": "cpu", "rmsnorm": 9.0 + n, "copy": 2.0} for n in range(3)]
    summary = bench(log, {"moved": operators.MOVED, "devices": ["cpu"]})
    assert summary["cpu"]["limit"]["median"] == 5.0
    assert (summary["cpu"]["rmsnorm"]["median"], summary["rounds"]) == (10.0, 3)


@pytest.mark.slow
def test_the_benchmark_runs_as_a_process_and_compiles() -> None:
    """One line a device and round, then the end; positive times."""
    job = {"values": {"shape": [4, 8, 16], "repeats": 2, "threads": 1, "eps": 1e-6}}
    command = [sys.executable, "-m", "experiments.bench"]
    done = subprocess.run(command, cwd=ROOT, input=json.dumps(job), capture_output=True, text=True, check=True)
    *rounds, end = [json.loads(line) for line in done.stdout.splitlines()]
    assert end["end"]["devices"][0] == "cpu"
    assert len(rounds) == 2 * len(end["end"]["devices"])
    assert all(value > 0 for record in rounds for name, value in record.items() if name not in ("step", "device"))
