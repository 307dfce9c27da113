"""The strict reader: what it accepts, and one line for everything it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from course_build.errors import CourseError
from course_build.evidence import Kind
from course_build.files import strict_json, strict_yaml
from course_build.files.source import MAX_BYTES, MISSING, Source, load, load_text
from course_build.files.strict_json import MalformedError

CONFIG = """{
  "model_type": "toy",
  "layers": 3,
  "eps": 1e-6,
  "tied": false,
  "window": null,
  "text": {
    "widths": [8, 16,
      32],
    "a/b~c": 1
  }
}
"""


def problem(root: Path, name: str, content: str | bytes) -> str:
    """Write a file, load it, return the one line it is refused with."""
    (root / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(CourseError) as caught:
        load(name, root)
    (only,) = caught.value.problems
    assert "\n" not in str(only)
    return str(only)


@pytest.fixture
def config(tmp_path: Path) -> Source:
    """Return a small well-formed source."""
    (tmp_path / "config.json").write_text(CONFIG)
    return load("config.json", tmp_path)


def test_reads_what_is_there(config: Source) -> None:
    """Values come back with their types; a float may be written as an integer."""
    assert config.read("/layers", int, minimum=1, maximum=100) == 3
    assert repr(config.read("/layers", float)) == "3.0"
    assert config.read("/tied", bool) is False
    assert config.read("/text/widths", list[int], minimum=1) == [8, 16, 32]
    assert config.read("/text/widths/2", int) == 32
    assert config.read("/text/a~1b~0c", int) == 1
    assert config.read("", dict)["model_type"] == "toy"
    assert config.read("/window", object) is None
    assert config.read("/model_type", str, choices=("toy", "real")) == "toy"
    assert (config.path, config.kind) == ("config.json", Kind.COMPUTED)


def test_default_stands_in_for_absent_and_null(config: Source) -> None:
    """An optional key may be absent or null; a default never hides a wrong type."""
    assert config.read("/window", int, default=None) is None
    assert config.read("/nothing", int, default=7) == 7
    with pytest.raises(CourseError, match="an integer is expected"):
        config.read("/model_type", int, default=7)


@pytest.mark.parametrize(
    ("pointer", "kind", "limits", "said"),
    [
        ("/layer", int, {}, "config.json:1: /layer: key is missing; nearest: layers"),
        ("/text/width/0", int, {}, "config.json:7: /text/width: key is missing; nearest: widths"),
        (
            "/text/widths/3",
            int,
            {},
            ":8: /text/widths/3: no such element, /text/widths is a list of 3",
        ),
        ("/text/widths/01", int, {}, "no such element"),
        ("/layers/x", int, {}, "config.json:3: /layers: is 3, an object is expected"),
        ("layers", int, {}, "pointer 'layers' must begin with /"),
        ("/model_type", int, {}, 'config.json:2: /model_type: is "toy", an integer is expected'),
        ("/tied", int, {}, "config.json:5: /tied: is false, an integer is expected"),
        ("/tied", float, {}, "is false, a number is expected"),
        ("/eps", int, {}, "config.json:4: /eps: is 1e-06, an integer is expected"),
        ("/layers", bool, {}, "is 3, true or false is expected"),
        ("/window", int, {}, "config.json:6: /window: is null, an integer is expected"),
        ("/text", list, {}, "is an object of 2 keys, a list is expected"),
        ("/layers", int, {"minimum": 4}, "is 3, at least 4 is expected"),
        ("/layers", int, {"maximum": 2}, "is 3, at most 2 is expected"),
        ("/text/widths", list[int], {"maximum": 16}, "config.json:9: /text/widths/2: is 32, at most 16"),
        ("/text/widths", list[str], {}, "config.json:8: /text/widths/0: is 8, a string is expected"),
        ("/model_type", str, {"choices": ("toys", "real")}, "one of toys, real is expected; nearest: toys"),
    ],
)
def test_wrong_reads_name_file_line_and_key(
    config: Source, pointer: str, kind: Any, limits: dict[str, Any], said: str
) -> None:
    """A read that cannot be answered says where the value stands and what would be right."""
    with pytest.raises(CourseError) as caught:
        config.read(pointer, kind, **limits)
    assert said in str(caught.value)


def test_reader_remembers_values_and_absences(config: Source) -> None:
    """A reader and its subs share one memory, by absolute pointer; an absent key is remembered as MISSING."""
    reader = config.reader("/text")
    assert reader.read("/widths/0", int) == 8
    assert reader.read("/heads", int, default=4) == 4
    assert reader.sub("/widths").get("/1") == 16
    assert not reader.has("/bias")
    assert reader.reads == {
        "/text/widths/0": 8,
        "/text/heads": MISSING,
        "/text/widths/1": 16,
        "/text/bias": MISSING,
    }


def test_values_handed_out_are_copies(config: Source) -> None:
    """Changing what was read changes neither the source nor the memory of a reader."""
    reader = config.reader()
    reader.read("/text/widths", list[int]).append(99)
    reader.get("/text")["widths"].append(99)
    reader.get("/text/widths").append(99)
    assert reader.reads["/text/widths"] == config.get("/text/widths") == [8, 16, 32]
    assert reader.reads["/text"]["widths"] == [8, 16, 32]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", ":1: the file is empty"),
        (" \n", ":1: the file is empty"),
        ('{"a": 1,\n "b": {"c": 1,\n "c": 2}}', ":3: /b/c: key stands twice (first in line 2)"),
        ('{"": 1, "": 2}', ":1: /: key stands twice"),
        ('{"a": [1,\n NaN]}', ":2: /a/1: is NaN"),
        ("[-Infinity]", ":1: /0: is -Infinity"),
        ('{"lr":\n 1e400}', ":1: /lr: is 1e400, beyond the range of a float"),
        (f"[{'9' * 400}.5]", "beyond the range of a float"),
        (f"[1,\n{'9' * 5000}]", ":2: /1: integer of 5000 digits"),
        (b"\xef\xbb\xbf{}", ":1: begins with a byte order mark (BOM)"),
        (b'{"a":\n "\xff"}', ":2: is not UTF-8 (byte 0xff at offset 8)"),
        (b"\xff\xfe{\x00}\x00", ":1: is UTF-16"),
        ('{\n<<<<<<< HEAD\n"a": 1\n=======\n"a": 2\n>>>>>>> x\n}', ":2: merge conflict marker <<<<<<<"),
        ('{\r\n>>>>>>>\r\n"a": 1}', ":2: merge conflict marker >>>>>>>"),
        ("[" * 100_000, ":1: nested more than 64 levels deep"),
        ("[" * 65 + "]" * 65, ":1: nested more than 64 levels deep"),
        ('{"a":' * 3000 + "1" + "}" * 3000, "nested more than 64 levels deep"),
        ('{"a": 1} x', ':1: not JSON: extra data at column 10 (seen "x")'),
        (
            '{"a": 1,\n}',
            ":2: not JSON: expecting property name enclosed in double quotes at column 1; no comma",
        ),
        ("{'a': 1}", "strings and keys stand in double quotes"),
        ('{"a": 1 // one\n}', "JSON has no comments"),
        ('{"a":', "the file ends too early"),
        ('["\\ud800"]', ":1: \\u escape is half of a surrogate pair"),
        ('["a\nb"]', ":1: not JSON: invalid control character"),
        (b'["\x00"]', ":1: contains a NUL character"),
        ('{"\\u001b[2J": NaN}', "/\\x1b[2J: is NaN"),
    ],
)
def test_json_faults(tmp_path: Path, content: str | bytes, said: str) -> None:
    """Every way in which a JSON file is broken has its own sentence and line."""
    assert said in problem(tmp_path, "x.json", content)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", ":1: the file is empty"),
        ("# nothing\n", ":1: the file is empty"),
        ("a: 1\nb: 2\na: 3\n", ":3: /a: key stands twice (first in line 1)"),
        ("a: &x [1]\nb: *x\n", ":1: anchor &x is not allowed"),
        ("a: *x\n", ":1: alias *x is not allowed"),
        ("a:\n\t- b\n", ":2: a tab stands in the indentation"),
        ("a:\n  - .nan\n", ":2: /a/0: is .nan"),
        ("a: 1e400", ":1: /a: is 1e400, beyond"),
        ("a: " + "9" * 5000, "/a: integer of 5000 digits"),
        ("a: !!python/object/apply:os.system [x]", ":1: tag tag:yaml.org,2002:python/object/apply:os.system"),
        ("--- 1\n--- 2\n", ":2: a second document"),
        ("? [a]\n: 1\n", "a key is a list or a mapping"),
        ("[" * 900, "nested more than 64"),
        ("{a: " * 5000, "nest"),
        ("a: b: c", ":1: not YAML: mapping values are not allowed"),
        ("a: [1,\n", "not YAML"),
        ("a: x\nb: \x07\n", ":2: control character U+0007"),
        ("a: 1\n<<<<<<< HEAD\n", ":2: merge conflict marker"),
    ],
)
def test_yaml_faults(tmp_path: Path, content: str, said: str) -> None:
    """YAML is refused as precisely; anchors, tags and second documents are not part of the dialect."""
    assert said in problem(tmp_path, "x.yml", content)


def test_yaml_scalars_are_json_scalars(tmp_path: Path) -> None:
    """Words and dates stay text, `1e-6` is a number: nothing of YAML 1.1's guessing."""
    (tmp_path / "x.yml").write_text("a: 1e-6\nb: no\nc: 010\nd: 2017-06\ne: ~\nf: '1'\n2017: true\n")
    source = load("x.yml", tmp_path)
    expected = {"a": 1e-6, "b": "no", "c": "010", "d": "2017-06", "e": None, "f": "1", "2017": True}
    assert source.data == expected
    assert source.line("/2017") == 7


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("loop.json", "loop.json: symbolic link loop"),
        ("dangling.json", "symbolic link to nowhere.json, which does not exist"),
        ("folder.json", "folder.json: is a directory, a file is expected"),
        ("pipe.json", "pipe.json: is not a regular file"),
        ("confg.json", "confg.json: file not found; nearest: config.json"),
        ("config.json/x.json", "a part of its path is a file"),
        ("nowhere/x.json", "file not found"),
        ("a\0b.json", "no possible file name"),
        ("n" * 300 + ".json", "the name is too long"),
        ("config.toml", "ends in .toml, .json, .yml or .yaml is expected"),
        ("/dev/zero", "is not a regular file"),
    ],
)
def test_files_that_are_no_files(tmp_path: Path, name: str, said: str) -> None:
    """Loops, folders, pipes, devices and typing errors are named, never waited for, never a traceback."""
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "config.toml").write_text("")
    (tmp_path / "loop.json").symlink_to("loop2.json")
    (tmp_path / "loop2.json").symlink_to("loop.json")
    (tmp_path / "dangling.json").symlink_to("nowhere.json")
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(CourseError) as caught:
        load(name, tmp_path)
    assert said in str(caught.value)


def test_a_large_file_is_refused_unread(tmp_path: Path) -> None:
    """200 MB are refused by their size, in a process that may not even map them."""
    with (tmp_path / "big.json").open("wb") as file:
        file.truncate(200 * 2**20)
    code = (
        "import resource, sys; from pathlib import Path; from course_build.files.source import load\n"
        "resource.setrlimit(resource.RLIMIT_AS, (150 * 2**20, 150 * 2**20))\n"
        "from course_build.errors import CourseError\n"
        "try: load('big.json', Path(sys.argv[1]))\n"
        "except CourseError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"big.json: file has 200.0 MB, at most {MAX_BYTES // 2**20} MB are read\n"


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that the system refuses is named (root may read everything, so the refusal is simulated)."""

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(CourseError, match=r"x\.json: permission denied, the file cannot be read"):
        load("x.json", tmp_path)


def test_markdown_gets_the_same_checks(tmp_path: Path) -> None:
    """load_text refuses BOM and conflict markers, but a setext underline of seven signs is text."""
    (tmp_path / "a.md").write_text("标题\n=======\n\n<<<<<< not seven\n")
    assert load_text("a.md", tmp_path).startswith("标题\n=======\n")
    (tmp_path / "b.md").write_text("x\n\n>>>>>>> other branch\n")
    with pytest.raises(CourseError, match=r"b\.md:3: merge conflict marker >>>>>>>"):
        load_text("b.md", tmp_path)
    (tmp_path / "c.md").write_bytes(b"x\n\xe4\xb8")
    with pytest.raises(CourseError, match=r"c\.md:2: is not UTF-8"):
        load_text("c.md", tmp_path)


def test_paths_are_shown_relative_to_the_project(tmp_path: Path) -> None:
    """Inside the project a path is shown from its root, elsewhere as it was given."""
    (tmp_path / "in").mkdir()
    for name in ("in/x.json", "y.json"):
        (tmp_path / name).write_text("{}")
    assert load(tmp_path / "in" / "x.json", tmp_path).path == "in/x.json"
    assert load("../y.json", tmp_path / "in").path == "../y.json"


def test_reading_json_imports_no_yaml(tmp_path: Path) -> None:
    """A build without YAML files does not pay for PyYAML."""
    (tmp_path / "x.json").write_text("{}")
    code = (
        "import sys; from pathlib import Path; from course_build.files.source import load\n"
        "load('x.json', Path(sys.argv[1])); print('yaml' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=30,
)  # fmt: skip


def pointers(value: Any, prefix: str = "") -> dict[str, Any]:
    """Return every pointer into `value` with what stands there."""
    found = {prefix: value}
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, member in members:
        found |= pointers(member, f"{prefix}/{strict_json.escape(str(key))}")
    return found


@given(JSON, st.sampled_from([None, 0, 2]), st.booleans())
def test_json_is_read_as_the_standard_library_reads_it(value: Any, indent: int | None, ascii: bool) -> None:
    """Well-formed JSON gives the same value, and every pointer has the value and a line."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii)
    assert strict_json.parse(text) == value
    source = Source("x.json", "", Kind.COMPUTED, text, value)
    lines = strict_json.lines(text)
    everything = pointers(value)
    assert lines.keys() == everything.keys()
    for pointer, member in everything.items():
        assert source.get(pointer) == member
        assert 1 <= lines[pointer] <= text.count("\n") + 1


@given(st.lists(st.tuples(st.text("ab/~", max_size=2), st.integers()), min_size=2, max_size=6))
def test_a_key_twice_is_always_seen(pairs: list[tuple[str, int]]) -> None:
    """An object is refused exactly when a key stands in it twice, and the second one's line is named."""
    rows = [f"{json.dumps(key)}: {value}" for key, value in pairs]
    text = "{\n" + ",\n".join(rows) + "\n}"
    keys = [key for key, _ in pairs]
    again = next((i for i, key in enumerate(keys) if key in keys[:i]), None)
    if again is None:
        assert strict_json.parse(text) == dict(pairs)
    else:
        with pytest.raises(MalformedError) as caught:
            strict_json.parse(text)
        assert caught.value.line == again + 2


def outcome(parse: Callable[[str], Any], text: str) -> tuple[Any, MalformedError | None]:
    """Return what `text` is, or why it is nothing."""
    try:
        return parse(text), None
    except MalformedError as error:
        return None, error


@given(st.text(alphabet='{}[]",:\\ \n01e-.ntfaulrsINy+\x1bé\ud800', max_size=60))
@example('{"a": ')
@settings(max_examples=400)
def test_no_text_breaks_the_json_reader(text: str) -> None:
    """Any text is a value or a MalformedError at one of its lines; nothing else comes out."""
    _, fault = outcome(strict_json.parse, text)
    if fault:
        assert fault.text
        assert fault.line <= text.count("\n") + 1


@given(st.text(alphabet="{}[]\",:\\ \n\t01e-.ntfa&*!?|>#%@'~\x07é", max_size=40))
@settings(max_examples=400)
def test_no_text_breaks_the_yaml_reader(text: str) -> None:
    """Any text is a value with a line for every pointer, or a MalformedError; nothing else comes out."""
    value, fault = outcome(strict_yaml.parse, text)
    if fault:
        assert fault.text
    else:
        assert strict_yaml.lines(text).keys() == pointers(value).keys()


@given(st.binary(max_size=200))
@settings(max_examples=200)
def test_no_bytes_break_a_load(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    """Whatever a file contains, loading it gives a value or problems of one line each."""
    root = tmp_path_factory.mktemp("bytes")
    for name in ("x.json", "x.yml"):
        (root / name).write_bytes(raw)
        said = ""
        try:
            load(name, root)
        except CourseError as error:
            said = str(error)
        assert "\n" not in said
