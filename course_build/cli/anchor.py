"""`course anchor add FILE`: bring another model's config in as the course's anchor."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import click

from course_build.cli.terminal import Answer, json_option, project, say
from course_build.errors import CourseError, Problem
from course_build.files.writing import replace_file

ANCHOR = "experiments/configs/anchor-model.json"
ORIGIN = "experiments/configs/anchor-model.origin.json"


@click.group()
def command() -> None:
    """Choose the model that the course counts with."""


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--source", default="", help="Where it is from: address, or repository and revision.")
@json_option
@click.pass_context
def add(context: click.Context, file: Path, source: str, as_json: bool) -> None:
    """Put a config, byte for byte, in the anchor's place; note its sha256 and source beside it.

    Refused, with the old anchor untouched, when its parameters cannot be counted.
    """
    from course_build.files.source import load
    from course_build.files.textfile import read_bytes
    from course_build.params import inventory

    root = project(context)
    with Answer(as_json) as answer:
        new = load(file, Path.cwd())
        model = inventory(new)
        raw = read_bytes(Path.cwd() / file, new.path)
        if hashlib.sha256(raw).hexdigest() != new.digest:
            raise CourseError(Problem(new.path, 0, "changed while it was read, try again"))
        origin = {"file": file.name, "sha256": new.digest, "source": source}
        replace_file(root / ORIGIN, (json.dumps(origin, ensure_ascii=False, indent=2) + "\n").encode(), ORIGIN)
        replace_file(root / ANCHOR, raw, ANCHOR)
        answer.data |= {"anchor": ANCHOR, "family": model.family, "total": model.total, **origin}
        if not as_json:
            say(f"{ANCHOR}: {model.family}, {model.total:,} parameters, sha256 {new.digest}")
            say("`course diff` shows what moves, `course check` which sentences do not hold for it")


def origin_problem(root: Path) -> Problem | None:
    """Return a notice when the anchor is no longer the file that was added."""
    from course_build.errors import Gravity
    from course_build.files.source import load
    from course_build.files.textfile import is_there

    if not is_there(root / ORIGIN) or not is_there(root / ANCHOR):
        return None
    origin = load(ORIGIN, root)
    noted, now = origin.read("/sha256", str), load(ANCHOR, root).digest
    if noted == now:
        return None
    text = f"is not {origin.read('/file', str)} as it was added (sha256 {now[:12]}…, noted {noted[:12]}…)"
    return Problem(ANCHOR, 0, f"{text}: course anchor add FILE", Gravity.NOTICE)
