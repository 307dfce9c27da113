"""Facts and claims as an author declares them: `@fact`, `claim`, and the inputs they name.

    @fact("norm.params", title="主路归一化的参数", unit="个", how="({L} × 2 + 1) × {d}")
    def norm_params(L=anchor.at("/text_config/num_hidden_layers"), d=anchor.at("/text_config/hidden_size")):
        return (L * 2 + 1) * d

Declaring evaluates nothing.  A facts.py is executed inside `collecting()`, which gathers what it declares;
`course_build.facts.evaluate` turns the declarations into ledger records.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from course_build.evidence import Kind
from course_build.facts.inputs import Input, model, paper, ref, run, source

__all__ = [
    "ClaimDef",
    "FactDef",
    "Registry",
    "claim",
    "collecting",
    "fact",
    "model",
    "paper",
    "ref",
    "run",
    "source",
]

Function = TypeVar("Function", bound=Callable[..., Any])
PerMember = str | Mapping[str, str]  # one text for all members of a dict fact, or one for each

ID = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)+")


@dataclass(frozen=True)
class FactDef:
    """A declared fact: the function, its inputs, and how its value is shown."""

    id: str
    function: Callable[..., Any]
    title: PerMember
    unit: PerMember
    how: PerMember
    by: PerMember
    format: PerMember
    kind: Kind | None
    filename: str  # absolute, as the interpreter knows it
    line: int

    @property
    def inputs(self) -> dict[str, Input]:
        """Return parameter name -> declared input, in the order of the signature."""
        return {p.name: p.default for p in inspect.signature(self.function).parameters.values()}


@dataclass(frozen=True)
class ClaimDef:
    """A sentence that can go stale: an expression over ids.

    `law` says why no input can make it false: then it tests the code, not the data.
    """

    id: str
    expression: str
    title: str
    law: str
    filename: str
    line: int


@dataclass
class Registry:
    """What one file declares, in order."""

    facts: list[FactDef] = field(default_factory=list)
    claims: list[ClaimDef] = field(default_factory=list)
    figures: list[Any] = field(default_factory=list)
    about: str = ""  # the file's docstring

    @property
    def definitions(self) -> list[FactDef | ClaimDef]:
        """Return facts and claims."""
        return [*self.facts, *self.claims]


_collecting: ContextVar[Registry] = ContextVar("collecting")


@contextmanager
def collecting() -> Iterator[Registry]:
    """Gather the declarations made inside the block."""
    registry = Registry()
    token = _collecting.set(registry)
    try:
        yield registry
    finally:
        _collecting.reset(token)


def registry() -> Registry:
    """Return the registry of the file being executed; a detached one outside of a build (tests)."""
    return _collecting.get(Registry())


def fact(
    name: str,
    *,
    title: PerMember,
    how: PerMember = "",
    by: PerMember = "",
    unit: PerMember = "",
    format: PerMember = "",
    kind: str = "",
) -> Callable[[Function], Function]:
    """Declare the decorated function as the fact `name`.

    Args:
        name: global id, dotted, lower-case ASCII.
        title: what the number is, in Chinese; shown in its card and in the ledger.
        how: checked arithmetic over the parameter names, e.g. "{L} × 2 × {d}".
        by: plain words instead, when a procedure and not a formula made the value.
        unit: shown after the value in card and ledger.
        format: display rule (value.py); a dict fact may give one for each member.
        kind: only what the function itself adds (simulated, proved …); inputs decide the rest.
    """

    def register(function: Function) -> Function:
        code = function.__code__
        if not ID.fullmatch(name):
            raise ValueError(f"fact id {name!r}: use dotted lower-case ASCII such as norm.params")
        if kind and kind not in (kinds := [each.value for each in Kind]):
            raise ValueError(f"fact {name}: kind {kind!r} is none of {', '.join(kinds)}")
        if bool(how) == bool(by):
            raise ValueError(f"fact {name}: give either how= (checked arithmetic) or by= (plain words)")
        registry().facts.append(
            FactDef(
                name, function, title, unit, how, by, format, Kind(kind) if kind else None,
                code.co_filename, code.co_firstlineno,
            )
        )  # fmt: skip
        return function

    return register


def claim(name: str, expression: str, *, title: str, law: str = "") -> None:
    """Declare the claim `name`: `expression` must hold whenever the site is built.

    Args:
        name: global id, as of a fact.
        expression: over ids, see contributing.md.
        title: the sentence, in Chinese.
        law: why no change of any input can make it false, in Chinese; without it such a claim is reported as empty.
    """
    if not ID.fullmatch(name):
        raise ValueError(f"claim id {name!r}: use dotted lower-case ASCII such as norm.c.ladder")
    frame = sys._getframe(1)
    registry().claims.append(ClaimDef(name, expression, title, law, frame.f_code.co_filename, frame.f_lineno))
