"""Versions of installed distributions, found by listing folder names: nothing is imported."""

from __future__ import annotations

import os
import re
import sys
from functools import cache

_INFO = re.compile(r"(?P<name>[^-]+)-(?P<version>[^-]+?)(?:-py\d[^-]*)?\.(?:dist|egg)-info\Z")


def version(module: str) -> str | None:
    """Return the version of the distribution that installs the top-level `module`, None when none does."""
    found = _versions().get(_normal(module))
    if found is None:
        distribution = _other_name(module)
        found = _versions().get(_normal(distribution)) if distribution else None
    return found


def forget() -> None:
    """Look at the installation again at the next question."""
    _versions.cache_clear()
    _other_name.cache_clear()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


@cache
def _versions() -> dict[str, str]:
    """Return normalised distribution name -> version; the first folder of sys.path wins."""
    found: dict[str, str] = {}
    for folder in sys.path:
        try:
            names = sorted(os.listdir(folder))  # noqa: PTH208
        except OSError:
            continue
        for name in names:
            match = _INFO.match(name)
            if match:
                found.setdefault(_normal(match["name"]), match["version"])
    return found


@cache
def _other_name(module: str) -> str | None:
    """Return the distribution of a module whose name is not its distribution's (yaml: PyYAML); slow."""
    from importlib.metadata import packages_distributions

    return next(iter(packages_distributions().get(module, [])), None)
