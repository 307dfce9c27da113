"""Values that say where they came from: every number, text and truth of a file, followed while facts compute.

    values = Tracer(ledger, ["docs/data.json"])
    values.origins("toy.sum")        {"docs/data.json#/a", "docs/data.json#/b"}

A `Traced` stands for a value and carries the places it was computed from. Arithmetic joins the places of both sides;
whatever leaves that path (a comparison, a loop over range(n), a square root in C) counts for the whole fact.
So the places found are never too few, whatever the facts declare.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from course_build.evidence import Kind
from course_build.facts.evaluate import Ledger
from course_build.facts.inputs import Resolved
from course_build.files import typed

_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_LEAVING: dict[str, Callable[[Any], Any]] = {
    "__bool__": bool, "__float__": float, "__index__": int, "__int__": int, "__hash__": hash, "__len__": len,
}  # fmt: skip


class Traced:
    """A value with the places that it was computed from; `seen` collects those that leave the traced path."""

    seen: set[str] = set()  # noqa: RUF012  # of the fact being computed

    def __init__(self, value: Any, places: frozenset[str]) -> None:
        self.value = value
        self.places = places

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Pass for the value's own type in isinstance()."""
        return type(self.value)

    def __getattr__(self, name: str) -> Any:
        Traced.seen |= self.places
        return getattr(self.value, name)

    def __iter__(self) -> Iterator[Any]:
        Traced.seen |= self.places
        return iter(self.value)

    def __contains__(self, item: Any) -> bool:
        Traced.seen |= self.places
        return plain(item) in self.value

    def __str__(self) -> str:
        return str(self.value)  # only for texts beside the number

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)

    def __neg__(self) -> Traced:
        return Traced(-self.value, self.places)

    def __abs__(self) -> Traced:
        return Traced(abs(self.value), self.places)


def _joined(name: str, swapped: bool) -> Callable[[Traced, Any], Traced]:
    function = getattr(operator, name)

    def method(self: Traced, other: Any) -> Traced:
        left, right = (other, self) if swapped else (self, other)
        return Traced(function(plain(left), plain(right)), self.places | places(other))

    return method


def _compared(name: str) -> Callable[[Traced, Any], bool]:
    function = getattr(operator, name)

    def method(self: Traced, other: Any) -> bool:
        if sys._getframe(1).f_code.co_filename != typed.__file__:  # in range or an error: no way to another value
            Traced.seen |= self.places | places(other)
        return bool(function(self.value, plain(other)))

    return method


def _leaving(convert: Callable[[Any], Any]) -> Callable[[Traced], Any]:
    def method(self: Traced) -> Any:
        Traced.seen |= self.places
        return convert(self.value)

    return method


for _name in _ARITHMETIC:
    setattr(Traced, f"__{_name}__", _joined(_name, False))
    setattr(Traced, f"__r{_name}__", _joined(_name, True))
for _name in _COMPARISONS:
    setattr(Traced, f"__{_name}__", _compared(_name))
for _name, _convert in _LEAVING.items():
    setattr(Traced, _name, _leaving(_convert))


def traced(data: Any, where: str) -> Any:
    """Return JSON data with every scalar but null traced by its place."""
    if isinstance(data, dict):
        return {key: traced(member, f"{where}/{key}") for key, member in data.items()}
    if isinstance(data, list):
        return [traced(member, f"{where}/{index}") for index, member in enumerate(data)]
    return data if data is None else Traced(data, frozenset([where]))


def plain(value: Any) -> Any:
    """Return a value as it would be without tracing."""
    if type(value) is Traced:
        return plain(value.value)
    if isinstance(value, dict):
        return {plain(key): plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(member) for member in value]
    return value


def places(value: Any) -> frozenset[str]:
    """Return the places that a value was computed from."""
    if type(value) is Traced:
        return value.places
    if isinstance(value, dict):
        return frozenset().union(*(places(part) for pair in value.items() for part in pair))
    if isinstance(value, list | tuple):
        return frozenset().union(*map(places, value))
    return frozenset()


class Tracer:
    """Evaluates a ledger's facts over traced files, each once."""

    def __init__(self, ledger: Ledger, files: list[str]) -> None:
        self._ledger = ledger
        self._ground = ledger.ground.supposing({path: {"": ledger.ground.sources[path].data} for path in files})
        for path in files:
            source = self._ground.sources[path]
            self._ground.sources[path] = replace(source, data=traced(source.data, f"{path}#"))
        self._done: dict[str, tuple[Any, frozenset[str]]] = {}

    def value(self, name: str) -> Any:
        """Return a number's value as it came out of the traced computation."""
        owner, member = self._split(name)
        value = self._fact(owner)[0]
        return plain(value)[member] if member else plain(value)

    def origins(self, name: str) -> frozenset[str]:
        """Return the places that a number was computed from."""
        owner, member = self._split(name)
        value, seen = self._fact(owner)
        part = next(part for key, part in value.items() if plain(key) == member) if member else value
        return places(part) | seen

    def _split(self, name: str) -> tuple[str, str]:
        owner = self._ledger.record(name).owner
        return owner, name[len(owner) + 1 :]

    def _fact(self, name: str) -> tuple[Any, frozenset[str]]:
        if name not in self._done:
            definition = self._ledger.facts[name]
            before = Traced.seen
            Traced.seen = set()
            self._ground._models.clear()  # an inventory made for another fact has been seen to read by that one only
            try:
                given = {
                    parameter: declared.resolve(self._ground, self._resolved).value
                    for parameter, declared in definition.inputs.items()
                }
                value = definition.function(**given)
                self._done[name] = value, frozenset(Traced.seen)
            finally:
                Traced.seen = before
        return self._done[name]

    def _resolved(self, name: str) -> Resolved:
        """Return another fact's value for a fact that stands on it, which takes over what that one has seen."""
        owner, member = self._split(name) if name not in self._ledger.facts else (name, "")
        value, seen = self._fact(owner)
        Traced.seen |= seen
        part = next(part for key, part in value.items() if plain(key) == member) if member else value
        return Resolved(part, Kind.COMPUTED)  # the kind is no value

