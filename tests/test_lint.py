"""facts.py may hold no numeric constant but 0, 1 and 2."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from course_build.facts.lint import constants, derived, facts, inputs


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from course_build.ledger import fact\nfrom course_build.params import Sym", []),
        ("import math\nfrom itertools import pairwise\nimport numpy as np\nx = np.mean(y)", []),
        ("import science\nfrom science.norms import rms", []),
        ("def f(input, compile): return input + compile", []),
        ("x = re.compile('a')", []),
        ("x = open('data.json').read()", ["open"]),
        ("reader = open", ["open"]),
        ("x = eval('1') + input() + exec('')", ["eval", "exec", "input"]),
        ("x = __import__('os')", ["__import__"]),
        ("import os, pathlib, time", ["import os", "import pathlib", "import time"]),
        ("from datetime import datetime", ["import of datetime"]),
        ("def f():\n    import random", ["import random"]),
        ("from urllib.request import urlopen", ["import of urllib.request"]),
        ("import subprocess, socket, json", ["import json", "import socket", "import subprocess"]),
        ("import requests", ["import requests"]),
        ("from course_build.files.source import load", ["import of course_build.files.source"]),
        ("from course_build import files, ledger", ["import of course_build.files"]),
        ("import numpy as np\nx = np.random.rand() + np.load('a')", ["np.load", "np.random"]),
        ("from numpy import random", ["import of numpy.random"]),
    ],
)
def test_undeclared_inputs(tmp_path: Path, text: str, expected: list[str]) -> None:
    """Files, the clock, chance, the environment and the network are no inputs; what only computes is free."""
    (tmp_path / "science").mkdir()
    assert sorted(seen for _, seen in inputs(ast.parse(text), tmp_path)) == expected


def test_an_undeclared_input_is_told_with_the_right_way(tmp_path: Path) -> None:
    """Charts are looked at too; the error names the way a file's value comes in."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "charts.py").write_text("import math\nx = open('a.json')\n")
    [found] = facts(tmp_path / "docs", tmp_path)
    assert (found.path, found.line) == ("docs/charts.py", 2)
    assert 'source("docs/….json").at("/…")' in found.text


@pytest.mark.parametrize(
    ("template", "expected"),
    [("{d} × 2 + 1", []), ("{d}² / 2", []), ("{d} × 64", ["64"]), ("{d} × 0.5", ["0.5"]), ("×", [])],
)
def test_constants_of_a_derivation(template: str, expected: list[str]) -> None:
    """A derivation is shown with the values put in: a typed constant in it is a typed number."""
    assert derived(template) == expected
