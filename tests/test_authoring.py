"""The author's reference is true: its lesson builds, its examples give what they say, and nothing is left out."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

from course_build import figures, ledger
from course_build.evidence import Kind
from course_build.expr.claims import evaluate_claim, typed_tolerances
from course_build.expr.parser import FUNCTIONS
from course_build.facts import how
from course_build.facts.lint import ALLOWED
from course_build.facts.record import show
from course_build.figures import CONTROLS, INKS
from course_build.markdown.blocks import STOCK
from course_build.markdown.constructs import CONSTRUCTS
from course_build.markdown.constructs.generated import WHOLE_COURSE
from course_build.numerals import course_words
from course_build.site.course import Course
from course_build.value import _SPEC, format_number
from tests.command import course
from tests.small import BUILD, run, small_course

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs/authoring.md").read_text(encoding="utf-8")
NAME = "c5/01-temperature"
FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fenced(name: str) -> str:
    """Return the fenced text that is marked with a file's name, or with a word."""
    found = [text for _, marked, text in FENCE.findall(TEXT) if marked == name]
    assert len(found) == 1, name
    return str(found[0])


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the first table below a heading, without the head; backticks are taken off."""
    part = TEXT[TEXT.index(f"{heading}\n") :]
    lines = part[part.index("\n|") + 1 :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip().strip("`") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small course in which somebody followed the ten minutes."""
    folder = small_course(tmp_path_factory.mktemp("course"))
    made = course(folder, "new", "lesson", NAME, "--title", "温度")
    assert made.code == 0, made.err
    assert "docs/authoring.md" in made.err + made.out
    (folder / "docs" / NAME / "example.json").unlink()
    for path in re.findall(r"^```\w+ ((?:docs|experiments)/\S+)$", TEXT, re.MULTILINE):
        if not path.endswith(".yml"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(fenced(path), encoding="utf-8")
    locked = course(folder, "lock")
    assert locked.code == 0, locked.err
    return folder


def test_the_lesson_passes_and_builds(lesson: Path) -> None:
    """What the document says to write is complete and without a fault."""
    checked = course(lesson, "check")
    assert checked.code == 0, checked.err
    code, said = run(lesson, *BUILD, "--strict")
    assert code == 0, said
    page = (lesson / "site" / NAME / "index.html").read_text(encoding="utf-8")
    assert page.count("check-true") + page.count("claim-true") >= 4
    assert "Hinton 等 2015" in page


def test_a_changed_value_makes_the_sentence_false(lesson: Path) -> None:
    """The last step of the ten minutes: the sentence that no longer holds is said, and the exit is 1."""
    data = lesson / "docs" / NAME / "data.json"
    before = data.read_text(encoding="utf-8")
    data.write_text(json.dumps(json.loads(before) | {"cool": 2}), encoding="utf-8")
    try:
        checked = course(lesson, "check")
    finally:
        data.write_text(before, encoding="utf-8")
    assert checked.code == 1
    assert fenced("said").strip() in checked.err


def test_the_examples_of_claims_hold(lesson: Path) -> None:
    """Each line is a claim that is true of the lesson, with no typed tolerance; together they use every function."""
    known = Course.read(lesson).ledger
    lines = fenced("claims").splitlines()
    for line in lines:
        assert evaluate_claim(line, lambda name: known.record(name).value).true, line
        assert typed_tolerances(line) == []
    assert [name for name in FUNCTIONS if f"{name}(" not in " ".join(lines)] == []


@pytest.mark.parametrize("row", rows("### The grammar of `how`"), ids=lambda row: row[0])
def test_the_examples_of_how_are_filled_so(row: list[str]) -> None:
    """A template with its values is shown as the document says."""
    template, given, shown = row
    values = {name: json.loads(value) for name, value in re.findall(r"(\w+) = (\[[^]]*\]|[\d.]+)", given)}
    assert how.fill(template, values, show) == shown


@pytest.mark.parametrize("row", rows("### Display rules"), ids=lambda row: row[0])
def test_the_examples_of_display_rules_are_shown_so(row: list[str]) -> None:
    """Each kind of rule shows its example so."""
    kind, _, rule, value, shown = row
    assert rule.endswith(kind)
    assert format_number(value if kind == "s" else json.loads(value), rule) == shown


# -- nothing is left out -------------------------------------------------------------------------------


def named(words: Any) -> list[str]:
    """Return the words that do not stand in the document as code."""
    codes = " ".join(re.findall(r"`([^`\n]+)`", TEXT))
    return [word for word in words if not re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", codes)]


def test_every_display_rule_stands_in_its_table() -> None:
    """The kinds that value.py parses are the kinds of the table."""
    kinds = re.search(r"\[(\S+)\]\)$", _SPEC.pattern)
    assert kinds
    assert {row[0] for row in rows("### Display rules")} == set(kinds[1])


def test_every_kind_stands_with_its_badge() -> None:
    """Kinds in the order of their strength, with glyph and label."""
    assert [row[:2] for row in rows("### Kinds")] == [[kind.value, f"{kind.glyph} {kind.label}"] for kind in Kind]


def test_every_block_stands_with_its_options() -> None:
    """The blocks of the language and those of pymdownx, each once; options are named."""
    told = {row[0].split(" ")[0]: row for row in rows("A block around another has more slashes.")}
    assert set(told) == {*CONSTRUCTS, *STOCK}
    for name, construct in CONSTRUCTS.items():
        assert construct.argument == (r"\|" in told[name][0]), name
        assert all(option == "*" or re.search(rf"\b{option}\b", told[name][1]) for option in construct.options), name
    assert all(name in told["generated"][2] for name in ("legend", *WHOLE_COURSE))


def test_every_word_of_the_code_is_named() -> None:
    """Functions of claims and of how, inks, controls, what is declared and the arguments."""
    assert named(FUNCTIONS) == []
    assert named(how._CALLS) == []
    assert named([*INKS, *CONTROLS]) == []
    declared = [getattr(ledger, name) for name in ledger.__all__ if name.islower() and name != "collecting"]
    declared += [figures.chart, figures.table, figures.diagram, figures.ink]
    assert named(function.__name__ for function in declared) == []
    for function in declared:
        assert named(inspect.signature(function).parameters) == [], function.__name__
    assert f"are {', '.join(map(str, ALLOWED[:-1]))} and {ALLOWED[-1]};" in TEXT


def test_every_command_is_named(lesson: Path) -> None:
    """What `course --help` lists stands in the table of commands."""
    listed = re.findall(r"^  (\w+)  ", course(lesson, "--help").out, re.MULTILINE)
    assert len(listed) > 8
    assert [name for name in listed if f"`course {name}" not in TEXT] == []


def test_the_example_of_words_is_read() -> None:
    """The example of closed-world.yml is a valid one."""
    import yaml

    words = course_words(yaml.safe_load(fenced("docs/closed-world.yml")))
    assert "Mamba" in words.names
