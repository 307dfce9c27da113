"""Claims: is the predicate true, with which values, and which change of an input would make it false?

A claim that nothing can falsify says nothing. `falsify` tries: each input one up and down, a percent up and down,
halved, doubled, to zero, to its negative, much larger; texts and truths changed; each element of a vector, its length
and its order; both sides of == and != made equal; two inputs exchanged; then all pairs of these, the smallest first.
Counted exactly (fractions), so that rounding falsifies nothing. Undefined (1/0) is not false. Every part of an
`and`, and every link of a chain, must be falsifiable by itself; a tolerance, `abs(a - b) < t`, must be left by a
change of a or b by at most a factor of ten: else it is too wide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, islice, zip_longest

from course_build.errors import CourseError
from course_build.expr import ExprError, Lookup, Show, Value, parse, plain
from course_build.expr.algebra import Scalar, Vector, checked, vector
from course_build.expr.evaluation import Evaluation, brief
from course_build.expr.tree import Call, Chain, Compare, Name, Node, names, walk

ClaimError = ExprError
Recompute = Callable[[Mapping[str, Value]], Lookup]
"""recompute(overrides) -> lookup of all ids as they would be if the inputs had these values."""

STEPS = (Fraction(101, 100), Fraction(99, 100), Fraction(1, 2), Fraction(2), Fraction(0), Fraction(-1), Fraction(10))
LARGE = (*STEPS, Fraction(1000))
MAX_TRIES = 6000  # evaluations per part of a claim; a pair of names takes about 100
MAX_ELEMENTS = 64  # of a vector that are changed one by one
SMALL = 100  # whole numbers up to this are thresholds ("more than ten times"), not tolerances


@dataclass(frozen=True)
class Side:
    """One comparison that was evaluated."""

    text: str
    left: Value
    right: Value
    true: bool


@dataclass(frozen=True)
class Verdict:
    """What the evaluation of a claim found."""

    true: bool
    filled: str  # the claim with values put in, for readers
    sides: tuple[Side, ...]  # every comparison that was looked at
    values: Mapping[str, Value]  # every id that was read

    @property
    def told(self) -> str:
        """Return the values that decide, for an error: `norm.a > norm.b with 3.5 and 20.4`."""
        decisive = [side for side in self.sides if side.true == self.true] or list(self.sides)
        return "; ".join(f"{s.text} with {brief(s.left)} and {brief(s.right)}" for s in decisive[:3])


def evaluate_claim(text: str, lookup: Lookup, show: Show | None = None) -> Verdict:
    """Return the verdict of a claim; `show(id)` prints a value for readers.

    Raises:
        ClaimError: it does not parse, an id is unknown, a part is undefined, or the whole is no truth value.
    """
    expr = parse(text)
    evaluation = Evaluation(lookup)
    true = evaluation.truth(expr.node)
    sides = tuple(
        Side(text[link.left_node.start : link.right_node.end], link.left, link.right, _holds(link.true))
        for link in evaluation.comparisons
    )
    shown = show or (lambda name: plain(evaluation.seen[name] if name in evaluation.seen else checked(lookup(name))))
    return Verdict(true, expr.filled(shown), sides, evaluation.seen)


def _holds(link: bool | tuple[bool, ...]) -> bool:
    return link if isinstance(link, bool) else all(link)


def typed_tolerances(text: str) -> list[str]:
    """Return a complaint per typed constant that is no small whole number: a tolerance or noise is a fact."""
    return [
        f"column {part.start + 1}: {text[part.start : part.end]} is typed; a tolerance, a noise or a measured "
        f"threshold is a fact with an id (whole numbers up to {SMALL} may stand, a half is 1 / 2)"
        for part in parse(text).constants
        if not (isinstance(part.value, int) and part.value <= SMALL)
    ]


@dataclass(frozen=True)
class Inputs:
    """What may be changed to make a claim false.

    Attributes:
        values: inputs with their values: the ids of the claim themselves, or places in files further down.
        recompute: gives the lookup of all ids after a change.
        below: id -> the inputs that it stands on.
        tries: evaluations for each part of a claim.
        hints: changes that are tried first: what an earlier search found.
    """

    values: Mapping[str, Value]
    recompute: Recompute
    below: Callable[[str], Iterable[str]]
    tries: int = MAX_TRIES
    hints: Sequence[Mapping[str, Value]] = ()

    @classmethod
    def ids(cls, values: Mapping[str, Value]) -> Inputs:
        """Take the ids of a claim for its inputs, each free of the others."""
        given = {name: checked(value) for name, value in values.items()}
        return cls(given, lambda changes: {**given, **changes}.__getitem__, lambda name: [name])


@dataclass(frozen=True)
class Falsified:
    """How a claim can become false: `changes` (input -> value), one for each part of it, or why not at all."""

    empty: str = ""
    changes: tuple[Mapping[str, Value], ...] = ()


def falsify(text: str, inputs: Inputs) -> Falsified:
    """Return changes that make each part of a claim false, or which part nothing can make false.

    The first change makes the whole claim false. A claim that is false or undefined as it stands gives neither.
    """
    trial = _Trial(inputs)
    expr = parse(text)
    if trial.false(expr.node, {}) is not False:
        return Falsified()
    found: list[Mapping[str, Value]] = []
    for part in _parts(expr.node):
        change = trial.falsifiable(part, LARGE)
        if change is None:
            return Falsified(f"`{expr.part(part).text}` is empty: no change of an input can make it false")
        found.append(change)
        for subject, link in _tolerances(part):
            change = trial.falsifiable(link, STEPS, names(subject))
            if change is None:
                wide = expr.part(link).text
                return Falsified(
                    f"`{wide}` is empty: the tolerance is wide enough for everything that its left side can be"
                )
            found.append(change)
    return Falsified(changes=tuple(each for at, each in enumerate(found) if each not in found[:at]))


def _parts(node: Node) -> Iterator[Node]:
    """Yield the parts that must each be falsifiable: of an `and`, and the links of a chain of comparisons."""
    if isinstance(node, Chain) and node.rest[0][0] == "and":
        for part in (node.first, *(part for _, part in node.rest)):
            yield from _parts(part)
    elif isinstance(node, Compare) and len(node.rest) > 1:
        left = node.first
        for op, right in node.rest:
            yield Compare(left, ((op, right),), left.start, right.end)
            left = right
    else:
        yield node


def _tolerances(node: Node) -> Iterator[tuple[Node, Compare]]:
    """Yield `abs(…)` and its comparison wherever a size is bounded from above by something else."""
    for part in walk(node):
        if isinstance(part, Compare) and len(part.rest) == 1:
            op, right = part.rest[0]
            small, large = (part.first, right) if op in ("<", "<=") else (right, part.first)
            bounded = op not in ("==", "!=") and isinstance(small, Call) and small.function == "abs"
            if bounded and names(small) and not set(names(small)) & set(names(large)):
                yield small, part


class _Trial:
    """Evaluates parts of one claim under changes of its inputs; what one change gives is computed once."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._lookups: dict[tuple[tuple[str, Value], ...], Lookup] = {}

    def _after(self, change: Mapping[str, Value]) -> Lookup:
        key = tuple(sorted(change.items()))
        if key not in self._lookups:
            self._lookups[key] = self._inputs.recompute(change)
        return self._lookups[key]

    def false(self, node: Node, change: Mapping[str, Value]) -> bool | None:
        """Return whether `node` is false after the change, None when it is undefined."""
        try:
            lookup = self._after(change)
            value = Evaluation(lambda name: _exact(checked(lookup(name))), exact=True).value(node)
        except (ValueError, ArithmeticError, LookupError, CourseError):
            return None
        if isinstance(value, tuple):
            return not all(value)
        return value is False

    def falsifiable(
        self, node: Node, factors: Sequence[Fraction], only: Sequence[str] = ()
    ) -> Mapping[str, Value] | None:
        """Return the first change, of what `only` stands on if given, that makes `node` false."""
        used = self._used(only or names(node))
        values = self._inputs.values
        singles = {name: list(_changes(values[name], factors)) for name in used}
        numbers = {name: changes for name, changes in singles.items() if not isinstance(values[name], bool | str)}
        words = {name: changes for name, changes in singles.items() if name not in numbers}
        each = ({name: value} for name, value in chain(_in_turn(numbers), _in_turn(words)))
        swaps = ({a: values[b], b: values[a]} for a, b in combinations(used, 2))
        pairs = ({a: x, b: y} for a, b in combinations(used, 2) for x in singles[a][:12] for y in singles[b][:12])
        changes = chain(each, self._equalising(node), swaps, pairs)
        hints = [hint for hint in self._inputs.hints if set(hint) <= set(used)]
        tried = chain(hints, islice(changes, self._inputs.tries))
        return next((change for change in tried if self.false(node, change)), None)

    def _equalising(self, node: Node) -> Iterator[dict[str, Value]]:
        """Give a name that stands alone beside == or != the value of the other side."""
        for part in walk(node):
            if isinstance(part, Compare) and len(part.rest) == 1 and part.rest[0][0] in ("==", "!="):
                for name, other in ((part.first, part.rest[0][1]), (part.rest[0][1], part.first)):
                    if isinstance(name, Name) and name.id in self._inputs.values:
                        with suppress(ValueError):
                            yield {name.id: Evaluation(self._after({})).value(other)}

    def _used(self, ids: Sequence[str]) -> list[str]:
        """Return the inputs that these ids stand on, each once."""
        values = self._inputs.values
        return list(dict.fromkeys(name for id in ids for name in self._inputs.below(id) if name in values))


def _in_turn(singles: Mapping[str, Sequence[Value]]) -> Iterator[tuple[str, Value]]:
    """Yield the first change of every input, then the second: the smallest that suffices is found first."""
    for changes in zip_longest(*singles.values()):
        yield from ((name, value) for name, value in zip(singles, changes, strict=True) if value is not None)


def _exact(value: Value) -> Value:
    """Return the value with floats as fractions, so that no rounding can make a claim false."""
    if isinstance(value, tuple):
        return tuple(Fraction(item) for item in vector(value))
    return Fraction(value) if isinstance(value, float) else value


def _changes(value: Value, factors: Sequence[Fraction]) -> Iterator[Value]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, str):
        yield from ("", value + "′")
    elif isinstance(value, tuple):
        yield from _vector_changes(vector(value), factors)
    else:
        yield from _number_changes(value, factors)


def _number_changes(value: Scalar, factors: Sequence[Fraction]) -> Iterator[Scalar]:
    exact = Fraction(value)
    scaled = [exact * factor for factor in factors]
    steps = [exact + 1, exact - 1]
    for changed in [*steps, *scaled, Fraction(1)] if isinstance(value, int) else scaled + steps:  # the smallest first
        if changed.denominator == 1 and isinstance(value, int):
            yield changed.numerator
        elif abs(changed) < 10**300:
            yield float(changed)  # what the input's own type would hold


def _vector_changes(value: Vector, factors: Sequence[Fraction]) -> Iterator[Vector]:
    """Change all elements alike, the length, the order, then one element at a time."""
    if not value:
        yield from ((1,), (1, 2))
        return
    yield from zip(*(_number_changes(item, factors) for item in value), strict=False)
    yield from (value[:-1], (*value, value[-1]), value[::-1])
    half = MAX_ELEMENTS // 2
    places = range(len(value)) if len(value) <= MAX_ELEMENTS else (*range(half), *range(len(value) - half, len(value)))
    for at in places:
        if at + 1 < len(value):
            yield (*value[:at], value[at + 1], value[at], *value[at + 2 :])
        for changed in _number_changes(value[at], factors):
            yield (*value[:at], changed, *value[at + 1 :])
