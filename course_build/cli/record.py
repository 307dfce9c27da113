"""`course record`: train, measure or execute what the recorded runs come from, and store it."""

from __future__ import annotations

import click

from course_build.cli.terminal import project


@click.command()
@click.argument("names", nargs=-1)
@click.option("--stale", is_flag=True, help="Also every run that is stale or missing.")
@click.option("--all", "everything", is_flag=True, help="Every run.")
@click.option("--preset", help="Sizes from presets.json; stored in .cache/runs.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Training runs at a time.")
@click.option("--scheduler", help="Address of a Dask scheduler.")
@click.pass_context
def command(
    context: click.Context,
    names: tuple[str, ...],
    stale: bool,
    everything: bool,
    preset: str | None,
    jobs: int,
    scheduler: str | None,
) -> None:
    """Record runs (or recipes: all their seeds) and store them below experiments/runs.

    What was recorded before stays until the new run is whole.
    """
    from course_build.recording import record

    if not (names or stale or everything):
        raise click.UsageError("name runs or recipes, or give --stale or --all")
    root = project(context)
    code = record(names, stale=stale, all=everything, preset=preset, jobs=jobs, scheduler=scheduler, root=root)
    raise click.exceptions.Exit(code)
