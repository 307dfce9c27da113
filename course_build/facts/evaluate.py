"""Evaluate declared facts in dependency order; a fact's value with all it stands on is a ledger record."""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from course_build.errors import CourseError, Gravity, Problem, nearest
from course_build.evidence import Kind, weakest
from course_build.facts import how as derivations
from course_build.facts.ground import Ground
from course_build.facts.inputs import Leaf, Resolved
from course_build.facts.loading import author_files, author_problem, execute
from course_build.facts.record import Made, Record, member_text, show, told_inputs
from course_build.keys import Codebase, canonical, digest
from course_build.keys.store import Store
from course_build.ledger import ClaimDef, FactDef, Registry

if TYPE_CHECKING:
    from course_build.figures import FigureDef

class DependencyError(CourseError):
    """A fact cannot be evaluated because another one could not; the other one's problem is reported."""


class Ledger:
    """All facts and claims of a course; evaluates lazily, each fact once."""

    def __init__(self, root: Path, store: Store) -> None:
        self.root = root
        self.store = store
        self.ground = Ground(root)
        self.code = Codebase(root)
        self.facts: dict[str, FactDef] = {}
        self.claims: dict[str, ClaimDef] = {}
        self.figures: list[Any] = []  # what charts.py files declare
        self._relative: dict[str, str] = {}
        self.about: dict[str, str] = {}  # file of facts -> its docstring
        self.records: dict[str, Record] = {}
        self.failed: dict[str, Problem] = {}
        self.recomputed: list[str] = []  # facts whose value did not come from the store
        self._computed: dict[str, bytes] = {}  # key -> what the store will keep
        self._problems: list[Problem] = []
        self._inputs: dict[Problem, list[str]] = {}  # what is wrong with an input -> the facts that need it
        self._done: dict[str, tuple[Any, Kind, tuple[Leaf, ...]]] = {}
        self._evaluating: list[str] = []
        self._broken: list[Problem] = []  # files that could not be executed: what they declare is not known

    @property
    def problems(self) -> list[Problem]:
        """Return everything found wrong so far."""
        inputs = [replace(each, needed_by=_and_more(names)) for each, names in self._inputs.items()]
        return list(dict.fromkeys([*self._problems, *inputs, *self.ground.problems]))

    def supposing(self, changes: Mapping[str, Mapping[str, Any]], affected: Collection[str]) -> Ledger:
        """Return the ledger as it would be if inputs had other values; nothing of it is stored.

        Args:
            changes: path -> JSON pointer -> value.
            affected: the facts that are evaluated anew when they are asked for; the others keep their values.
        """
        other = copy.copy(self)
        other.ground = self.ground.supposing(changes)
        other._done = {name: done for name, done in self._done.items() if name not in affected}
        other.failed = {name: problem for name, problem in self.failed.items() if name not in affected}
        other.records = {name: record for name, record in self.records.items() if record.owner not in affected}
        other.recomputed, other._computed, other._problems, other._evaluating = [], {}, [], []
        other._inputs = {}
        return other

    # -- loading ---------------------------------------------------------------------------------

    def load(self, docs: Path) -> None:
        """Execute every facts.py and charts.py below docs; collect what is wrong with them."""
        self.code.read_all()
        for path in author_files(docs, "facts.py"):
            registry = self._execute(path)
            self.about[self.relative(str(path))] = registry.about
            for definition in registry.definitions:
                self._declare(definition)
        for path in author_files(docs, "charts.py"):
            self.figures.extend(self._execute(path).figures)

    def _execute(self, path: Path) -> Registry:
        try:
            registry, prefix = execute(path, self.root)
        except CourseError as error:
            self._problems.extend(error.problems)
            self._broken.extend(error.problems)
            return Registry()
        for definition in registry.definitions:
            if prefix and not definition.id.startswith(prefix + "."):
                self._complain(definition, f"id {definition.id} does not start with this lesson's prefix {prefix!r}")
        return registry

    def _declare(self, definition: FactDef | ClaimDef) -> None:
        other = self.facts.get(definition.id) or self.claims.get(definition.id)
        if other:
            place = f"{self.relative(other.filename)}:{other.line}"
            self._complain(definition, f"duplicate id {definition.id}, first declared at {place}")
        elif isinstance(definition, FactDef):
            self.facts[definition.id] = definition
        else:
            self.claims[definition.id] = definition

    def relative(self, filename: str) -> str:
        """Return a path below the project, POSIX."""
        if filename not in self._relative:
            path = Path(filename)
            below = path.is_relative_to(self.root)
            self._relative[filename] = path.relative_to(self.root).as_posix() if below else path.name
        return self._relative[filename]

    def _complain(self, definition: FactDef | ClaimDef, text: str) -> Problem:
        problem = Problem(self.relative(definition.filename), definition.line, text)
        self._problems.append(problem)
        return problem

    def is_unknown(self, name: str) -> bool:
        """Tell whether an id has no record because something failed: mended, it may be there again."""
        return bool(self._broken) or any(f"{name}.".startswith(f"{owner}.") for owner in self.failed)

    # -- evaluation ------------------------------------------------------------------------------

    def evaluate(self) -> None:
        """Evaluate every fact; a failure is that fact's problem and spares the others."""
        for name in self.facts:
            try:
                self.fact_value(name)
            except CourseError:
                continue  # remembered in self.failed
        if not self.code.changed():  # else a value may be of another text than its key
            for key, data in self._computed.items():
                self.store.put(key, data)
        self.records = dict(sorted(self.records.items()))

    def record(self, name: str) -> Record:
        """Return the record of an id.

        Raises:
            DependencyError: the fact is known but could not be evaluated.
            CourseError: unknown id; the nearest known one is named.
        """
        if name not in self.records:
            owner = name if name in self.facts else name.rpartition(".")[0]
            if owner in self.facts:
                self.fact_value(owner)
        if name not in self.records and self._broken:
            raise DependencyError(self._broken[0])
        if name not in self.records:
            raise CourseError(Problem("", 0, f"unknown id {name}{nearest(name, [*self.records, *self.facts])}"))
        return self.records[name]

    def fact_value(self, name: str) -> Resolved:
        """Return the value of a fact, of a dict fact's member, or a whole dict fact."""
        if name not in self.facts:
            record = self.record(name)
            return Resolved(record.value, record.kind, record.leaves, fact=name, shown=record.text)
        if name in self.failed:
            raise DependencyError(self.failed[name])
        if name not in self._done:
            self._guarded(self.facts[name])
        value, kind, leaves = self._done[name]
        text = self.records[name].text if name in self.records else ""
        return Resolved(value, kind, leaves, fact=name, shown=text)

    def _guarded(self, definition: FactDef) -> None:
        name = definition.id
        if name in self._evaluating:
            circle = " → ".join([*self._evaluating[self._evaluating.index(name) :], name])
            self._fail(definition, f"facts depend on each other in a circle: {circle}")
        self._evaluating.append(name)
        try:
            self._done[name] = self._compute(definition)
        except DependencyError as error:
            self.failed[name] = error.problems[0]
            raise
        except CourseError as error:
            raise DependencyError(self._failed(definition, error)) from None
        finally:
            self._evaluating.pop()

    def _failed(self, definition: FactDef, error: CourseError) -> Problem:
        """Note why a fact has no value: what is wrong with an input stands at its own place, once for all facts."""
        place = f"{definition.id}, {self.relative(definition.filename)}:{definition.line}"
        for each in error.problems:
            if each.path:
                self._inputs.setdefault(replace(each, gravity=Gravity.ERROR), []).append(place)
            else:
                each = self._complain(definition, f"{definition.id}: {each.text}")
            self.failed.setdefault(definition.id, each)
        return self.failed[definition.id]

    def _fail(self, definition: FactDef, text: str) -> NoReturn:
        self.failed[definition.id] = self._complain(definition, text)
        raise DependencyError(self.failed[definition.id])

    def resolve(self, definition: FactDef | FigureDef) -> dict[str, Resolved]:
        """Return the inputs of a fact or a figure with their values.

        Raises:
            CourseError: an input that cannot be had; without a place when the signature is at fault.
        """
        resolved = {}
        for name, declared in definition.inputs.items():
            if not hasattr(declared, "resolve"):
                seen = "it has no default" if declared is inspect.Parameter.empty else f"seen {declared!r}"
                text = (
                    f"parameter {name} has no declared input ({seen}); write {name}=ref(…), source(…).at(…) …"
                )
                raise CourseError(Problem("", 0, text))
            try:
                resolved[name] = declared.resolve(self.ground, self.fact_value)
            except CourseError:
                raise
            except (Exception, SystemExit) as error:  # the author's own `derived(lambda inventory: …)`
                place = self.relative(definition.filename)
                raise CourseError(author_problem(error, self.root, place, definition.line)) from None
        return resolved

    def _compute(self, definition: FactDef) -> tuple[Any, Kind, tuple[Leaf, ...]]:
        inputs = self.resolve(definition)
        parts = {f"input {name}": digest(canonical(given.value)) for name, given in inputs.items()}
        parts |= {f"code {name}": code for name, code in self.code.parts(definition.function).items()}
        value = self._value(definition, inputs, parts)
        kinds = [given.kind for given in inputs.values()]
        kind = weakest([*kinds, definition.kind] if definition.kind else kinds)
        leaves = tuple({leaf.where: leaf for given in inputs.values() for leaf in given.leaves}.values())
        members = value if isinstance(value, dict) else {"": value}
        made = Made(kind, inputs, leaves, parts)
        for member, part in members.items():
            self._remember(definition, member, part, made)
        return value, kind, leaves

    def _value(self, definition: FactDef, inputs: Mapping[str, Resolved], parts: Mapping[str, str]) -> Any:
        """Call the function, or take its value from the store when its code reaches beyond its own file."""
        costly = any(name.startswith("code module ") for name in parts)
        key = digest("value", canonical(dict(parts)))
        if costly and (stored := self.store.get(key)) is not None:
            return json.loads(stored)
        self.recomputed.append(definition.id)
        try:
            value = definition.function(**{name: given.value for name, given in inputs.items()})
            data = canonical(value)
        except CourseError:
            raise
        except (Exception, SystemExit) as error:  # the author's own code: whatever it raises is shown at their line
            place = self.relative(definition.filename)
            problem = author_problem(error, self.root, place, definition.line)
            raise CourseError(replace(problem, text=problem.text + told_inputs(inputs))) from None
        if costly:
            self._computed[key] = data
        return json.loads(data)

    def _remember(self, definition: FactDef, member: str, value: Any, made: Made) -> None:
        name = f"{definition.id}.{member}" if member else definition.id
        spec = member_text(definition.format, member)
        parts, key = made.shown_by(spec)
        try:
            text = show(value, spec)
        except (ValueError, TypeError) as error:
            told = f"{name} cannot be shown by format {spec!r}: {error}{told_inputs(made.inputs)}"
            raise CourseError(Problem("", 0, told)) from None
        derivation, checked = self._derivation(definition, member, value, made.inputs)
        self.records[name] = Record(
            id=name,
            owner=definition.id,
            value=value,
            text=text,
            unit=member_text(definition.unit, member),
            title=member_text(definition.title, member) or name,
            kind=made.kind,
            format=spec,
            derivation=derivation,
            checked=checked,
            arguments=made.arguments,
            path=self.relative(definition.filename),
            line=definition.line,
            key=digest(key, canonical(member))[:16],
            parts=parts,
            leaves=made.leaves,
        )

    def _derivation(
        self, definition: FactDef, member: str, value: Any, inputs: Mapping[str, Resolved]
    ) -> tuple[str, bool]:
        template = member_text(definition.how, member)
        if not template:
            return member_text(definition.by, member), False
        values = {name: given.value for name, given in inputs.items()}
        try:
            shown = {name: given.shown or show(given.value) for name, given in inputs.items()}
            wrong = derivations.check(template, values, value, member_text(definition.format, member))
            filled = derivations.fill(template, shown, str)
        except ValueError as error:
            wrong = str(error)
        if wrong:
            raise CourseError(Problem("", 0, f"how={template!r} does not hold: {wrong}{told_inputs(inputs)}"))
        return filled, True


def _and_more(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]}, and {len(names) - 1} more"
