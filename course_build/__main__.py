"""The command line: `course COMMAND`, the same as `python -m course_build COMMAND`.

With --json a command prints one JSON object on standard output; everything for people goes to standard error.
Exit status: 0 all is well, 1 problems were found, 2 the command was called in a wrong way, 130 interrupted.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from course_build.cli import anchor, check, diff, explain, find, lock, new, params, record, show, status
from course_build.cli.terminal import INTERRUPTED, PROBLEMS, report
from course_build.errors import CourseError


@click.group(no_args_is_help=True)
@click.option(
    "--project",
    "-C",
    type=click.Path(path_type=Path),
    help="The course's folder; else the one with mkdocs.yml here or above.",
)
@click.pass_context
def course(context: click.Context, project: Path | None) -> None:
    """Check, explain and lock the numbers of a course.

    With --json a command prints one JSON object on standard output; all else goes to standard error.

    Exit status: 0 all is well, 1 problems were found, 2 called in a wrong way, 130 interrupted.
    """
    context.obj = project


for module in (check, status, explain, diff, lock, show, find, record, new, params, anchor):
    course.add_command(module.command, module.__name__.rpartition(".")[2])


def main() -> None:
    """Run the command line; a user's mistake is one line for each, never a traceback."""
    try:
        code = course(prog_name="course", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except CourseError as error:
        report(error.problems)
        code = PROBLEMS
    except (KeyboardInterrupt, click.Abort):
        code = INTERRUPTED
    sys.exit(code or 0)


if __name__ == "__main__":
    main()
