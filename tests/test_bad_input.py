"""Every input file, damaged in every way: one line that names it, exit 1, and what was good before stays."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from course_build.files import strict_json
from tests.command import Result
from tests.command import course as command
from tests.every_input import course as every_input

CONFIGS = "experiments/configs"
RUN = "experiments/runs/one-s1"
JSON_FILES = [
    "docs/data.json", "docs/live/defaults.json", "docs/ledger.json", f"{CONFIGS}/anchor-model.json",
    f"{CONFIGS}/frontier-models.json", f"{CONFIGS}/papers.json", f"{CONFIGS}/presets.json", f"{CONFIGS}/corpus.json",
    f"{CONFIGS}/outcomes.json", f"{CONFIGS}/recipes/one.json", f"{RUN}/run.json",
]  # fmt: skip
YAML_FILES = ["docs/evolution.yml", "docs/terms.yml", "docs/closed-world.yml", "mkdocs.yml"]
TEXT_FILES = ["docs/index.md", f"{RUN}/log.jsonl"]
FILES = [*JSON_FILES, *YAML_FILES, *TEXT_FILES]
LONGEST = 1000  # characters of a line on the terminal

Damage = Callable[[Path], object]


def text(change: Callable[[bytes], bytes]) -> Damage:
    """Return a damage to what a file contains."""
    return lambda path: path.write_bytes(change(path.read_bytes()))


def instead(make: Callable[[Path], object]) -> Damage:
    """Return a damage that puts something else in the file's place."""

    def damage(path: Path) -> None:
        path.unlink()
        make(path)

    return damage


def large(path: Path) -> None:
    """Make a file of 200 MB that takes no room."""
    with path.open("wb") as file:
        file.truncate(200 * 2**20)


OF_ANY = {
    "BOM": (text(lambda old: b"\xef\xbb\xbf" + old), ":1: begins with a byte order mark"),
    "invalid UTF-8": (text(lambda old: b"\n\xff" + old), ":2: is not UTF-8 (byte 0xff"),
    "UTF-16": (text(lambda old: old.decode().encode("utf-16")), ":1: is UTF-16"),
    "NUL": (text(lambda old: b"\n\0" + old), ":2: contains a NUL"),
    "merge conflict": (text(lambda old: b"<<<<<<< HEAD\n" + old), ":1: merge conflict marker <<<<<<<"),
    "folder": (instead(Path.mkdir), ": is a directory, a file is expected"),
    "loop": (instead(lambda path: path.symlink_to(path.name)), ": symbolic link loop"),
    "broken link": (instead(lambda path: path.symlink_to("nowhere")), ": is a symbolic link to nowhere"),
    "pipe": (instead(os.mkfifo), ": is not a regular file"),
    "200 MB": (large, ": file has 200.0 MB"),
}
OF_DATA = {
    "empty": (text(lambda old: b""), ":1: the file is empty"),
    "a list": (text(lambda old: b"[]"), ":1: "),
    "null": (text(lambda old: b"null"), ":1: "),
    "a number": (text(lambda old: b"7"), ":1: "),
    "deep": (text(lambda old: b"[" * 5000 + b"]" * 5000), ":1: nested more than 64 levels deep"),
    "half": (text(lambda old: old[: len(old) // 2].rstrip(b"\n,") + b"{"), ": not "),
}
CASES = [
    *((file, *OF_ANY[how]) for file in FILES for how in OF_ANY if (file, how) != ("docs/index.md", "folder")),
    *((file, *OF_DATA[how]) for file in [*JSON_FILES, *YAML_FILES] for how in OF_DATA),
    ("docs/index.md", text(lambda old: b" \n"), ":1: the page is empty"),
    ("docs/index.md", instead(Path.mkdir), "'index.md' is included in the 'nav' configuration, which is not found"),
]


@dataclass(frozen=True)
class Sound:
    """The course before any damage."""

    root: Path
    kept: Path

    def restore(self, file: str) -> None:
        """Put a file back."""
        path = self.root / file
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)
        shutil.copyfile(self.kept / file, path)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    """Return the course, locked and without a fault."""
    folder = tmp_path_factory.mktemp("every")
    root = every_input(folder)
    config = root / "mkdocs.yml"
    config.write_text(config.read_text().replace("name: material, font: false, language: zh", "name: mkdocs"))  # fast
    assert command(root, "lock").code == 0
    checked = command(root, "check")
    assert checked.code == 0, checked.err
    (root / "site").mkdir()
    shutil.copytree(root, folder / "kept")
    return Sound(root, folder / "kept")


@pytest.fixture
def damaged(course: Sound) -> Iterator[Callable[[str, Damage], None]]:
    """Return what damages a file of the course until the test is over."""
    done: list[str] = []

    def damage(file: str, how: Damage) -> None:
        done.append(file)
        how(course.root / file)

    yield damage
    for file in done:
        course.restore(file)


def lines(answer: Result) -> list[str]:
    """Return the problems of an answer, after what holds for all: exit 1, no traceback, short lines, none twice."""
    assert answer.code == 1, answer.err
    assert "Traceback" not in answer.err
    assert answer.err.replace("\n", "").isprintable()
    said = [line for line in answer.err.splitlines() if "declared literals" not in line]
    assert max(map(len, said)) <= LONGEST
    assert len([line for line in said if line]) == len({line for line in said if line})
    return said


@pytest.mark.parametrize(("file", "how", "said"), CASES, ids=[f"{file} {said.strip(': ')}" for file, _, said in CASES])
def test_a_damaged_file_is_named_once(
    course: Sound, damaged: Callable[[str, Damage], None], file: str, how: Damage, said: str
) -> None:
    """Whatever happens to a file: its path, the line where there is one, what is wrong; nothing else is to blame."""
    damaged(file, how)
    told = lines(command(course.root, "check"))
    about = [line for line in told if (line.startswith(file) or "nav" in said) and said in line]
    assert len(about) == 1 or said == ":1: ", told
    others = [line for line in told if line not in about and "nothing to show for" not in line]
    assert not [line for line in others if " moved: " in line or ("ledger.json" in line and file != "docs/ledger.json")]


# -- values ----------------------------------------------------------------------------------------------

EVIL = '"</script>\\u001b[2J\\" \'<img src=x onerror=alert(1)>"'
LONG = '"' + "z" * 10**6 + '"'
HUGE = "1" + "0" * 30  # layers
VALUES = [
    (f"{CONFIGS}/anchor-model.json", "/n_layer", HUGE, f": is {HUGE}, at most"),
    (f"{CONFIGS}/anchor-model.json", "/n_layer", "-3", ": is -3, at least 1 is expected"),
    (f"{CONFIGS}/anchor-model.json", "/n_layer", "2.5", ": is 2.5, an integer is expected"),
    (f"{CONFIGS}/anchor-model.json", "/n_layer", "true", ": is true, an integer is expected"),
    (f"{CONFIGS}/anchor-model.json", "/n_layer", "null", ": is null, an integer is expected"),
    (f"{CONFIGS}/anchor-model.json", "/n_layer", "NaN", ": is NaN, a finite number or null is expected"),
    (f"{CONFIGS}/anchor-model.json", "/n_layer", "1e400", ": is 1e400, beyond the range of a float"),
    (f"{CONFIGS}/anchor-model.json", "/n_layer", EVIL, ": is \"</script>\\u001b[2J"),
    (f"{CONFIGS}/anchor-model.json", "/n_layer", LONG, "… (1000002 characters), an integer is expected"),
    (f"{CONFIGS}/anchor-model.json", "/n_layer", "2,\n \"n_layer\": 3", ": key stands twice (first in line"),
    (f"{CONFIGS}/anchor-model.json", "/model_type", LONG, ": unknown model_type 'zzz"),
    (f"{CONFIGS}/anchor-model.json", "/model_type", '"gpt3"', "; nearest: gpt2"),
    (f"{CONFIGS}/frontier-models.json", "/small", "[]", "/small"),
    (f"{CONFIGS}/papers.json", "/someone/title", "7", ": is 7, a string is expected"),
    (f"{CONFIGS}/papers.json", "/someone/figures", "{}", "/d: key is missing"),
    (f"{CONFIGS}/presets.json", "/smoke/training/d", "-1", ": is -1, at least"),
    (f"{CONFIGS}/presets.json", "/smoke/training", '{"dd": 3}', "/dd: unknown key; nearest: d"),
    (f"{CONFIGS}/presets.json", "/smoke", "3", ": is 3, an object is expected"),
    (f"{CONFIGS}/corpus.json", "/file_sha256", "1", ": is 1, a string is expected"),
    (f"{CONFIGS}/recipes/one.json", "/values/lr", '"0.1"', ': is "0.1", a number is expected'),
    (f"{CONFIGS}/recipes/one.json", "/values/layers", HUGE, f": is {HUGE}, at most"),
    (f"{CONFIGS}/recipes/one.json", "/seeds", "[-1]", "/0: is -1, at least 0 is expected"),
    (f"{CONFIGS}/recipes/one.json", "/expect", '"train"', "; nearest: trains"),
    (f"{CONFIGS}/recipes/one.json", "/title", "null", ": is null, a string is expected"),
    (f"{RUN}/run.json", "/schema", "2", ": is 2, one of 1 is expected"),
    (f"{RUN}/run.json", "/values", "[]", ": is a list of 0, an object is expected"),
    (f"{RUN}/run.json", "/log_sha256", "null", ": is null, a string is expected"),
    ("docs/ledger.json", "/schema", "9", ": schema 9 is unknown, 1 is"),
    ("docs/ledger.json", "/numbers", "[]", ": is a list of 0, an object is expected"),
    ("docs/ledger.json", "/numbers/toy.sum", "3", ": is 3, an object is expected"),
    ("docs/ledger.json", "/inputs", "7", ": is 7, an object is expected"),
    (f"{RUN}/run.json", "/summary", "7", ": is 7, an object is expected"),
    (f"{CONFIGS}/papers.json", "/someone/url", "3", ": is 3, a string is expected"),
    (f"{CONFIGS}/papers.json", "/someone/url", '"javascript:alert(1)"', ", an address (https://…) is expected"),
    (f"{CONFIGS}/papers.json", "/someone", "3", ": is 3, an object is expected"),
    ("docs/ledger.json", "/numbers/toy.sum/text", "3", ": is 3, a string is expected"),
    ("docs/live/defaults.json", "/knob/max", EVIL, ", a number is expected"),
    ("docs/live/defaults.json", "/knob", "null", ": is null, an object is expected"),
]  # fmt: skip


def put(pointer: str, raw: str) -> Damage:
    """Return what writes `raw` at a JSON pointer."""

    def change(old: bytes) -> bytes:
        data = json.loads(old)
        parent = data
        *steps, last = pointer.split("/")[1:]
        for step in steps:
            parent = parent[step]
        parent[last] = "HERE"
        return json.dumps(data, indent=1, ensure_ascii=False).replace('"HERE"', raw, 1).encode()

    return text(change)


@pytest.mark.parametrize(
    ("file", "pointer", "raw", "said"), VALUES, ids=[f"{file} {at} {said[:30]}" for file, at, _, said in VALUES]
)
def test_a_wrong_value_is_named_with_its_key(
    course: Sound, damaged: Callable[[str, Damage], None], file: str, pointer: str, raw: str, said: str
) -> None:
    """File, line and key, the value that was seen and what would be right."""
    damaged(file, put(pointer, raw))
    first = strict_json.lines((course.root / file).read_text())[pointer]
    (about,) = [line for line in lines(command(course.root, "check")) if line.startswith(f"{file}:") and said in line]
    assert first <= int(about.split(":")[1]) <= first + 1
    assert f": {pointer}" in about


def test_everything_that_is_wrong_is_said_at_once(course: Sound, damaged: Callable[[str, Damage], None]) -> None:
    """Faults of several files, and several faults of one file, in one answer."""
    broken = {
        f"{CONFIGS}/anchor-model.json": put("/n_layer", "-3"),
        f"{CONFIGS}/papers.json": text(lambda old: b""),
        f"{CONFIGS}/recipes/one.json": put("/values", '{"lr": "x", "layers": 0}'),
        f"{CONFIGS}/presets.json": text(lambda old: b"[]"),
        "docs/data.json": put("/a", "NaN"),
        "docs/terms.yml": put_text("term:", "trem:"),
        "docs/closed-world.yml": text(lambda old: old + old),
        "docs/live/defaults.json": put("/knob", "{}"),
        "docs/c4/03-norm/index.md": put_text("title: 归一化", "title: [归一化]"),
        "docs/ledger.json": text(lambda old: b"{"),
    }
    for file, how in broken.items():
        damaged(file, how)
    told = lines(command(course.root, "check"))
    assert [file for file in broken if not any(line.startswith(f"{file}:") for line in told)] == []
    recipe = [line for line in told if line.startswith(f"{CONFIGS}/recipes/one.json")]
    assert len(recipe) > 10  # each value that is missing or wrong


def put_text(old: str, new: str) -> Damage:
    """Return what replaces a piece of text."""
    return text(lambda raw: raw.replace(old.encode(), new.encode()))


# -- other commands ----------------------------------------------------------------------------------------

COMMANDS = [
    (("lock",), "docs/data.json"),
    (("lock",), f"{RUN}/run.json"),
    (("lock",), "docs/ledger.json"),
    (("diff",), "docs/data.json"),
    (("diff",), "docs/ledger.json"),
    (("diff",), "mkdocs.yml"),
    (("explain", "toy.sum"), "docs/data.json"),
    (("explain", "toy.sum"), "docs/ledger.json"),
    (("explain", "one-s1"), f"{CONFIGS}/recipes/one.json"),
    (("show", "toy.sum"), "docs/data.json"),
    (("status",), f"{RUN}/run.json"),
    (("status",), f"{CONFIGS}/corpus.json"),
    (("record", "--stale"), f"{CONFIGS}/recipes/one.json"),
    (("record", "--all"), f"{CONFIGS}/outcomes.json"),
    (("record", "--all", "--preset", "smoke"), f"{CONFIGS}/presets.json"),
    (("params", f"{CONFIGS}/anchor-model.json"), f"{CONFIGS}/anchor-model.json"),
    (("anchor", "add", "docs/data.json"), "docs/data.json"),
]


@pytest.mark.parametrize(("asked", "file"), COMMANDS, ids=[f"{' '.join(asked)} {file}" for asked, file in COMMANDS])
def test_every_command_names_a_broken_input(
    course: Sound, damaged: Callable[[str, Damage], None], asked: tuple[str, ...], file: str
) -> None:
    """Exit 1 and the file's own line; lock and runs stay as they were."""
    damaged(file, text(lambda old: b"<<<<<<< HEAD\n" + old))
    before = {name: (course.root / name).read_bytes() for name in ("docs/ledger.json", f"{RUN}/run.json")}
    told = lines(command(course.root, *asked))
    assert any(f"{file}:1: merge conflict marker" in line for line in told), told
    assert before == {name: (course.root / name).read_bytes() for name in before}
