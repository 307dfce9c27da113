"""Runs a command in a copy of a course on a disk that is really full, or really read-only.

    python -m tests.disk full FOLDER course_build lock

In a mount namespace of its own, so that nothing is left behind. Prints JSON: exit status, what was said, whether
site, lock and runs are as they were, and what lies beside them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.small import run, tree

ISOLATED = ("unshare", "--user", "--map-root-user", "--mount")
LEFT = {"full": 0, "nearly full": 20 * 1024}  # bytes that are free: nothing fits; a page fits, a site does not
PRECIOUS = ("site", "docs", "experiments")


def is_possible() -> bool:
    """Tell whether this system lets us mount."""
    return bool(shutil.which("unshare")) and subprocess.run([*ISOLATED, "true"], check=False).returncode == 0


def mounted(kind: str, folder: Path, place: Path) -> None:
    """Put a copy of the course at `place`, on a disk of its own."""
    if kind == "read-only":
        shutil.copytree(folder, place, dirs_exist_ok=True, symlinks=True)
        subprocess.run(["mount", "--bind", place, place], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", place], check=True)
        return
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", place], check=True)
    shutil.copytree(folder, place, dirs_exist_ok=True, symlinks=True)
    free = shutil.disk_usage(place).free
    (place / "filler").write_bytes(b"x" * (free - LEFT[kind]))


def main() -> None:
    """Run what the command line says; the outer process starts itself again in a namespace."""
    kind, folder, *command = sys.argv[1:]
    with tempfile.TemporaryDirectory() as place:
        mounted(kind, Path(folder), Path(place))
        before = {name: tree(Path(place) / name) for name in PRECIOUS}
        code, said = run(Path(place), *command)
        after = {name: tree(Path(place) / name) for name in PRECIOUS}
        beside = sorted(path.name for path in Path(place).iterdir() if path.name.startswith(".site-"))
        print(json.dumps({"code": code, "said": said, "same": before == after, "beside": beside}))
        subprocess.run(["umount", place], check=True)


if __name__ == "__main__":
    main()
