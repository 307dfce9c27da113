"""Claims: is the predicate true, with which values, and could any change of an input make it false?

A claim that nothing can falsify says nothing. `emptiness` tries: each name to zero, to its negative, halved,
doubled, a percent up and down, one up and down, much larger; texts and truths changed; each element of a vector,
its length and its order; both sides of == and != made equal; two names exchanged; then all pairs of these.
Counted exactly (fractions), so that rounding falsifies nothing. Undefined (1/0) is not false. Every part of an
`and`, and every link of a chain, must be falsifiable by itself; a tolerance, `abs(a - b) < t`, must be left by a
change of a or b by at most a factor of ten: else it is too wide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, islice

from course_build.expr import ExprError, Lookup, Show, Value, parse, plain
from course_build.expr.algebra import Scalar, Vector, checked, vector
from course_build.expr.evaluation import Evaluation, brief
from course_build.expr.tree import Call, Chain, Compare, Name, Node, names, walk

ClaimError = ExprError
Recompute = Callable[[Mapping[str, Value]], Lookup]
"""recompute(overrides) -> lookup of all ids as they would be if the inputs had these values."""

MODEST = (Fraction(0), Fraction(-1), Fraction(1, 2), Fraction(2), Fraction(10))
LARGE = (*MODEST, Fraction(1000))
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


def emptiness(text: str, leaves: Mapping[str, Value], recompute: Recompute | None = None) -> str | None:
    """Return why a claim is empty, None when a change of `leaves` makes each part of it false.

    Args:
        text: the claim, true for the values as they are (a false or undefined one is not empty).
        leaves: what is changed: the ids of the claim with their values, or inputs further down.
        recompute: gives the lookup after a change; without it the ids of the claim are the leaves.
    """
    given = {name: checked(value) for name, value in leaves.items()}
    trial = _Trial(given, recompute or (lambda overrides: {**given, **overrides}.__getitem__))
    expr = parse(text)
    if trial.false(expr.node, {}) is not False:
        return None
    for part in _parts(expr.node):
        quoted = expr.part(part).text
        if not trial.falsifiable(part, LARGE):
            return f"`{quoted}` is empty: no change of an input can make it false"
        for subject, link in _tolerances(part):
            if not trial.falsifiable(link, MODEST, names(subject)):
                wide = expr.part(link).text
                return f"`{wide}` is empty: the tolerance is wide enough for everything that its left side can be"
    return None


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
    """Evaluates parts of one claim under changes of its inputs."""

    def __init__(self, leaves: Mapping[str, Value], recompute: Recompute) -> None:
        self._leaves = leaves
        self._recompute = recompute

    def false(self, node: Node, overrides: Mapping[str, Value]) -> bool | None:
        """Return whether `node` is false after the change, None when it is undefined."""
        try:
            lookup = self._recompute(overrides)
            value = Evaluation(lambda name: _exact(checked(lookup(name))), exact=True).value(node)
        except (ValueError, ArithmeticError, LookupError):
            return None
        if isinstance(value, tuple):
            return not all(value)
        return value is False

    def falsifiable(self, node: Node, factors: Sequence[Fraction], only: Sequence[str] = ()) -> bool:
        """Return whether some change, of the inputs `only` if given, makes `node` false."""
        used = self._used(node, only)
        singles = {name: list(_changes(self._leaves[name], factors)) for name in used}
        each = ({name: value} for name, values in singles.items() for value in values)
        swaps = ({a: self._leaves[b], b: self._leaves[a]} for a, b in combinations(used, 2))
        pairs = ({a: x, b: y} for a, b in combinations(used, 2) for x in singles[a][:12] for y in singles[b][:12])
        changes = chain(each, self._equalising(node), swaps, pairs)
        return any(self.false(node, change) for change in islice(changes, MAX_TRIES))

    def _equalising(self, node: Node) -> Iterator[dict[str, Value]]:
        """Give a name that stands alone beside == or != the value of the other side."""
        for part in walk(node):
            if isinstance(part, Compare) and len(part.rest) == 1 and part.rest[0][0] in ("==", "!="):
                for name, other in ((part.first, part.rest[0][1]), (part.rest[0][1], part.first)):
                    if isinstance(name, Name) and name.id in self._leaves:
                        with suppress(ValueError):
                            yield {name.id: Evaluation(self._recompute({})).value(other)}

    def _used(self, node: Node, only: Sequence[str]) -> list[str]:
        """Return the leaves to change: those named, or all when the leaves lie below the names."""
        wanted = [name for name in (only or names(node)) if name in self._leaves]
        return wanted or list(self._leaves)


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
    for changed in (*(exact * factor for factor in factors), exact + 1, exact - 1, exact * 101 / 100, exact * 99 / 100):
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
