"""What one sees while runs are made: a bar with the remaining time for each, one line when one is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from course_build.recording.plans import Plan


class Bars:
    """One bar for all steps of all runs, and one for each run that is under way."""

    def __init__(self, console: Console, plans: Sequence[Plan]) -> None:
        columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
        self._progress = Progress(*columns, console=console, transient=True)
        self.console = self._progress.console
        self._all = self._progress.add_task("all", total=sum(map(steps_of, plans)))

    def __enter__(self) -> Bars:
        self._progress.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.__exit__(kind, error, trace)

    def seen(self, plan: Plan) -> Callable[[dict[str, Any]], None]:
        """Return what to call with every record of `plan`'s run."""
        task: list[TaskID] = []

        def step(record: dict[str, Any]) -> None:
            if not task:
                task.append(self._progress.add_task(plan.name, total=steps_of(plan)))
            if "step" in record:
                self._progress.advance(task[0])
                self._progress.advance(self._all)
            if "end" in record:
                self._progress.remove_task(task[0])

        return step


def steps_of(plan: Plan) -> int:
    """Return how many records the run will give on one device."""
    return int(plan.values.get("steps", plan.values.get("repeats", 0))) + 1
