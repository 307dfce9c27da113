"""`course diff [REV]`: numbers old -> new with the inputs that moved, and the pages and claims they touch."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from course_build.cli.terminal import PROBLEMS, Answer, json_option, project, say
from course_build.errors import CourseError, Gravity, Problem, nearest

if TYPE_CHECKING:
    from course_build.facts.evaluate import Ledger
    from course_build.site.course import Course


@click.command()
@click.argument("revision", metavar="[REV]", required=False)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the Markdown into this file.")
@click.option("--suppose", multiple=True, metavar="FILE#/KEY=VALUE", help="What if an input had this value?")
@json_option
@click.pass_context
def command(
    context: click.Context, revision: str | None, output: Path | None, suppose: tuple[str, ...], as_json: bool
) -> None:
    """Compare all numbers with the lock or with a git revision's lock; prints Markdown for a review.

    With --suppose: compare with what would be if inputs had other values, before anybody edits them.
    """
    from course_build.facts import lock
    from course_build.files.writing import replace_file
    from course_build.site.reading import read_site

    root = project(context)
    with Answer(as_json) as answer:
        if revision and suppose:
            raise click.UsageError("give a revision or --suppose, not both")
        old = _at(root, revision) if revision else lock.read(root)
        if old is None and not suppose:
            raise CourseError(Problem(lock.LOCK, 0, "there is no lock to compare with: course lock"))
        course, _ = read_site(root)
        if suppose:
            old = lock.snapshot(course.ledger)
            course.ledger = supposed(course.ledger, suppose)
        assert old is not None, "refused above"
        against = f"what is, supposing {', '.join(suppose)}" if suppose else revision or lock.LOCK
        answer.data |= difference(course, old) | {"against": against}
        text = markdown(answer.data)
        if output:
            replace_file(output, text.encode(), str(output))
        elif not as_json:
            say(text.rstrip())
    if answer.data["failed"]:
        raise click.exceptions.Exit(PROBLEMS)


def _at(root: Path, revision: str) -> dict[str, Any]:
    """Return the lock of a git revision."""
    from course_build.facts import lock

    command = ["git", "-C", str(root), "show", f"{revision}:./{lock.LOCK}"]
    try:
        shown = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        raise CourseError(Problem("", 0, "git is not here, only the lock can be compared with")) from None
    if shown.returncode:
        why = shown.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise CourseError(Problem(lock.LOCK, 0, f"revision {revision} has none: {why}"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / lock.LOCK
        path.parent.mkdir(parents=True)
        path.write_bytes(shown.stdout)
        found = lock.read(Path(folder))
    assert found is not None, "the file was written a line before"
    return found


def supposed(ledger: Ledger, assignments: Iterable[str]) -> Ledger:
    """Return the ledger as it would be with `FILE#/KEY=VALUE`; the value is JSON, or a text as it stands.

    Raises:
        CourseError: no number reads such an input.
    """
    from course_build.facts.suppose import Suppose
    from course_build.files import strict_json

    suppose = Suppose(ledger)
    changes: dict[str, Any] = {}
    for text in assignments:
        where, _, value = text.partition("=")
        if not suppose.is_read(where):
            known = {leaf.where for record in ledger.records.values() for leaf in record.leaves}
            raise CourseError(Problem("", 0, f"--suppose {text}: no number reads {where!r}{nearest(where, known)}"))
        try:
            changes[where] = strict_json.parse(value)
        except strict_json.MalformedError:
            changes[where] = value
    other = suppose(changes)
    other.evaluate()
    return other


def difference(course: Course, old: Mapping[str, Any]) -> dict[str, Any]:
    """Return what moved between a lock and the course: inputs, numbers, claims, pages, facts that fail."""
    from course_build.facts import lock
    from course_build.facts.moves import moves

    found = moves(old, course.ledger)
    moved = {each.id for each in found}
    places = _places(course, moved)
    new_inputs = lock.snapshot(course.ledger)["inputs"]
    return {
        "inputs": [
            {"input": name, "old": old["inputs"].get(name), "new": new_inputs.get(name)}
            for name in sorted({*old["inputs"], *new_inputs})
            if old["inputs"].get(name) != new_inputs.get(name) and (name in new_inputs or not course.ledger.failed)
        ],
        "numbers": [each.data | {"pages": places.get(each.id, [])} for each in found],
        "claims": list(_claims(course, moved)),
        "pages": sorted({place.rpartition(":")[0] for found in places.values() for place in found}),
        "failed": [str(problem) for problem in course.ledger.problems if problem.gravity is Gravity.ERROR],
        "without": sorted(course.ledger.failed),
        "lost": [str(problem) for problem in course.lost],
    }


def _places(course: Course, ids: set[str]) -> dict[str, list[str]]:
    found: dict[str, dict[str, None]] = {}
    for page in course.pages.values():
        for use in (*page.uses, *page.drawn):
            if use.id in ids:
                found.setdefault(use.id, {})[f"{use.path}:{use.line}"] = None
    return {name: list(places) for name, places in found.items()}


def _claims(course: Course, moved: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the claims that name a number that moved, as they stand now."""
    from course_build.cli.find import claims_of

    for name in claims_of(course, moved):
        verdict = course.verdict(name)
        yield {
            "id": name,
            "title": course.ledger.claims[name].title,
            "true": verdict.true,
            "filled": verdict.filled,
        }


def markdown(data: Mapping[str, Any]) -> str:
    """Return the difference as Markdown."""
    lines = [f"## {len(data['numbers'])} numbers moved against {data['against']}", ""]
    if data["inputs"]:
        rows = ([f"`{each['input']}`", each["old"], each["new"]] for each in data["inputs"])
        lines += ["### Inputs", "", *_table(("input", "old", "new"), rows), ""]
    if data["numbers"]:
        rows = (
            [
                f"`{each['id']}`",
                each["old"] or "(new)",
                _new(each),
                "<br>".join(each["why"][:3]),
                "<br>".join(each["pages"]),
            ]
            for each in data["numbers"]
        )
        lines += ["### Numbers", "", *_table(("number", "old", "new", "because of", "shown in"), rows), ""]
    if data["claims"]:
        lines += ["### Claims touched", ""]
        lines += [
            f"- {'true' if each['true'] else '**FALSE**'} `{each['id']}` {each['title']}: {each['filled']}"
            for each in data["claims"]
        ]
        lines.append("")
    if data["pages"]:
        lines += ["### Pages touched", "", *(f"- {page}" for page in data["pages"]), ""]
    if data["failed"]:
        lines += ["### Facts that cannot be evaluated", "", *(f"- {each}" for each in data["failed"])]
        lines += [f"- without a value: {', '.join(data['without'])}"] if data["without"] else []
        lines.append("")
    if data["lost"]:
        lines += ["### Sentences that do not apply", "", *(f"- {each}" for each in data["lost"]), ""]
    return "\n".join(lines)


def _new(each: Mapping[str, Any]) -> str:
    if each["new"] is None:
        return "(gone)"
    return f"{each['new']} (within its rounding)" if each["new"] == each["old"] else str(each["new"])


def _table(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> list[str]:
    heads = list(heads)
    body = [[_cell(cell) for cell in row] for row in rows]
    return ["| " + " | ".join(row) + " |" for row in [heads, ["---"] * len(heads), *body]]


def _cell(value: Any) -> str:
    return ("—" if value is None else str(value)).replace("|", "\\|").replace("\n", " ")
