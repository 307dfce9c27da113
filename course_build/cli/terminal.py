"""What the commands share: the project's folder, JSON on standard output, everything else on standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from course_build.errors import CourseError, Gravity, Problem, printable

if TYPE_CHECKING:
    from rich.console import Console

PROBLEMS, USAGE, INTERRUPTED = 1, 2, 130
CONFIG = "mkdocs.yml"

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")


def project(context: click.Context) -> Path:
    """Return the course's folder: --project, or the nearest one with mkdocs.yml from here upwards."""
    given = context.find_root().obj
    here = (given or Path.cwd()).resolve()
    for folder in [here] if given else [here, *here.parents]:
        if os.path.lexists(folder / CONFIG):
            return folder
    where = "in this folder" if given else "here or above"
    raise click.UsageError(f"no {CONFIG} {where} ({here}); --project names the course's folder")


@cache
def console() -> Console:
    """Return the terminal for people: standard error; wide when nobody's window limits it."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True, width=None if sys.stderr.isatty() else 200)


def say(text: str = "", style: str = "") -> None:
    """Print a line for people."""
    text = "\n".join(map(printable, text.split("\n")))
    if sys.stderr.isatty():
        console().print(text, style=style or None, markup=False)
    else:
        print(text, file=sys.stderr)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> None:
    """Print a table for people; `right` are the columns aligned to the right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for index, head in enumerate(heads):
        shown.add_column(head, justify="right" if index in tuple(right) else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(Text(printable(cell)) for cell in row))
    console().print(shown)


def emit(data: Any) -> None:
    """Print one JSON value on standard output."""
    try:
        print(json.dumps(data, ensure_ascii=False, indent=1), flush=True)
    except OSError as error:  # a closed pipe, a full disk
        with suppress(OSError):
            sys.stdout.close()
        raise click.ClickException(f"cannot write the answer: {error.strerror}") from None


def report(problems: Iterable[Problem]) -> None:
    """Print problems for people, one line each."""
    for each in problems:
        say(str(each), "red" if each.gravity is Gravity.ERROR else "yellow")


def as_data(problem: Problem) -> dict[str, Any]:
    """Return a problem for JSON."""
    told = {"path": problem.path, "line": problem.line, "text": problem.text, "gravity": problem.gravity.value}
    return told | ({"needed_by": problem.needed_by} if problem.needed_by else {})


class Answer:
    """The one JSON object of a command; problems end it with exit status 1, in words or as JSON.

    with Answer(as_json) as answer:
        answer.data["total"] = 3          # printed at the end of the block when --json was given
        answer.problems.append(problem)   # printed too; the exit status is 1
    """

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self.data: dict[str, Any] = {}
        self.problems: list[Problem] = []

    def __enter__(self) -> Answer:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if error is not None and not isinstance(error, CourseError):
            return False
        if error is not None:
            self.problems.extend(error.problems)
        if self.as_json:
            emit(self.data | {"problems": [as_data(each) for each in self.problems]})
        report(self.problems)
        if self.problems:
            raise click.exceptions.Exit(PROBLEMS)
        return True
