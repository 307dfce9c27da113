"""What a fact may depend on: a key of a file, another fact, a model's parameters, a recorded run, a paper.

An input is declared as the default of a fact's parameter.  It is a small frozen value; only the ledger
resolves it, so that importing a facts.py reads no file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from course_build.errors import CourseError, Problem
from course_build.evidence import Kind
from course_build.facts.ground import Ground
from course_build.files.source import MISSING
from course_build.params import Selection
from course_build.params.sym import Sym

PAPERS = "experiments/configs/papers.json"


@dataclass(frozen=True)
class Leaf:
    """One value read from one place: where a chain of derivations ends."""

    path: str  # POSIX, relative to the project
    pointer: str  # JSON pointer
    value: Any
    kind: Kind

    @property
    def where(self) -> str:
        """Return `file#/pointer`, the leaf's name in the lock and in `explain`."""
        return f"{self.path}#{self.pointer}"


@dataclass(frozen=True)
class Resolved:
    """An input with its value: what the function receives, and what the ledger remembers."""

    value: Any
    kind: Kind
    leaves: tuple[Leaf, ...] = ()
    fact: str = ""  # the id, when the input is another fact
    shown: str = ""  # a formula that stands for the value in derivations (parameter counts)


FactValue = Callable[[str], Resolved]


class Input(Protocol):
    """Anything that may stand as a default in a fact's signature."""

    def resolve(self, ground: Ground, fact_value: FactValue) -> Resolved:
        """Return the value with its origin."""


@dataclass(frozen=True)
class FileInput:
    """One value of a JSON or YAML file."""

    path: str
    pointer: str
    kind: Kind

    def resolve(self, ground: Ground, fact_value: FactValue) -> Resolved:
        """Read the pointer; any JSON value may stand there."""
        value = ground.open_source(self.path, self.kind).get(self.pointer)
        return Resolved(value, self.kind, (Leaf(self.path, self.pointer, value, self.kind),))


@dataclass(frozen=True)
class ParamsInput:
    """A count of parameters of a model, with the tensors behind it."""

    path: str
    pointer: str  # where in the file the config stands; "" = the whole file
    kind: Kind
    part: str | None
    scope: str | None
    name: str | None

    def resolve(self, ground: Ground, fact_value: FactValue) -> Resolved:
        """Count from the config; the leaves are exactly the keys that were read."""
        selection = ground.select(self.path, self.pointer, self.kind, part=self.part, scope=self.scope, name=self.name)
        leaves = _leaves(self.path, self.kind, selection.reads)
        return Resolved(selection.count, self.kind, leaves, shown=selection.numbers)


@dataclass(frozen=True)
class DerivedInput:
    """Anything else computed from a whole config: `function(inventory)`, traced by the keys it read."""

    path: str
    pointer: str
    kind: Kind
    function: Callable[[Any], Any]

    def resolve(self, ground: Ground, fact_value: FactValue) -> Resolved:
        """Hand the inventory to the function."""
        inventory = ground.open_model(self.path, self.pointer, self.kind)
        value = self.function(inventory)
        if isinstance(value, Sym):  # it knows its own keys and formula
            pointers = sorted({*value.pointers, *inventory.deciding()})
            reads = {pointer: inventory.reads[pointer] for pointer in pointers if pointer in inventory.reads}
            return Resolved(value.value, self.kind, _leaves(self.path, self.kind, reads), shown=value.numbers)
        if isinstance(value, Selection):
            return Resolved(value.count, self.kind, _leaves(self.path, self.kind, value.reads), shown=value.numbers)
        if value is None:
            raise CourseError(Problem(self.path, 0, f"a {inventory.family} model has no {_wanted(self.function)}"))
        return Resolved(value, self.kind, _leaves(self.path, self.kind, inventory.reads))


def _wanted(function: Callable[[Any], Any]) -> str:
    """Return what a function reads, for the error that it found nothing: `traits.d_ff`, as far as can be seen."""
    code = getattr(function, "__code__", None)
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    names = [name for name in code.co_names if name != "getattr"] if code else []
    return ".".join([*names, *(each for each in cells if isinstance(each, str))]) or "value for this fact"


def _leaves(path: str, kind: Kind, reads: Mapping[str, Any]) -> tuple[Leaf, ...]:
    """Return the keys that were read as leaves; an optional key that is absent counts as null."""
    return tuple(
        Leaf(path, pointer, None if value is MISSING else value, kind) for pointer, value in sorted(reads.items())
    )


@dataclass(frozen=True)
class FactInput:
    """Another fact."""

    name: str

    def resolve(self, ground: Ground, fact_value: FactValue) -> Resolved:
        """Evaluate the other fact first."""
        return fact_value(self.name)


@dataclass(frozen=True)
class RunInput:
    """One value of a recorded run's run.json."""

    name: str
    pointer: str

    def resolve(self, ground: Ground, fact_value: FactValue) -> Resolved:
        """Read the run; the ledger notes a stale one."""
        record = ground.open_run(self.name)
        value = record.read(self.pointer)
        return Resolved(value, record.kind, (Leaf(record.path, self.pointer, value, record.kind),))


@dataclass(frozen=True)
class SourceRef:
    """A file that facts read from; `kind` says how its values are known."""

    path: str
    kind: Kind = Kind.COMPUTED

    def at(self, pointer: str) -> FileInput:
        """Declare the value at a JSON pointer as an input."""
        return FileInput(self.path, pointer, self.kind)


@dataclass(frozen=True)
class ModelRef(SourceRef):
    """A model's config file (or one member of a file of configs)."""

    pointer: str = ""

    def at(self, pointer: str) -> FileInput:
        """Declare one config key as an input."""
        return FileInput(self.path, self.pointer + pointer, self.kind)

    def params(self, part: str | None = None, *, scope: str | None = None, name: str | None = None) -> ParamsInput:
        """Declare a parameter count: by part, scope and tensor name (a glob)."""
        return ParamsInput(self.path, self.pointer, self.kind, part, scope, name)

    def derived(self, function: Callable[[Any], Any]) -> DerivedInput:
        """Declare `function(inventory)` as an input."""
        return DerivedInput(self.path, self.pointer, self.kind, function)


def source(path: str, kind: str = "computed") -> SourceRef:
    """Name a data file of the project; `kind` is the evidence its values carry."""
    return SourceRef(path, Kind(kind))


def model(path: str, member: str = "") -> ModelRef:
    """Name a model config; `member` is the JSON pointer of one model in a file of several."""
    return ModelRef(path, Kind.COMPUTED, member)


def ref(name: str) -> FactInput:
    """Name another fact as an input."""
    return FactInput(name)


def run(name: str, pointer: str) -> RunInput:
    """Name a value of a recorded run as an input."""
    return RunInput(name, pointer)


def paper(name: str, figure: str) -> FileInput:
    """Name a figure that a paper reports; its source stands in papers.json."""
    return FileInput(PAPERS, f"/{name}/figures/{figure}/value", Kind.REPORTED)
