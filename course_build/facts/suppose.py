"""What if an input had another value? Answers by computing anew what stands on it, and nothing else.

    suppose = Suppose(ledger)
    atoms_below(ledger, "norm.batch.a.bn") {"docs/…/toy.json#/batch/eps": 1e-05, …}
    suppose({"docs/…/toy.json#/batch/eps": 1.0}).record("norm.batch.a.bn").value

An atom is what can be changed by itself: a number, a text, a truth, or a list of numbers, wherever it lies inside
the value that a fact reads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from course_build.facts.evaluate import Ledger
from course_build.facts.inputs import Leaf
from course_build.files.source import load
from course_build.files.strict_json import escape
from course_build.recording.plans import CORPUS, PRESETS, RECIPES

OF_RUNS = (f"{RECIPES}/", CORPUS, PRESETS)  # whether recorded runs are fresh depends on these


class Suppose:
    """The ledgers that other inputs would give."""

    def __init__(self, ledger: Ledger) -> None:
        """Remember which facts stand on which places of which files."""
        self.ledger = ledger
        self._standing: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._presence: set[str] = set()  # objects of which was only asked whether they are there
        for record in ledger.records.values():
            for leaf in record.leaves:
                self._standing[leaf.path][leaf.pointer].add(record.owner)
                if leaf.value == {}:
                    self._presence.add(leaf.where)

    def __call__(self, changes: Mapping[str, Any]) -> Ledger:
        """Return the ledger with other values at these atoms (`path#pointer`)."""
        by_path: dict[str, dict[str, Any]] = defaultdict(dict)
        for where, value in changes.items():
            path, _, pointer = where.partition("#")
            by_path[path][pointer] = list(value) if isinstance(value, tuple) else value
        affected = {name for path, values in by_path.items() for pointer in values for name in self._on(path, pointer)}
        return self.ledger.supposing(by_path, affected)

    def is_read(self, where: str) -> bool:
        """Tell whether some number reads this place, or something inside it."""
        path, _, pointer = where.partition("#")
        return path in self._standing and any(self._on(path, pointer))

    def _on(self, path: str, pointer: str) -> Iterator[str]:
        """Yield the facts that read a value which holds this place, or lies inside it."""
        for read, names in self._standing[path].items():
            inside = f"{pointer}/".startswith(f"{read}/") and f"{path}#{read}" not in self._presence
            if inside or f"{read}/".startswith(f"{pointer}/"):
                yield from names


def reread(ledger: Ledger, paths: Iterable[str]) -> Ledger | None:
    """Return the ledger after these files were edited, with only what stands on a value that differs computed anew.

    None when they are not all data that facts read directly, or when something is wrong now: a model that is refused
    takes the value from all its numbers, also from those that read other keys. The old ledger must have no problem.

    Raises:
        CourseError: a file cannot be read.
    """
    suppose = Suppose(ledger)
    affected: set[str] = set()
    sources = {}
    for path in paths:
        before = ledger.ground.sources.get(path)
        if before is None or path.startswith(OF_RUNS):
            return None
        sources[path] = load(path, ledger.root, before.kind)
        for pointer in differing(before.data, sources[path].data):
            affected.update(suppose._on(path, pointer))
    other = ledger.supposing({path: {} for path in sources}, affected)
    other.ground.sources |= sources
    other.evaluate()
    return None if other.problems else other


def differing(old: Any, new: Any, pointer: str = "") -> Iterator[str]:
    """Yield the places where two JSON values differ, as deep as they are alike around it."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            below = f"{pointer}/{escape(key)}"
            if key in old and key in new:
                yield from differing(old[key], new[key], below)
            else:
                yield below
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from differing(a, b, f"{pointer}/{index}")
    elif type(old) is not type(new) or old != new:
        yield pointer


def atoms_below(ledger: Ledger, name: str) -> dict[str, Any]:
    """Return the atoms that a number stands on, with their values."""
    return {where: value for leaf in ledger.record(name).leaves for where, value in atoms(leaf)}


def atoms(leaf: Leaf) -> Iterator[tuple[str, Any]]:
    """Yield `path#pointer` and value of everything in a leaf that can be changed by itself; null cannot."""
    yield from _inside(leaf.where, leaf.value)


def _inside(where: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _inside(f"{where}/{escape(key)}", member)
    elif isinstance(value, list) and not _is_vector(value):
        for index, member in enumerate(value):
            yield from _inside(f"{where}/{index}", member)
    elif value is not None:
        yield where, tuple(value) if isinstance(value, list) else value


def _is_vector(value: list[Any]) -> bool:
    return bool(value) and all(isinstance(each, int | float) and not isinstance(each, bool) for each in value)
