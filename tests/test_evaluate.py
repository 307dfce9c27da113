"""Facts become ledger records: values, kinds, derivations, inputs, keys; a failure spares the rest."""

from __future__ import annotations

from pathlib import Path

from course_build.evidence import Kind
from course_build.site.course import Course
from tests.courses import FACTS, course, write


def texts(built: Course) -> list[str]:
    """Return the problems as the terminal shows them."""
    return [str(problem) for problem in built.problems]


def test_record_holds_all_that_a_reader_may_ask(tmp_path: Path) -> None:
    """Value, text, derivation with numbers, inputs with file and key, kind, code line."""
    record = course(tmp_path, a=5000).ledger.records["toy.sum"]
    assert (record.value, record.text, record.derivation, record.kind) == (
        5003,
        "5,003",
        "5,000 + 3",
        Kind.COMPUTED,
    )
    assert [leaf.where for leaf in record.leaves] == ["docs/data.json#/a", "docs/data.json#/b"]
    assert (record.path, record.line) == ("docs/facts.py", 7)


def test_leaves_are_followed_through_other_facts(tmp_path: Path) -> None:
    """A fact of a fact stands on the same file values."""
    built = course(tmp_path)
    assert [leaf.pointer for leaf in built.ledger.records["toy.double"].leaves] == ["/a", "/b"]


def test_weakest_input_decides_the_kind(tmp_path: Path) -> None:
    """Constructed data makes everything built on it constructed."""
    built = course(
        tmp_path,
        {"docs/facts.py": FACTS.replace('"docs/data.json")', '"docs/data.json", kind="constructed")')},
    )
    assert {record.kind for record in built.ledger.records.values()} == {Kind.CONSTRUCTED}


def test_derivation_that_does_not_give_the_result_is_refused(tmp_path: Path) -> None:
    """`how` is evaluated and compared."""
    built = course(tmp_path, {"docs/facts.py": FACTS.replace("{a} + {b}", "{a} × {b}")})
    [problem] = texts(built)
    assert problem.startswith("docs/facts.py:7: toy.sum: how='{a} × {b}' does not hold")
    assert set(built.ledger.failed) == {"toy.sum", "toy.double"}


def test_exception_in_facts_is_one_line_at_the_author_s_place(tmp_path: Path) -> None:
    """No traceback: the author's own line and the exception."""
    built = course(tmp_path, {"docs/facts.py": FACTS.replace("return a + b", "return a / 0")})
    assert texts(built) == [
        "docs/facts.py:9: ZeroDivisionError: division by zero; given a = docs/data.json#/a; b = docs/data.json#/b"
        " (needed by toy.sum, docs/facts.py:7)"
    ]


def test_syntax_error_in_facts_is_reported_and_other_files_still_count(tmp_path: Path) -> None:
    """One broken facts.py spares the others."""
    built = course(tmp_path, {"docs/b/facts.py": "def broken(:\n"})
    assert texts(built)[0].startswith("docs/b/facts.py:1: SyntaxError")
    assert "toy.sum" in built.ledger.records


def test_missing_key_names_file_and_key(tmp_path: Path) -> None:
    """The reader's problem reaches the author with the fact that asked."""
    built = course(tmp_path, {"docs/facts.py": FACTS.replace('"/b"', '"/bb"')})
    [problem] = texts(built)
    assert problem == "docs/data.json:1: /bb: key is missing; nearest: b (needed by toy.sum, docs/facts.py:7)"


def test_circle_duplicate_and_prefix_are_named(tmp_path: Path) -> None:
    """Facts in a circle, an id declared twice, an id without the lesson's prefix."""
    more = (
        'from course_build.ledger import fact, ref\nprefix = "les"\n\n'
        '@fact("les.a", title="甲", by="乙")\ndef a(b=ref("les.b")):\n    return b\n\n'
        '@fact("les.b", title="乙", by="甲")\ndef b(a=ref("les.a")):\n    return a\n\n'
        '@fact("toy.sum", title="又", by="又")\ndef again():\n    return 1\n'
    )
    found = "\n".join(texts(course(tmp_path, {"docs/les/facts.py": more})))
    assert "in a circle: les.a → les.b → les.a" in found
    assert "duplicate id toy.sum, first declared at docs/facts.py:7" in found
    assert "does not start with this lesson's prefix 'les'" in found


def test_dict_fact_has_members(tmp_path: Path) -> None:
    """Members are facts of their own, with their own format; another fact may take one or all."""
    more = (
        "from course_build.ledger import fact, ref\n\n"
        '@fact("m.pair", title={"x": "甲", "y": "乙"}, by="手算", format={"x": ".2f"})\n'
        'def pair():\n    return {"x": 1, "y": 2}\n\n'
        '@fact("m.sum", title="和", how="{x} + {y}")\ndef total('
        'x=ref("m.pair.x"), y=ref("m.pair.y")):\n    return x + y\n'
    )
    records = course(tmp_path, {"docs/m/facts.py": more}).ledger.records
    assert [records[name].text for name in ("m.pair.x", "m.pair.y", "m.sum")] == ["1.00", "2", "3"]
    assert records["m.sum"].derivation == "1.00 + 2"


def test_key_follows_values_code_and_display_rule_only(tmp_path: Path) -> None:
    """Touching a file, its white space, key order or a comment moves no key; value, code and format move theirs."""

    def keys(name: str, facts: str, data: str) -> dict[str, str]:
        write(tmp_path / name, {"docs/facts.py": facts, "docs/data.json": data})
        return {record.id: record.key for record in Course.read(tmp_path / name).ledger.records.values()}

    base = keys("base", FACTS, '{"a": 2, "b": 3}')
    assert keys("space", "# a comment\n" + FACTS, '{ "b":3,\n "a":2, "unused": 1 }') == base
    value = keys("value", FACTS, '{"a": 3, "b": 3}')
    assert value["toy.sum"] != base["toy.sum"]
    code = keys("code", FACTS.replace("return s * 2", "return 2 * s"), '{"a": 2, "b": 3}')
    assert {name for name in base if code[name] != base[name]} == {"toy.double"}
    shown = keys("shown", FACTS.replace('how="{s} × 2"', 'how="{s} × 2", format=".1f"'), '{"a": 2, "b": 3}')
    assert {name for name in base if shown[name] != base[name]} == {"toy.double"}


def test_one_input_moves_exactly_its_dependents(tmp_path: Path) -> None:
    """Change one value: what depends on it moves, nothing else."""
    more = (
        "from course_build.ledger import fact, source\n\n"
        '@fact("other.c", title="丙", by="数据")\ndef c(c=source("docs/data.json").at("/c")):\n    return c\n'
    )
    before = course(tmp_path / "x", {"docs/o/facts.py": more}, c=9).ledger.records
    after = course(tmp_path / "x", {"docs/o/facts.py": more}, c=9, a=7).ledger.records
    assert {name for name in before if before[name].text != after[name].text} == {"toy.sum", "toy.double"}
