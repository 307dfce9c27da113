"""`course record`: train, measure or execute what the recorded runs come from, and store it."""

from __future__ import annotations

from typing import Annotated

import typer

from course_build.cli.terminal import project


def command(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(help="Runs, or recipes for all their seeds.")] = None,
    stale: Annotated[bool, typer.Option("--stale", help="Also every run that is stale or missing.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Every run.")] = False,
    preset: Annotated[str | None, typer.Option(help="Sizes from presets.json; stored in .cache/runs.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Training runs at a time.")] = 1,
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")] = None,
) -> None:
    """Record runs and store them below experiments/runs; what was there stays until the new one is whole."""
    from course_build.recording import record

    if not (names or stale or everything):
        raise typer.BadParameter("name runs or recipes, or give --stale or --all")
    root = project(context)
    code = record(names or [], stale=stale, all=everything, preset=preset, jobs=jobs, scheduler=scheduler, root=root)
    raise typer.Exit(code)
