"""facts.py may hold no numeric constant but 0, 1 and 2."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from course_build.facts.lint import constants, facts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 0 + 1 * 2 - 1", []),
        ("x = True", []),
        ("x = 'norm 5120'", []),
        ("x = 3", ["3"]),
        ("x = -3", ["3"]),
        ("x = 0.5", ["0.5"]),
        ("x = 1e-6", ["1e-06"]),
        ("def f(x): return x[3] + 1j", ["3", "1j"]),
        ("def f(x, y=7): ...", ["7"]),
        ("f'{x:.3f} {x * 4}'", ["4"]),
        ("x = float('0.5') + int(b'64')", ["float('0.5')", "int(b'64')"]),
        ("x = decimal.Decimal('0.1')", ["decimal.Decimal('0.1')"]),
        ("x = int(y)", []),
        ("x = 1.0 + 2.0", []),
    ],
)
def test_constants(text: str, expected: list[str]) -> None:
    """Every spelling of a number counts, texts do not, unless they are made into a number."""
    assert sorted(seen for _, seen in constants(ast.parse(text))) == sorted(expected)


def test_each_facts_file_is_read(tmp_path: Path) -> None:
    """Path and line are named; other files and broken ones are passed over."""
    (tmp_path / "docs" / "a").mkdir(parents=True)
    (tmp_path / "docs" / "a" / "facts.py").write_text("x = 1\ny = 64\n")
    (tmp_path / "docs" / "facts.py").write_text("def broken(:\n")
    (tmp_path / "docs" / "charts.py").write_text("x = 64\n")
    found = facts(tmp_path / "docs", tmp_path)
    assert [(each.path, each.line) for each in found] == [("docs/a/facts.py", 2)]
    assert "constant 64 in facts.py" in found[0].text
