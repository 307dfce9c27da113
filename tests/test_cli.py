"""The command line: what goes where, exit statuses, and each command on a small course."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import course
from tests.small import BUILD, environment, run, small_course

GPT2 = {
    "model_type": "gpt2", "vocab_size": 100, "n_positions": 16, "n_embd": 8, "n_layer": 2, "n_head": 2,
    "tie_word_embeddings": True,
}  # fmt: skip


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Return a small course on disk, locked."""
    small_course(tmp_path)
    locked = course(tmp_path, "lock")
    assert (locked.code, locked.out) == (0, ""), locked.err
    return tmp_path


# -- what holds for all commands ---------------------------------------------------------------------


def test_help_documents_the_exit_statuses(tmp_path: Path) -> None:
    """`course --help` works outside of a course and names every command and exit status."""
    told = course(tmp_path, "--help")
    assert told.code == 0
    for word in (
        "check", "status", "explain", "diff", "lock", "show", "find", "record", "new", "params", "anchor",
        "0 all is well", "1 problems", "2 called in a wrong way",
    ):  # fmt: skip
        assert word in told.out


@pytest.mark.parametrize(
    "arguments", [["chek"], ["show"], ["params", "x.json", "--by", "colour"], ["new", "lesson", "Gating"], ["record"]]
)
def test_wrong_calls_exit_with_2(small: Path, arguments: list[str]) -> None:
    """Unknown commands, missing or impossible arguments: exit 2, a line on standard error, nothing on output."""
    answer = course(small, *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err


def test_outside_of_a_course_is_a_wrong_call(tmp_path: Path) -> None:
    """Without mkdocs.yml here or above the command says what is missing."""
    answer = course(tmp_path, "status")
    assert answer.code == 2
    assert "no mkdocs.yml here or above" in answer.err


def test_project_option_and_subfolders(small: Path) -> None:
    """A course is found from its subfolders, or by --project from anywhere."""
    inside = course(small / "docs" / "c4", "show", "toy.sum", "--json")
    outside = course(Path("/"), "--project", str(small), "show", "toy.sum", "--json")
    assert inside.data == outside.data
    assert inside.data["text"] == "5"


@pytest.mark.parametrize("command", [["status"], ["show", "toy.sum"], ["explain", "toy.sum"], ["diff"], ["lock"]])
def test_json_alone_stands_on_standard_output(small: Path, command: list[str]) -> None:
    """With --json: one object on output, nothing for people; without: nothing on output."""
    told = course(small, *command)
    assert told.code == 0, told.err
    assert told.out == ""
    assert course(small, *command, "--json").data["problems"] == []


def test_startup_is_light(small: Path) -> None:
    """`show` imports neither numpy nor plotly nor torch nor mkdocs."""
    (small / "asked.py").write_text(
        "import sys; sys.argv = ['course', 'show', 'toy.sum']\n"
        "from course_build.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('numpy', 'plotly', 'torch', 'mkdocs', 'jieba', 'pydantic') if name in sys.modules])"
    )
    assert run(small, "asked")[1].startswith("[]\n")


# -- commands ------------------------------------------------------------------------------------------


def test_show_a_number_and_a_claim(small: Path) -> None:
    """A number is shown with derivation, inputs and code; a claim with its values; an unknown id with the nearest."""
    shown = course(small, "show", "toy.double", "--json").data
    assert (shown["value"], shown["derivation"], shown["kind"]) == (10, "5 × 2", "computed")
    assert [leaf["where"] for leaf in shown["leaves"]] == ["docs/data.json#/a", "docs/data.json#/b"]
    claim = course(small, "show", "toy.c.larger", "--json").data
    assert claim["true"] is True
    assert "10" in claim["filled"]
    wrong = course(small, "show", "toy.doubel")
    assert wrong.code == 1
    assert "nearest: toy.double" in wrong.err


def test_check_passes_and_lists_declared_literals(small: Path) -> None:
    """A locked course without problems passes; each declared literal is printed with its reason."""
    answer = course(small, "check")
    assert answer.code == 0, answer.err
    assert "declared literal 7 (constructed): 只是例子" in answer.err
    data = course(small, "check", "--json").data
    assert (data["numbers"], data["claims"], len(data["literals"]), data["problems"]) == (2, 1, 1, [])


@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        ("docs/data.json", '"a": 2', '"a": 4', "toy.double moved: 10 -> 14 (docs/data.json#/a: 2 -> 4)"),
        ("docs/data.json", '"a": 2', '"a": -9', "claim toy.c.larger"),
        ("docs/index.md", "和是 ", "和是 5 也是 ", "docs/index.md:3: typed numeral '5'"),
        ("docs/index.md", "[[toy.sum]]", "[[toy.smu]]", "docs/index.md:3: "),
        ("docs/index.md", "和是", "见[那里](nowhere.md)，和是", "docs/index.md:3: dead link 'nowhere.md'"),
        ("docs/index.md", "和是", "见[那里](#nowhere)，和是", "docs/index.md:3: dead link '#nowhere'"),
        ("docs/facts.py", "return a + b", "return a + b + 3 - 3", "docs/facts.py:9: constant 3"),
        ("docs/facts.py", "toy.double > toy.sum", "toy.sum == toy.sum", "is empty"),
        ("docs/facts.py", "toy.double > toy.sum", "toy.sum > 0.5", "is typed"),
        ("docs/facts.py", "{a} + {b}", "{a} × {b}", "does not hold"),
        ("docs/facts.py", "return s * 2", "return s *", "docs/facts.py:"),
        ("docs/data.json", '"b": 3', '"b": 3, "a": 2', "docs/data.json:1: /a: key stands twice"),
    ],
)  # fmt: skip
def test_check_finds(small: Path, path: str, old: str, new: str, said: str) -> None:
    """One thing wrong: exit 1, the place and the sentence, also in the JSON; nothing is written."""
    text = (small / path).read_text()
    assert text.count(old) >= 1
    (small / path).write_text(text.replace(old, new, 1))
    lock = (small / "docs/ledger.json").read_bytes()
    answer = course(small, "check")
    assert answer.code == 1
    assert said in answer.err
    problems = course(small, "check", "--json").data["problems"]
    assert any(
        said in f"{each['path']}:{each['line']}: {each['text']}"
        or said in each["text"]
        or said in f"{each['path']}: {each['text']}"
        for each in problems
    )
    assert (small / "docs/ledger.json").read_bytes() == lock
    assert not (small / "site").exists()


def test_explain_names_value_file_and_key(small: Path) -> None:
    """A moved number: each input that changed, old and new, through other facts."""
    assert course(small, "explain", "toy.double", "--json").data["state"] == "same"
    (small / "docs/data.json").write_text('{"b": 3, "a": 40}')
    told = course(small, "explain", "toy.double", "--json").data
    assert (told["state"], told["old"], told["new"]) == ("moved", "10", "86")
    assert told["reasons"] == [
        {"what": "docs/data.json#/a", "old": 2, "new": 40, "file": "docs/data.json", "key": "/a"}
    ]
    assert "docs/data.json#/a: 2 -> 40" in course(small, "explain", "toy.double").err
    claim = course(small, "explain", "toy.c.larger", "--json").data
    assert [each["id"] for each in claim["numbers"]] == ["toy.double", "toy.sum"]


def test_explain_names_code(small: Path) -> None:
    """A number whose code changed: which part, and in which file."""
    text = (small / "docs/facts.py").read_text()
    (small / "docs/facts.py").write_text(text.replace("return s * 2", "return s + s"))
    told = course(small, "explain", "toy.double", "--json").data
    assert told["state"] == "same text, other key"
    assert [(each["what"], each["file"]) for each in told["reasons"]] == [("function", "docs/facts.py")]


def test_lock_refuses_what_cannot_be_evaluated(small: Path) -> None:
    """A broken fact leaves the old lock whole."""
    before = (small / "docs/ledger.json").read_bytes()
    (small / "docs/data.json").write_text('{"a": "two", "b": 3}')
    answer = course(small, "lock")
    assert answer.code == 1
    assert (small / "docs/ledger.json").read_bytes() == before


@pytest.mark.parametrize("number", ["10", "10.0", "1e1"])
def test_find_by_value_and_text(small: Path, number: str) -> None:
    """Every id that prints so or has that value, with every place that shows it."""
    (found,) = course(small, "find", number, "--json").data["found"]
    assert found["id"] == "toy.double"
    assert found["uses"] == ["docs/index.md:3", "docs/c4/03-norm/index.md:3"]
    assert found["claims"] == ["toy.c.larger"]


def test_find_a_literal_and_nothing(small: Path) -> None:
    """Declared literals are found too; a number that stands nowhere exits with 1."""
    assert course(small, "find", "7", "--json").data["literals"] == [
        {"place": "docs/c4/03-norm/index.md:3", "why": "只是例子"}
    ]
    nothing = course(small, "find", "123456")
    assert nothing.code == 1
    assert "no number prints as 123456" in nothing.err


def test_params_counts_any_config(tmp_path: Path) -> None:
    """Total, parts and scopes from a file anywhere; rows by part, layer and tensor add up."""
    (tmp_path / "config.json").write_text(json.dumps(GPT2))
    data = course(tmp_path, "params", "config.json", "--json").data
    assert data["total"] == sum(data["parts"].values()) == sum(data["scopes"].values())
    for by in ("part", "layer", "tensor"):
        rows = course(tmp_path, "params", "config.json", "--by", by, "--json").data[f"by_{by}"]
        assert sum(row["parameters"] for row in rows) == data["total"]
    told = course(tmp_path, "params", "config.json")
    assert (told.code, told.out) == (0, "")
    assert f"{data['total']:,} parameters in all" in told.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"model_type": "gpt3"}', "unknown model_type 'gpt3', nothing is counted; nearest: gpt2"),
        ("{}", "/model_type: key is missing"),
        ("[1,", "not JSON"),
        ("", "the file is empty"),
        (json.dumps(GPT2).replace('"n_layer": 2', '"n_layer": -2'), "/n_layer: is -2"),
        (json.dumps(GPT2).replace('"n_layer": 2', '"n_layer": "2"'), '/n_layer: is "2"'),
    ],
)
def test_params_refuses_in_one_line(tmp_path: Path, content: str, said: str) -> None:
    """Unknown families and bad configs: exit 1, one line, and an object with the problem on --json."""
    (tmp_path / "config.json").write_text(content)
    answer = course(tmp_path, "params", "config.json")
    assert answer.code == 1
    assert said in answer.err
    assert said in course(tmp_path, "params", "config.json", "--json").data["problems"][0]["text"]


def test_anchor_add(small: Path) -> None:
    """The config is copied byte for byte with its sha256 and source; one that cannot be counted changes nothing."""
    raw = json.dumps(GPT2, indent=3).encode() + b"\n\n"
    (small / "other.json").write_bytes(raw)
    answer = course(small, "anchor", "add", "other.json", "--source", "https://example.org/x", "--json")
    anchor = small / "experiments/configs/anchor-model.json"
    assert answer.code == 0, answer.err
    assert anchor.read_bytes() == raw
    origin = json.loads((small / "experiments/configs/anchor-model.origin.json").read_text())
    assert origin == {
        "file": "other.json", "sha256": hashlib.sha256(raw).hexdigest(), "source": "https://example.org/x",
    }  # fmt: skip
    (small / "bad.json").write_text('{"model_type": "nobody"}')
    assert course(small, "anchor", "add", "bad.json").code == 1
    assert anchor.read_bytes() == raw
    assert course(small, "check").code == 0
    anchor.write_bytes(raw + b"\n")
    assert "is not other.json as it was added" in course(small, "check").err


@pytest.mark.parametrize("name", ["c4/04-gating", "c5/01-two-words"])
def test_new_lesson_builds_and_passes_at_once(small: Path, name: str) -> None:
    """The new folder is complete: after `course lock` the check passes and the site builds."""
    made = course(small, "new", "lesson", name, "--title", "门控")
    assert made.code == 0, made.err
    assert f"{name}/index.md" in (small / "mkdocs.yml").read_text()
    assert course(small, "lock").code == 0
    checked = course(small, "check")
    assert checked.code == 0, checked.err
    code, said = run(small, *BUILD, "--strict")
    assert code == 0, said
    assert (small / "site" / name / "index.html").is_file()


def test_new_lesson_keeps_what_was_promised_for_it(small: Path) -> None:
    """A promise to a lesson that exists must be kept there: the new page has a place for each."""
    page = small / "docs/index.md"
    page.write_text(page.read_text() + "\n/// promise | toy.p.gate\n    to: c4/04\n\n门是怎么来的。\n///\n")
    made = course(small, "new", "lesson", "c4/04-gating", "--json").data
    assert made["keeps"] == ["toy.p.gate"]
    assert course(small, "lock").code == 0
    checked = course(small, "check")
    assert checked.code == 0, checked.err


def test_new_lesson_overwrites_nothing(small: Path) -> None:
    """A folder that is there, or a prefix that is taken, is refused whole."""
    assert course(small, "new", "lesson", "c4/04-gating").code == 0
    before = (small / "mkdocs.yml").read_text()
    again = course(small, "new", "lesson", "c4/04-gating")
    assert (again.code, "is there already" in again.err) == (1, True)
    taken = course(small, "new", "lesson", "c5/01-gating")
    assert (taken.code, "prefix 'gating' is taken" in taken.err) == (1, True)
    assert not (small / "docs/c5").exists()
    assert (small / "mkdocs.yml").read_text() == before


def test_status_without_recipes(small: Path) -> None:
    """A course without recorded runs has nothing stale."""
    assert course(small, "status", "--json").data["runs"] == []


def test_an_answer_that_cannot_be_written_is_no_traceback(small: Path) -> None:
    """A full disk behind standard output, or a closed pipe: one line, exit 1."""
    for end in (">/dev/full", "| true"):
        command = f"{sys.executable} -m course_build show toy.sum --json {end}"
        done = subprocess.run(["sh", "-c", command], cwd=small, env=environment(), capture_output=True, text=True)
        assert "Traceback" not in done.stderr
        assert done.stderr.count("\n") <= 1


def test_the_module_and_the_command_are_the_same(small: Path) -> None:
    """`python -m course_build` is the command line, with its exit status."""
    asked = ("show", "toy.sum", "--json")
    assert run(small, "course_build", *asked) == (0, course(small, *asked).out)
    assert run(small, "course_build", "show", "toy.smu")[0] == 1
