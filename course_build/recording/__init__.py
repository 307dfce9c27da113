"""Recorded runs: what each is made of (plans), how it is made (processes), what is kept of it (summaries).

    record(names, ...)      make runs and store them below experiments/runs

Importing this package costs nothing: the machinery is imported when something is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def record(
    names: Sequence[str],
    *,
    stale: bool = False,
    all: bool = False,
    preset: str | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    root: Path,
) -> int:
    """Record runs by name (a recipe stands for all its seeds), or whatever is stale or missing, or all.

    Args:
        names: runs or recipes.
        stale: also every run that is stale or missing.
        all: also every run.
        preset: name in experiments/configs/presets.json; its runs go to .cache/runs/<preset>.
        jobs: training runs at a time; a benchmark always runs alone.
        scheduler: address of a Dask scheduler that runs the training instead.
        root: the project.

    Returns:
        The exit status: 0 when everything asked for was stored, 1 when a run failed or was discarded,
        130 after Ctrl-C.

    Raises:
        CourseError: unknown name or preset, a recipe that is not well-formed, a corpus that is absent.
    """
    from course_build.recording.session import Session, choose

    plans = choose(root, names, stale=stale, all=all, preset=preset)
    return Session(root, preset, jobs, scheduler).run(plans)
