"""The house keeps its rooms: imports point down, no lesson's name in the generator, files and functions stay small."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# From the ground up: a module may import its own layer and those before it.
LAYERS = (
    "errors evidence strings value",
    "files",
    "keys",
    "params expr numerals mathml plot",
    "recording",
    "facts ledger",
    "figures charts diagram",
    "markdown site",
    "plugin",
    "cli __main__",
)
HEAVY = ("torch", "nbconvert", "jupytext", "numpy", "plotly", "transformers", "fontTools", "ziamath", "distributed")


def modules(folder: str) -> list[Path]:
    """Return the Python files below a folder of the project."""
    return sorted((ROOT / folder).rglob("*.py"))


def imports(path: Path, *, everywhere: bool) -> Iterator[str]:
    """Yield imported module names; without `everywhere` only those at module level."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = ast.walk(tree) if everywhere else iter(tree.body)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part(name: str) -> str:
    """Return the module or package right below course_build that a dotted name lies in."""
    return name.split(".")[1] if "." in name else "__init__"


RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names.split()}


def test_every_module_has_a_layer() -> None:
    """A new module says where it belongs."""
    found = {path.relative_to(ROOT / "course_build").parts[0].removesuffix(".py") for path in modules("course_build")}
    assert found - {"__init__", "web", "theme"} == set(RANK)


@pytest.mark.parametrize("path", modules("course_build"), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    """No module imports one of a higher layer."""
    own = path.relative_to(ROOT / "course_build").parts[0].removesuffix(".py")
    for name in imports(path, everywhere=False):
        if name.startswith("course_build.") and part(name) in RANK and own in RANK:
            assert RANK[part(name)] <= RANK[own], f"{path.name} (layer {RANK[own]}) imports {name}"


@pytest.mark.parametrize("path", modules("experiments"), ids=lambda path: str(path.relative_to(ROOT)))
def test_science_knows_neither_generator_nor_content(path: Path) -> None:
    """Experiments run without the site."""
    assert [n for n in imports(path, everywhere=True) if n.startswith(("course_build", "docs"))] == []


def test_generator_names_no_lesson() -> None:
    """No id, folder or title of a lesson in course_build."""
    lessons = [path.parent.name for path in (ROOT / "docs").glob("c*/*/index.md")]
    prefixes = [
        found[1]
        for path in (ROOT / "docs").rglob("facts.py")
        if (found := re.search(r'^prefix = "(\w+)"', path.read_text(encoding="utf-8"), re.MULTILINE))
    ]
    wrong = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in (ROOT / "course_build").rglob("*")
        if path.suffix in (".py", ".js", ".css", ".html")
        for word in [*lessons, *(f"[[{prefix}." for prefix in prefixes)]
        if word in path.read_text(encoding="utf-8").replace("[[norm.params]]", "")
    ]
    assert wrong == []


@pytest.mark.parametrize("folder", ["course_build", "experiments", "tests", "docs"])
def test_files_and_functions_stay_small(folder: str) -> None:
    """At most 400 lines a file, 60 a function."""
    long = []
    for path in modules(folder):
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > 400:
            long.append(f"{path.name}: {text.count(chr(10))} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                long += [f"{path.name}:{node.lineno} {node.name}"] * ((node.end_lineno or 0) - node.lineno > 60)
    assert long == []


def test_a_cached_build_imports_nothing_heavy(tmp_path: Path) -> None:
    """Torch, notebooks, plotly, numpy and fonts wait until something needs them."""
    code = (
        "import sys\nfrom mkdocs.__main__ import cli\n"
        f"sys.argv = ['mkdocs', 'build', '-q', '-d', {str(tmp_path / 'site')!r}]\n"
        "try:\n    cli(standalone_mode=False)\nfinally:\n"
        f"    print(sorted(set(sys.modules) & set({HEAVY!r})))\n"
    )
    command = [sys.executable, "-c", code]
    for _ in range(2):  # the first one fills the cache
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().splitlines()[-1] == "[]"
