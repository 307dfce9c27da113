"""Write the transitive pins of requirements.txt: `python -m tests.pins`.

The part above the marker is written by hand: direct pins, each with a word why.  Everything else that is installed and
that those packages need is pinned below it.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

FILE = Path(__file__).parents[1] / "requirements.txt"
MARKER = "# -- transitive pins, written by `python -m tests.pins` --"
LAST = "-e ."


def needed(direct: list[str]) -> dict[str, str]:
    """Return name -> version of everything that the direct requirements need, themselves not included."""
    found: dict[str, str] = {}
    waiting = [(Requirement(line), frozenset(Requirement(line).extras)) for line in direct]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        requirement, extras = waiting.pop()
        name = canonicalize_name(requirement.name)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            installed = distribution(requirement.name)
        except PackageNotFoundError:
            continue  # needed elsewhere only (another platform)
        found[name] = installed.version.partition("+")[0]
        for text in installed.requires or []:
            child = Requirement(text)
            wanted = child.marker is None or any(child.marker.evaluate({"extra": e}) for e in extras | {""})
            if wanted:
                waiting.append((child, frozenset(child.extras)))
    for line in direct:
        found.pop(canonicalize_name(Requirement(line).name), None)
    return found


def main() -> None:
    """Rewrite the part below the marker."""
    head = FILE.read_text(encoding="utf-8").partition(MARKER)[0].rstrip()
    direct = [line.partition("#")[0].strip() for line in head.splitlines()]
    pins = needed([line for line in direct if re.match(r"[A-Za-z]", line)])
    rows = [f"{name}=={version}" for name, version in sorted(pins.items())]
    FILE.write_text("\n".join([head, "", MARKER, *rows, LAST, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
