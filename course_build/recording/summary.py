"""What is said about a run as a whole, computed from its log and nothing else.

summarise(plan, log, end, thresholds)      the summary of run.json; end is the record of what is known once
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median, quantiles
from typing import Any

from course_build.recording.plans import Plan

Record = dict[str, Any]
TAIL = 20  # steps whose mean is the final loss
READINGS = ("loss", "validation", "rms", "act_grad", "block_grad", "gain")


def summarise(plan: Plan, log: Sequence[Record], end: Record, thresholds: dict[str, float]) -> Record:
    """Return the summary of a run of `plan`'s kind."""
    if plan.kind == "training":
        return training(log, end, thresholds)
    if plan.kind == "bench":
        return bench(log, end)
    return dict(end)


def training(log: Sequence[Record], end: Record, thresholds: dict[str, float]) -> Record:
    """Return a training run's summary.

    gain = floor_validation - validation: nats by which the model beats the unigram frequencies on the same
    characters. final_loss and final_floor are means over the last 20 steps, of model and unigram. Gradient
    norms are those before clipping. start is step 0, end is after the last update.
    """
    steps = [record for record in log if "lr" in record]
    diverged = next((record["step"] for record in log if record["loss"] is None), None)
    tail = steps[-TAIL:] if diverged is None else []
    norms = [record["grad"] for record in steps if record["grad"] is not None]
    rates = [record["rate"] for record in steps if "rate" in record]
    last = log[-1] if diverged is None else {}
    gain = _difference(end["floor_validation"], last.get("validation"))
    return {
        "outcome": outcome(gain, diverged, thresholds),
        "diverged_at": diverged,
        "final_loss": _rounded(fmean(record["loss"] for record in tail)) if tail else None,
        "final_floor": _rounded(fmean(record["floor"] for record in tail)) if tail else None,
        "validation": last.get("validation"),
        "gain": gain,
        "rate": median(rates) if rates else None,
        "grad_median": median(norms) if norms else None,
        "grad_max": max(norms, default=None),
        "start": _readings(log[0]),
        "end": _readings(last),
        **end,
    }


def outcome(gain: float | None, diverged: int | None, thresholds: dict[str, float]) -> str:
    """Return trains, stuck or between by the gain over unigram; diverged when the loss was not finite."""
    if diverged is not None or gain is None:
        return "diverged"
    if gain > thresholds["trains"]:
        return "trains"
    return "stuck" if gain < thresholds["stuck"] else "between"


def bench(log: Sequence[Record], end: Record) -> Record:
    """Return median and quartiles in ms of every candidate on every device, and the limit memory sets.

    limit: the copy's times scaled from the tensors a copy moves to those that a norm must move.
    """
    moved = end["moved"]["norm"] / end["moved"]["copy"]
    summary: Record = {"moved": end["moved"], "devices": end["devices"], "rounds": 0}
    for device in end["devices"]:
        rounds = [record for record in log if record["device"] == device]
        names = [name for name in rounds[0] if name not in ("step", "device")]
        times = {name: [record[name] for record in rounds] for name in names}
        rows = {name: spread(values) for name, values in times.items()}
        rows["limit"] = spread([value * moved for value in times["copy"]])
        summary[device] = rows
        summary["rounds"] = len(rounds)
    return summary


def spread(values: Sequence[float]) -> Record:
    """Return minimum, quartiles and median."""
    low, middle, high = quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    points = {"min": min(values), "q1": low, "median": middle, "q3": high}
    return {name: _rounded(value, 4) for name, value in points.items()}


def _readings(record: Record) -> Record:
    found = {name: record[name] for name in READINGS if name in record}
    blocks = found.get("block_grad")
    if blocks and blocks[0] is not None and blocks[-1]:
        found["block_ratio"] = _rounded(blocks[0] / blocks[-1], 5)  # the lowest block's over the topmost's
    return found


def _difference(floor: float, loss: float | None) -> float | None:
    return None if loss is None else _rounded(floor - loss, 6)


def _rounded(value: float, digits: int = 7) -> float:
    return float(f"{value:.{digits}g}")
