"""A small course on disk that can be checked, locked and built by the real commands."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.courses import FACTS, write

ROOT = Path(__file__).resolve().parent.parent
CONFIG = """\
site_name: 小课
theme: {name: material, font: false, language: zh}
use_directory_urls: false
plugins: [course]
markdown_extensions: [attr_list, tables, def_list, pymdownx.superfences, course_build.markdown]
exclude_docs: "*.py\\n*.json"
nav:
  - 首页: index.md
  - C4:
      - 第 3 课: c4/03-norm/index.md
  - 总表:
      - 账本: ledger.md
      - 断言: evidence.md
      - 待兑现: promises.md
"""
CLAIM = '\n\nclaim("toy.c.larger", "toy.double > toy.sum", title="后者更大")\n'
FILES = {
    "mkdocs.yml": CONFIG,
    "docs/facts.py": FACTS + CLAIM,
    "docs/data.json": '{"a": 2, "b": 3}',
    "docs/index.md": "# 小课 {#top}\n\n和是 [[toy.sum]]，另一个是 [[toy.double]]。\n\n"
    "/// claim | toy.c.larger\n后者更大。\n///\n",
    "docs/c4/03-norm/index.md": "# 归一化 {#norm}\n\n也是 [[toy.double]]。[[= 7; constructed: 只是例子]]\n",
}
BUILD = ("mkdocs", "build", "-q")
LOCK = ("course_build", "lock")


def small_course(folder: Path) -> Path:
    """Write the course; return its folder."""
    write(folder, FILES)
    return folder


def set_input(folder: Path, a: int) -> None:
    """Change one input value of the course."""
    (folder / "docs/data.json").write_text(json.dumps({"a": a, "b": 3}))


def environment() -> dict[str, str]:
    """Return the environment of a process that runs the generator on a course elsewhere."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"}


def start(folder: Path, module: Sequence[str], prefix: Sequence[str] = ()) -> subprocess.Popen[str]:
    """Start `python -m module …` in a course."""
    return subprocess.Popen(
        [*prefix, sys.executable, "-m", *module],
        cwd=folder, env=environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for a process; return its exit status and all it said."""
    out, err = process.communicate(timeout=300)
    return process.returncode, out + err


def run(folder: Path, *module: str, prefix: Sequence[str] = ()) -> tuple[int, str]:
    """Run `python -m module …` in a course; return the exit status and all it said."""
    return finish(start(folder, module, prefix))


def tree(folder: Path) -> str:
    """Return a digest of all files below a folder, "" when there is none."""
    if not folder.is_dir():
        return ""
    sha = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            sha.update(f"{path.relative_to(folder)}\0".encode())
            sha.update(hashlib.sha256(path.read_bytes()).digest())
    return sha.hexdigest()


def unprivileged() -> list[str]:
    """Return the command prefix under which even root must respect permissions ([] for everybody else)."""
    if os.geteuid() != 0:
        return []
    tool = shutil.which("setpriv")
    assert tool, "setpriv (util-linux) takes root's right to ignore permissions away; install it"
    return [tool, "--bounding-set=-dac_override,-dac_read_search,-fowner", "--"]
