"""A row of the ledger: a number with all it stands on, as the reader sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from course_build.evidence import Kind
from course_build.facts.inputs import Leaf, Resolved
from course_build.files.typed import shown as brief
from course_build.keys import canonical
from course_build.ledger import PerMember
from course_build.value import format_number, format_vector

MAX_TOLD = 3  # places that an error names of one input


@dataclass(frozen=True)
class Argument:
    """One input of a record, as the reader sees it."""

    name: str
    text: str
    fact: str  # the id, when the input is another fact
    leaves: tuple[Leaf, ...]  # the file values, when it is not


@dataclass(frozen=True)
class Record:
    """One row of the ledger."""

    id: str
    value: Any
    text: str
    unit: str
    title: str
    kind: Kind
    format: str
    derivation: str  # the filled formula, or the procedure in words
    checked: bool  # True when the derivation is arithmetic that was evaluated and agreed
    arguments: tuple[Argument, ...]
    path: str
    line: int
    key: str
    parts: Mapping[str, str] = field(compare=False, repr=False)  # what the key is made of, for `explain`
    owner: str = ""  # the fact that declares it: the id itself, or the dict fact of a member
    leaves: tuple[Leaf, ...] = ()  # everything the value stands on, through other facts too


@dataclass
class Made:
    """What all members of a fact share."""

    kind: Kind
    inputs: Mapping[str, Resolved]
    leaves: tuple[Leaf, ...]
    parts: Mapping[str, str]
    _shown: dict[str, tuple[Mapping[str, str], bytes]] = field(default_factory=dict)

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """Return the inputs as the reader sees them."""
        return tuple(argument(name, given) for name, given in self.inputs.items())

    def shown_by(self, spec: str) -> tuple[Mapping[str, str], bytes]:
        """Return what the key is made of under a display rule, as parts and as bytes."""
        if spec not in self._shown:
            parts = {**self.parts, "display": spec}
            self._shown[spec] = parts, canonical(parts)
        return self._shown[spec]


def member_text(text: PerMember, member: str) -> str:
    """Return the text for one member of a dict fact ("" for a plain fact)."""
    return text if isinstance(text, str) else text.get(member, "")


def show(value: Any, spec: str = "") -> str:
    """Return a value as text by its display rule."""
    if isinstance(value, bool):
        return "是" if value else "否"
    for each in value if isinstance(value, list | tuple) else [value]:
        if not isinstance(each, str | int | float):
            raise ValueError(f"{brief(each)} is no number, no text and no truth")
    if isinstance(value, list | tuple):
        return format_vector(value, spec)
    return format_number(value, spec)


def told_inputs(inputs: Mapping[str, Resolved]) -> str:
    """Return what a function was called with, for the error that it raised: the ids, or the places in files."""
    told = (
        f"{name} = {given.fact or ', '.join(leaf.where for leaf in given.leaves[:MAX_TOLD])}"
        for name, given in inputs.items()
    )
    return f"; given {'; '.join(told)}" if inputs else ""


def argument(name: str, given: Resolved) -> Argument:
    """Return an input as the reader sees it; what is neither text nor number is told by its formula."""
    text = show(given.value) if isinstance(given.value, str | int | float) else given.shown
    return Argument(name, text, given.fact, () if given.fact else given.leaves)
