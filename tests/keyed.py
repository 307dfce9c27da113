"""A small project whose functions are keyed: facts that reach into modules, modules that reach into others."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from course_build.keys import code_key

FACTS = """
'''Facts of a small course.'''
import math
from science import top as upper
from science.near import scale, SHIFT as moved
from course_build.ledger import fact

RATE = 0.5
WORDS = {"a": 1}
WORDS["b"] = 2
OTHER = 3


def helper(x, unused=OTHER):
    '''Help.'''
    return x * RATE


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


class Counter:
    step = 1

    def count(self, x):
        return helper(x) + self.step


def make(power):
    def raised(x):
        return x ** power
    return raised


def plain(x):
    return x + 1

def uses_helper(x):
    return helper(x)

def uses_words(x):
    return WORDS[x]

def uses_class(x):
    return Counter().count(x)

def uses_import(x):
    return scale(x)

def uses_constant_elsewhere(x):
    return x + moved

def uses_package_attribute(x):
    return upper.lift(x)

def imports_inside(x):
    from science.near import scale as inner
    return inner(x)

def mutual(x):
    return even(x)

def stdlib(x):
    return math.sqrt(x)

def third_party(x):
    import numpy as np
    return np.sum(x)

made = [make(p) for p in (1, 2)]
square = make(2)
short = lambda x: x + RATE
pair = (lambda x: x + 1, lambda x: x * helper(x))

def uses_made(x):
    return square(x)

@fact("t.declared", title="Title", by="words")
def declared(x=1):
    return x

def uses_declared(x):
    return declared(x)

def attribute_only(x):
    return x.helper
"""
MODULES = {
    "science/__init__.py": "",
    "science/top.py": "from science.near import scale\n\ndef lift(x):\n    return scale(x)\n",
    "science/near.py": "from .far import deep\nSHIFT = 4\n\ndef scale(x):\n    return deep(x)\n",
    "science/far.py": "CONSTANT = 7\n\ndef deep(x):\n    '''Deep.'''\n    return x * CONSTANT  # here\n",
    "science/unused.py": "X = 1\n",
}
NAMES = [
    "plain", "uses_helper", "uses_words", "uses_class", "uses_import", "uses_constant_elsewhere",
    "uses_package_attribute", "imports_inside", "mutual", "stdlib", "third_party", "uses_made", "short",
    "uses_declared", "declared", "attribute_only",
]  # fmt: skip


class Project:
    """A project on disk whose facts.py is executed again for every question."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("docs/facts.py", FACTS)
        for path, text in MODULES.items():
            self.write(path, text)

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def replace(self, path: str, old: str, new: str) -> None:
        """Replace the one place where `old` stands."""
        text = (self.root / path).read_text()
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
        self.write(path, text.replace(old, new))

    def facts(self) -> SimpleNamespace:
        """Execute facts.py as the generator does: from its text, with freshly imported modules."""
        forget_science()
        file = self.root / "docs" / "facts.py"
        namespace: dict[str, Any] = {"__name__": "docs.facts", "__file__": str(file)}
        exec(compile(file.read_text(), str(file), "exec"), namespace)
        return SimpleNamespace(**namespace)

    def keys(self) -> dict[str, str]:
        """Return the key of every function in NAMES."""
        facts = self.facts()
        return {name: code_key(getattr(facts, name), self.root) for name in NAMES}


def forget_science() -> None:
    """Forget the project's modules, as a new process would."""
    for name in [each for each in sys.modules if each.split(".")[0] == "science"]:
        del sys.modules[name]


def run_facts(project: Project, text: str) -> SimpleNamespace:
    """Replace facts.py and execute it."""
    project.write("docs/facts.py", textwrap.dedent(text))
    return project.facts()
