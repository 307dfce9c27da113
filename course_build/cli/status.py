"""`course status`: which recorded runs are fresh, stale or missing, and what changed."""

from __future__ import annotations

import click

from course_build.cli.terminal import PROBLEMS, Answer, json_option, project, say, table


@click.command()
@json_option
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List the recorded runs; a stale one names each value that changed. Exit 1 when one is not fresh."""
    from course_build.recording.runs import status

    root = project(context)
    with Answer(as_json) as answer:
        states = status(root)
        answer.data["runs"] = [
            {
                "name": each.name,
                "seed": each.seed,
                "state": each.state,
                "changes": [{"what": c.what, "old": c.old, "new": c.new} for c in each.changes],
                "problem": str(each.problem) if each.problem else None,
            }
            for each in states
        ]
        answer.problems.extend(each.problem for each in states if each.problem)
        old = [each for each in states if each.state != "fresh"]
        if not as_json:
            if old:
                table(("run", "state", "changed"), [(each.name, each.state, each.changed) for each in old])
            say(f"{len(states) - len(old)} of {len(states)} runs are fresh")
            if old:
                say("`course record --stale` records the others")
    if old:
        raise click.exceptions.Exit(PROBLEMS)
