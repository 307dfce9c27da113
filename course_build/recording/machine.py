"""Where a run was made: said beside every measured number."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Any

from course_build.recording.code import version

PACKAGES = ("torch", "numpy")


def environment(threads: int = 1) -> dict[str, Any]:
    """Return processor, system and versions; load: busy processes, mean of the last minute."""
    return {
        "machine": f"{_processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "device": "cpu",
        "threads": threads,
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
    }


def _processor() -> str:
    """Return the processor's name as the system gives it."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or platform.machine()
