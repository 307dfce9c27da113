"""Tree + lookup -> value; every comparison on the way is noted with both its sides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from course_build.expr import algebra, functions
from course_build.expr.algebra import UndefinedError, Value
from course_build.expr.tree import (
    Call,
    Chain,
    Compare,
    ExprError,
    Index,
    Name,
    Node,
    Number,
    Power,
    Text,
    Unary,
)

Lookup: TypeAlias = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One link of a comparison that was evaluated: `left op right`; vectors give one truth per element."""

    op: str
    left: Value
    right: Value
    true: bool | tuple[bool, ...]
    left_node: Node
    right_node: Node


class Evaluation:
    """One evaluation; `seen` holds the value of every id that was read, `comparisons` what was compared."""

    def __init__(self, lookup: Lookup, exact: bool = False) -> None:
        self._lookup = lookup
        self._exact = exact
        self.seen: dict[str, Value] = {}
        self.comparisons: list[Comparison] = []

    def value(self, node: Node) -> Value:
        """Return the value of `node`; raise ExprError with the column of the smallest part that has none."""
        try:
            return self._value(node)
        except UndefinedError as error:
            raise ExprError(f"{error}{self._with_values()}", node.start + 1) from None

    def truth(self, node: Node) -> bool:
        """Return the value of `node`, which must be one truth."""
        value = self.value(node)
        try:
            return algebra.truth(value)
        except UndefinedError as error:
            raise ExprError(f"{error}{self._with_values()}", node.start + 1) from None

    def _with_values(self) -> str:
        shown = [f"{name} = {brief(value)}" for name, value in list(self.seen.items())[:6]]
        return f" (with {', '.join(shown)})" if shown else ""

    def _value(self, node: Node) -> Value:
        match node:
            case Number():
                return algebra.checked(node.value)
            case Text():
                return node.value
            case Name():
                return self._name(node)
            case Unary():
                return self._unary(node)
            case Chain():
                return self._logic(node) if node.rest[0][0] in ("and", "or") else self._chain(node)
            case Power():
                return algebra.binary("**", self.value(node.base), self.value(node.exponent), self._exact)
            case Compare():
                return self._compare(node)
            case Call():
                return functions.call(node.function, [self.value(arg) for arg in node.args], self._exact)
            case Index():
                return self._index(node)

    def _name(self, node: Name) -> Value:
        if node.id not in self.seen:
            try:
                found = self._lookup(node.id)
            except LookupError:
                raise UndefinedError(f"unknown id {node.id}") from None
            try:
                self.seen[node.id] = algebra.checked(found)
            except UndefinedError as error:
                raise UndefinedError(f"{node.id}: {error}") from None
        return self.seen[node.id]

    def _unary(self, node: Unary) -> Value:
        operand = self.value(node.operand)
        if node.op == "not":
            return not algebra.truth(operand)
        return algebra.elementwise(operand, (lambda x: -x) if node.op == "-" else (lambda x: x))

    def _chain(self, node: Chain) -> Value:
        value = self.value(node.first)
        for op, part in node.rest:
            value = algebra.binary(op, value, self.value(part), self._exact)
        return value

    def _logic(self, node: Chain) -> bool:
        """Stop at the first part that decides, as Python does, so that a guard (`x != 0 and ...`) works."""
        decides = node.rest[0][0] == "or"
        for part in (node.first, *(part for _, part in node.rest)):
            if algebra.truth(self.value(part)) == decides:
                return decides
        return not decides

    def _compare(self, node: Compare) -> Value:
        left_node, left = node.first, self.value(node.first)
        holds: bool | tuple[bool, ...] = True
        for op, right_node in node.rest:
            right = self.value(right_node)
            link = algebra.compare(op, left, right)
            self.comparisons.append(Comparison(op, left, right, link, left_node, right_node))
            holds = _both(holds, link)
            if holds is False:
                return False
            left_node, left = right_node, right
        return holds

    def _index(self, node: Index) -> Value:
        base = self.value(node.base)
        index = None if node.index is None else self.value(node.index)
        stop = None if node.stop is None else self.value(node.stop)
        if node.is_slice:
            return algebra.part(base, index, stop)
        assert index is not None
        return algebra.index(base, index)


def _both(a: bool | tuple[bool, ...], b: bool | tuple[bool, ...]) -> bool | tuple[bool, ...]:
    if isinstance(a, bool) and isinstance(b, bool):
        return a and b
    if isinstance(a, bool):
        return b if a else False
    if isinstance(b, bool):
        return a if b else False
    if len(a) != len(b):
        raise UndefinedError(f"comparisons of {len(a)} and {len(b)} elements in one chain; equal lengths fit")
    return tuple(x and y for x, y in zip(a, b, strict=True))


def brief(value: Value) -> str:
    """Return a value for an error text: long vectors are cut in the middle."""
    if isinstance(value, str):
        return repr(value)
    if not isinstance(value, tuple):
        return str(value) if isinstance(value, bool) else algebra.told(value)
    items = [brief(item) for item in value]
    return f"[{', '.join(items if len(items) <= 6 else [*items[:3], '…', *items[-2:]])}]"
