"""The command line: `course COMMAND`, the same as `python -m course_build COMMAND`.

With --json a command prints one JSON object on standard output; everything for people goes to standard error.
Exit status: 0 all is well, 1 problems were found, 2 the command was called in a wrong way, 130 interrupted.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from course_build.cli import anchor, check, diff, explain, find, lock, new, params, record, show, status
from course_build.cli.terminal import PROBLEMS, USAGE, report
from course_build.errors import CourseError

app = typer.Typer(
    name="course",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Check, explain and lock the numbers of a course.\n\n"
    "With --json a command prints one JSON object on standard output; all else goes to standard error.\n\n"
    "Exit status: 0 all is well, 1 problems were found, 2 called in a wrong way, 130 interrupted.",
)
for module in (check, status, explain, diff, lock, show, find, record, params):
    app.command(module.__name__.rpartition(".")[2])(module.command)
app.add_typer(new.app, name="new")
app.add_typer(anchor.app, name="anchor")


@app.callback()
def course(
    context: typer.Context,
    project: Annotated[
        Path | None,
        typer.Option("--project", "-C", help="The course's folder; else the one with mkdocs.yml here or above."),
    ] = None,
) -> None:
    """Remember which course is meant; it is looked for when a command needs it."""
    context.obj = project


def main() -> None:
    """Run the command line; a user's mistake is one line for each, never a traceback."""
    try:
        app()
    except CourseError as error:
        report(error.problems)
        sys.exit(PROBLEMS)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # `course … --json | head`
        sys.stderr.close()
        sys.exit(USAGE)


if __name__ == "__main__":
    main()
