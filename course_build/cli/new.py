"""`course new lesson c4/04-gating`: a folder that builds and passes at once."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

import click

from course_build.cli import skeleton
from course_build.cli.terminal import CONFIG, Answer, json_option, project, say
from course_build.errors import CourseError, Problem
from course_build.files.writing import replace_file

_PROMISE = re.compile(r"^/{3,}\s*promise\s*\|\s*(\S+)\s*\n\s+to:\s*[\"']?([\w/]+)", re.MULTILINE)
_NAME = re.compile(r"[a-z][a-z0-9]*/[0-9]{2}-[a-z][a-z0-9-]*")


@click.group()
def command() -> None:
    """Begin something new."""


@command.command()
@click.argument("name")
@click.option("--title", default="", help="Its title; else the name.")
@json_option
@click.pass_context
def lesson(context: click.Context, name: str, title: str, as_json: bool) -> None:
    """Make the folder of a lesson (NAME: chapter/number-name below docs, such as c4/04-gating).

    Page, facts, chart and data, and its entry in mkdocs.yml.
    """
    root = project(context)
    if not _NAME.fullmatch(name):
        raise click.UsageError(f"{name!r}: write chapter/number-name in lower-case ASCII, such as c4/04-gating")
    with Answer(as_json) as answer:
        folder = root / "docs" / name
        prefix = name.rpartition("/")[2].partition("-")[2].replace("-", "_")
        _refuse(root, folder, prefix)
        promised = _promised(root, name)
        files = skeleton.files(name, prefix, title or prefix, promised)
        _write(folder, files)
        listed = _list(root / CONFIG, name, title or prefix)
        answer.data |= {"folder": f"docs/{name}", "files": sorted(files), "nav": listed, "keeps": promised}
        if not as_json:
            say(f"docs/{name}: {', '.join(sorted(files))}")
            for each in promised:
                say(f"promise {each} was made for this lesson: index.md has a place to keep it")
            say(f"{CONFIG}: {'entered into nav' if listed else 'enter it into nav yourself'}")
            say("what each file may say, with a lesson written in ten minutes: docs/authoring.md")


def _refuse(root: Path, folder: Path, prefix: str) -> None:
    """Raise CourseError when the folder or the prefix is taken."""
    if folder.exists():
        raise CourseError(Problem(folder.relative_to(root).as_posix(), 0, "is there already, nothing was written"))
    for path in sorted((root / "docs").rglob("facts.py")):
        if re.search(rf"^prefix = [\"']{prefix}[\"']", path.read_text("utf-8", errors="replace"), re.MULTILINE):
            text = f"prefix {prefix!r} is taken by this lesson, give the new one another name"
            raise CourseError(Problem(path.relative_to(root).as_posix(), 0, text))


def _promised(root: Path, name: str) -> list[str]:
    """Return the promises that pages made for this lesson (c4/04 for c4/04-gating)."""
    lesson = name.partition("-")[0]
    texts = [path.read_text("utf-8", errors="replace") for path in sorted((root / "docs").rglob("*.md"))]
    return [each[1] for text in texts for each in _PROMISE.finditer(text) if each[2] == lesson]


def _write(folder: Path, files: dict[str, str]) -> None:
    """Write the folder beside its place and rename it: there is all of it, or nothing."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
        try:
            for name, text in files.items():
                (part / name).write_text(text, encoding="utf-8")
            part.chmod(0o755)
            part.rename(folder)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
    except OSError as error:
        raise CourseError(Problem(f"docs/{folder.name}", 0, f"cannot be written: {error.strerror}")) from None


def _list(config: Path, name: str, title: str) -> bool:
    """Enter the lesson into nav behind its chapter's last lesson; False when there is no place to see."""
    lines = config.read_text("utf-8").splitlines(keepends=True)
    begin = next((number for number, line in enumerate(lines) if line.rstrip() == "nav:"), None)
    if begin is None:
        return False
    end = next((n for n in range(begin + 1, len(lines)) if lines[n][:1] not in (" ", "-", "#", "\n")), len(lines))
    chapter = name.partition("/")[0]
    known = [n for n in range(begin, end) if re.search(rf":\s*{chapter}/\S+\.md\s*$", lines[n])]
    number = int(name.rpartition("/")[2].partition("-")[0])
    entry = f"- 第 {number} 课 · {title}: {name}/index.md\n"
    if known:
        at = known[-1] + 1
        indent = re.match(r"\s*", lines[known[-1]])
        added = [f"{indent[0] if indent else ''}{entry}"]
    else:
        lessons = [n for n in range(begin, end) if re.search(r":\s*[a-z][a-z0-9]*/[0-9]{2}-\S+\.md\s*$", lines[n])]
        first = next((line for line in lines[begin + 1 : end] if line.lstrip().startswith("- ")), "  - ")
        outer = first[: len(first) - len(first.lstrip())]
        at = lessons[-1] + 1 if lessons else begin + 2
        added = [f"{outer}- {chapter.upper()}:\n", f"{outer}    {entry}"]
    replace_file(config, "".join([*lines[:at], *added, *lines[at:]]).encode(), CONFIG)
    return True
