"""Could a claim become false, and by which change of an input? What nothing can make false says nothing.

Two searches: over the ids that the claim names, each changed freely, and over the values in files that these ids
stand on, with everything between computed anew. A claim that only the first can make false tests the code and not
the data (BatchNorm of a single token is zero whatever the token is): it must say so with `law=`.

The changes found are kept in the lock, so that the next search begins with them, and the evidence page shows one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from course_build.errors import CourseError
from course_build.expr import Lookup, Value, parse
from course_build.expr.claims import ClaimError, Falsified, Inputs, evaluate_claim, falsify
from course_build.facts.evaluate import Ledger
from course_build.facts.suppose import Suppose, atoms_below
from course_build.keys import canonical, digest
from course_build.ledger import ClaimDef

Change = Mapping[str, Any]  # path#pointer -> the value that the file would hold
TRIES = 400  # changes of values in files for a part of a claim: each computes the facts that stand on them anew
LAW_TRIES = 60  # of a law: enough to contradict one that is none


class Step(NamedTuple):
    """One input of a change."""

    where: str  # path#pointer
    old: Any
    new: Any


class Falsifier:
    """Judges the claims of one ledger; what was found is kept in the store until a number of the claim moves."""

    def __init__(self, ledger: Ledger, committed: Mapping[str, Mapping[str, Any]]) -> None:
        """Judge over `ledger`, which has been evaluated; `committed` is what the lock knows of each claim."""
        self.ledger = ledger
        self._hints = {name: [_frozen(each) for each in row["changes"]] for name, row in committed.items()}
        self._seals = {name: row["key"] for name, row in committed.items()}

    @cached_property
    def suppose(self) -> Suppose:
        """Return what gives the ledger over other values; not made while all that the lock says still holds."""
        return Suppose(self.ledger)

    def judge(self, expression: str, name: str = "", law: str = "") -> Falsified:
        """Return changes that make an expression false, or why it is empty.

        Raises:
            ClaimError: it does not parse.
            CourseError: an id is unknown or could not be evaluated.
        """
        key = self._key("judged", expression, "law" if law else "")
        stored = self.ledger.store.get(key)
        if stored is not None:
            empty, changes = json.loads(stored)
            return Falsified(empty, tuple(_frozen(each) for each in changes))
        found = self._search(expression, law, self._hints.get(name, ()))
        self._keep(key, [found.empty, found.changes])
        return found

    def example(self, claim: ClaimDef) -> tuple[Step, ...]:
        """Return a change of the lock that still makes the claim false; an empty one when there is none.

        Raises:
            ClaimError: it does not parse.
            CourseError: an id is unknown or could not be evaluated.
        """
        names = parse(claim.expression).names
        old = {where: value for name in names for where, value in atoms_below(self.ledger, name).items()}
        fitting = [each for each in self._hints.get(claim.id, ()) if set(each) <= set(old)]  # not all after a swap
        change = next((each for each in fitting if self._is_known(claim) or self._makes_false(claim, each)), {})
        return tuple(Step(where, old[where], value) for where, value in change.items())

    def row(self, claim: ClaimDef) -> dict[str, Any] | None:
        """Return what the lock keeps of a claim: changes, first one that makes all of it false, and what they are for.

        Raises:
            ClaimError: it does not parse.
            CourseError: an id is unknown or could not be evaluated.
        """
        changes = self.judge(claim.expression, claim.id, claim.law).changes
        ordered = sorted(changes, key=lambda change: not self._makes_false(claim, change))
        return {"key": self._seal(claim), "changes": ordered} if changes else None

    def _seal(self, claim: ClaimDef) -> str:
        """Return the digest of a claim and of the numbers that it names, with all that these are made of."""
        records = (self.ledger.record(name).key for name in dict.fromkeys(parse(claim.expression).names))
        return digest("claim", claim.expression, *records)[:16]

    def _is_known(self, claim: ClaimDef) -> bool:
        """Tell whether the lock was written for the claim and its numbers as they are: what it says was seen then."""
        return self._seals.get(claim.id) == self._seal(claim)

    def _makes_false(self, claim: ClaimDef, change: Change) -> bool:
        key = self._key("made false", claim.expression, canonical(change))
        if (stored := self.ledger.store.get(key)) is not None:
            return bool(json.loads(stored))
        found = self._is_false(claim, change)
        self._keep(key, found)
        return found

    @cached_property
    def _code(self) -> bytes:
        return canonical(self.ledger.code.parts(Falsifier.judge))

    def _key(self, what: str, expression: str, *more: str | bytes) -> str:
        records = (self.ledger.record(name).key for name in dict.fromkeys(parse(expression).names))
        return digest("falsify", what, expression, *more, self._code, *records)

    def _keep(self, key: str, found: Any) -> None:
        if not self.ledger.code.changed():
            self.ledger.store.put(key, json.dumps(found).encode())

    def _is_false(self, claim: ClaimDef, change: Change) -> bool:
        try:
            return not evaluate_claim(claim.expression, self._recompute(change)).true
        except (CourseError, ClaimError):
            return False

    def _search(self, expression: str, law: str, hints: Sequence[Change]) -> Falsified:
        """Search over ids, then over values in files."""
        ids = {name: self.ledger.record(name).value for name in parse(expression).names}
        free = falsify(expression, Inputs.ids(ids))
        if free.empty:
            return free
        atoms = {name: atoms_below(self.ledger, name) for name in ids}
        values = {where: value for found in atoms.values() for where, value in found.items()}
        tries = LAW_TRIES if law else TRIES
        found = falsify(expression, Inputs(values, self._recompute, lambda name: atoms[name], tries, hints))
        if law and found.changes:
            return Falsified(f"is no law: a change of {', '.join(found.changes[0])} makes it false; take law= away")
        if found.empty and not law:
            return Falsified(f"{found.empty}; if it tests the code and not the data, say why: law=\"…\"")
        return Falsified(changes=found.changes)

    def _recompute(self, change: Mapping[str, Value]) -> Lookup:
        ledger = self.suppose(change)
        return lambda name: ledger.record(name).value


def _frozen(change: Mapping[str, Any]) -> Change:
    return {where: _frozen_value(value) for where, value in change.items()}


def _frozen_value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
