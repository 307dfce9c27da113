"""One recording from the command line: choose the runs, make them, store what still holds, say so.

choose(root, names, ...)    the plans asked for
Session(...).run(plans)     make and store them; the exit status
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from course_build.errors import CourseError, Problem, nearest
from course_build.files.source import load
from course_build.recording import cluster, corpus
from course_build.recording.keep import Made, folder_of, keep, key_of, thresholds
from course_build.recording.machine import environment
from course_build.recording.plans import KINDS, PRESETS, RECIPES, Plan, all_plans, plan
from course_build.recording.process import FailedRunError, InterruptedRunError, Processes
from course_build.recording.progress import Bars
from course_build.recording.runs import RunState, changes_between, state_of

CHECKPOINTS = ".cache/checkpoints"
Outcome = Made | BaseException


def choose(
    root: Path, names: Sequence[str], *, stale: bool = False, all: bool = False, preset: str | None = None
) -> list[Plan]:
    """Return the plans that the command line asks for, each once, benchmarks last.

    Raises:
        CourseError: unknown run, recipe or preset, each with the nearest name; a malformed recipe.
    """
    if preset is not None:
        load(PRESETS, root).read(f"/{preset}", dict)
    plans = all_plans(root, preset)
    known = {each.name for each in plans} | {each.recipe for each in plans}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise CourseError(Problem(RECIPES, 0, f"no run or recipe {name!r}{nearest(name, known)}") for name in unknown)
    if preset is not None:
        plans = [each for each in plans if each.kind != "lab"]  # a page has no preset

    def asked(each: Plan) -> bool:
        named = each.name in names or each.recipe in names
        return all or named or (stale and state_of(root, each).state != "fresh")

    return sorted(filter(asked, plans), key=lambda each: (each.kind == "bench", each.kind == "lab", each.name))


@dataclass
class Session:
    """One recording; `run` may be called once."""

    root: Path
    preset: str | None = None
    jobs: int = 1
    scheduler: str | None = None

    def __post_init__(self) -> None:
        self.processes = Processes()
        self.console = Console(stderr=True, highlight=False)
        self.failures = 0

    def run(self, plans: Sequence[Plan]) -> int:
        """Make and store `plans`; 0 all stored, 1 something failed or was discarded, 130 interrupted."""
        if not plans:
            self.console.print("every recorded run is fresh")
            return 0
        job_of = self._jobs(plans)
        for each in plans:
            self.console.print(f"{each.name}: {self._why(state_of(self.root, each))}")
        try:
            with Bars(self.console, plans) as bars:
                for each, outcome in self._make(plans, job_of, bars):
                    bars.console.print(self._stored(each, outcome))
        except KeyboardInterrupt:
            self.console.print("interrupted; the same command goes on from the checkpoints")
            return 130
        return 1 if self.failures else 0

    def _why(self, state: RunState) -> str:
        """Return why a run is made."""
        if self.preset is not None:
            return f"preset {self.preset}"
        reasons = {"fresh": "asked for", "stale": f"stale ({state.changed})", "missing": "never recorded"}
        return str(state.problem) if state.problem else reasons[state.state]

    def _jobs(self, plans: Sequence[Plan]) -> dict[str, dict[str, Any]]:
        """Return what each process is told; the corpus is fetched once, before anything starts."""
        where = corpus.ensure(self.root) if any(KINDS[each.kind].corpus for each in plans) else {}
        thresholds(self.root)  # a fault in them is told now, not when the runs are done
        jobs = {}
        for each in plans:
            job: dict[str, Any] = {"values": each.values, "seed": each.seed, "path": each.path, "threads": 1}
            if KINDS[each.kind].corpus:
                kept = self.root / CHECKPOINTS / f"{key_of(each)[:32]}.pt"
                job |= {"corpus": where, "checkpoint": str(kept)}
            jobs[each.name] = job
        return jobs

    def _make(self, plans: Sequence[Plan], jobs: dict[str, Any], bars: Bars) -> Iterator[tuple[Plan, Outcome]]:
        """Yield every plan with what came of it: training in parallel or on a cluster, the rest alone."""
        training = [each for each in plans if each.kind == "training"]
        others = [each for each in plans if each.kind != "training"]
        if self.scheduler and training:
            yield from cluster.make(self.scheduler, self.root, training, jobs)
        else:
            yield from self._local(training, jobs, bars, self.jobs)
        yield from self._local(others, jobs, bars, 1)

    def _local(
        self, plans: Sequence[Plan], jobs: dict[str, Any], bars: Bars, workers: int
    ) -> Iterator[tuple[Plan, Outcome]]:
        """Run up to `workers` processes at a time; Ctrl-C waits until each has kept its checkpoint."""
        with ThreadPoolExecutor(max(1, workers)) as pool:
            futures = {pool.submit(self._one, each, jobs[each.name], bars.seen(each)): each for each in plans}
            try:
                for future in _finished(futures):
                    yield futures[future], future.exception() or future.result()
            except BaseException:
                self.processes.interrupt()
                pool.shutdown(cancel_futures=True)
                raise

    def _one(self, each: Plan, job: dict[str, Any], seen: Callable[[dict[str, Any]], None]) -> Made:
        """Run one process to its end."""
        place = environment()  # the load before this run adds to it
        date = datetime.now(UTC).isoformat(timespec="seconds")
        start = time.monotonic()
        records = self.processes.run(KINDS[each.kind].module, job, self.root, seen)
        return Made(records, date, time.monotonic() - start, place)

    def _stored(self, each: Plan, outcome: Outcome) -> str:
        """Store a result if its plan still is what it was; return the line that says what happened."""
        if isinstance(outcome, InterruptedRunError | KeyboardInterrupt):
            raise KeyboardInterrupt
        if isinstance(outcome, FailedRunError | CourseError):
            self.failures += 1
            return f"[red]failed[/] {each.name}: {outcome}"
        if isinstance(outcome, BaseException):
            raise outcome
        if edited := self._edited(each):
            self.failures += 1
            return f"[yellow]discarded[/] {each.name}: edited while it ran ({edited}); record it again"
        try:
            summary = keep(self.root, each, outcome)
        except CourseError as error:
            self.failures += 1
            return f"[red]not stored[/] {each.name}: {error}; the same command goes on from the checkpoint"
        (self.root / CHECKPOINTS / f"{key_of(each)[:32]}.pt").unlink(missing_ok=True)
        shown = folder_of(self.root, each).relative_to(self.root).as_posix()
        return f"[green]stored[/] {shown}: {_verdict(summary)}{outcome.seconds:.0f} s"

    def _edited(self, each: Plan) -> str:
        """Return what has changed since the run's plan was made."""
        try:
            now = plan(self.root, each.name, self.preset)
        except CourseError as error:
            return str(error.problems[0])
        return "; ".join(map(str, changes_between(each.parts, now.parts)))


def _finished(futures: dict[Future[Made], Plan]) -> Iterator[Future[Made]]:
    """Yield futures as they finish; the short waits let Ctrl-C through."""
    waiting = set(futures)
    while waiting:
        done, waiting = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
        yield from done


def _verdict(summary: dict[str, Any]) -> str:
    if "outcome" not in summary:
        return ""
    if summary["diverged_at"] is not None:
        return f"diverged at step {summary['diverged_at']}, "
    return f"{summary['outcome']} (gain {summary['gain']:+.3f}), "
