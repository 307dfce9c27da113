"""The closed world of a chart: every number drawn comes from the figure's declared inputs.

An array passes if it is

    a declared vector (a row, a column, a key of a list of records), or a slice of one, any step;
    made of declared single numbers (bars of several facts, a level line);
    at most SELECTED elements picked from declared vectors (the last value of each curve);
    on the axis that counts: consecutive whole numbers, or positions of another accepted array of that axis.

Nothing is computed on the way: a mean, a difference or a smoothed curve is a fact of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

SELECTED = 12


def is_number(value: Any) -> bool:
    """Return whether `value` is a number (a bool is none)."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_vector(value: Any) -> bool:
    """Return whether `value` is a list of numbers and gaps."""
    return isinstance(value, list) and bool(value) and all(item is None or is_number(item) for item in value)


@dataclass
class Pool:
    """The numbers that a figure declared."""

    vectors: list[tuple[str, list[Any]]] = field(default_factory=list)  # name -> values
    scalars: set[float] = field(default_factory=set)

    @classmethod
    def of(cls, values: Mapping[str, Any], ids: Mapping[str, str]) -> Pool:
        """Gather from the inputs' values (plain JSON); `ids` name them in errors."""
        pool = cls()
        for name, value in values.items():
            pool._add(ids.get(name, name), value)
        return pool

    def _add(self, name: str, value: Any) -> None:
        if is_number(value):
            self.scalars.add(value)
        elif is_vector(value):
            self.vectors.append((name, value))
        elif isinstance(value, dict):
            for key, item in value.items():
                self._add(f"{name}.{key}", item)
        elif isinstance(value, list):
            self._add_rows(name, value)

    def _add_rows(self, name: str, rows: list[Any]) -> None:
        for index, row in enumerate(rows):
            self._add(f"{name}[{index}]", row)
        if rows and all(isinstance(row, dict) for row in rows):
            for key in dict.fromkeys(key for row in rows for key in row):
                self._add(f"{name}[].{key}", [row.get(key) for row in rows])
        elif rows and all(is_vector(row) and len(row) == len(rows[0]) for row in rows):
            for index, column in enumerate(zip(*rows, strict=True)):
                self.vectors.append((f"{name}[][{index}]", list(column)))

    @cached_property
    def _members(self) -> set[Any]:
        return {item for _, vector in self.vectors for item in vector}

    def explains(self, values: Sequence[Any]) -> bool:
        """Return whether the array is made of declared numbers (rules in the module's docstring)."""
        if all(item is None or item in self.scalars for item in values):
            return True
        if len(values) <= SELECTED and all(item in self._members or item in self.scalars for item in values):
            return True
        return any(_is_slice(values, vector) for _, vector in self.vectors)

    def knows(self, value: Any) -> bool:
        """Return whether a single number is declared, or a member of a declared vector."""
        return value in self.scalars or value in self._members

    def compare(self, values: Sequence[Any]) -> str:
        """Say where the array leaves the input that it follows longest."""
        best, agreed = f"position 0: {values[0]!r}, no declared input is a vector", -1
        for name, vector in self.vectors:
            length = next((i for i, (a, b) in enumerate(zip(values, vector, strict=False)) if a != b), -1)
            if length < 0:  # one is the other's beginning
                length = min(len(values), len(vector))
            if length > agreed:
                agreed = length
                best = f"position {length}: {_at(values, length)}, input {name} has {_at(vector, length)}"
        return best


def _at(values: Sequence[Any], index: int) -> str:
    return repr(values[index]) if index < len(values) else "its end"


def _is_slice(values: Sequence[Any], vector: list[Any]) -> bool:
    """Return whether `values` is vector[i:j:k] for some i, j and k != 0."""
    count = len(values)
    if count == 1:
        return values[0] in vector
    for start in (i for i, item in enumerate(vector) if item == values[0]):
        for second in (i for i, item in enumerate(vector) if item == values[1] and i != start):
            step = second - start
            end = start + step * (count - 1)
            if 0 <= end < len(vector) and all(vector[start + step * i] == values[i] for i in range(count)):
                return True
    return False
