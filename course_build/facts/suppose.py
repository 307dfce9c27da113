"""What if an input had another value? Answers by computing anew what stands on it, and nothing else.

    suppose = Suppose(ledger)
    suppose.atoms("norm.batch.a.bn")       {"docs/…/toy.json#/batch/eps": 1e-05, …}
    suppose({"docs/…/toy.json#/batch/eps": 1.0}).record("norm.batch.a.bn").value

An atom is what can be changed by itself: a number, a text, a truth, or a list of numbers, wherever it lies inside
the value that a fact reads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from course_build.facts.evaluate import Ledger
from course_build.facts.inputs import Leaf


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

    def atoms(self, name: str) -> dict[str, Any]:
        """Return the atoms that a number stands on, with their values."""
        return {where: value for leaf in self.ledger.record(name).leaves for where, value in atoms(leaf)}


def atoms(leaf: Leaf) -> Iterator[tuple[str, Any]]:
    """Yield `path#pointer` and value of everything in a leaf that can be changed by itself; null cannot."""
    yield from _inside(leaf.where, leaf.value)


def _inside(where: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _inside(f"{where}/{key.replace('~', '~0').replace('/', '~1')}", member)
    elif isinstance(value, list) and not _is_vector(value):
        for index, member in enumerate(value):
            yield from _inside(f"{where}/{index}", member)
    elif value is not None:
        yield where, tuple(value) if isinstance(value, list) else value


def _is_vector(value: list[Any]) -> bool:
    return bool(value) and all(isinstance(each, int | float) and not isinstance(each, bool) for each in value)
