"""Tokens -> tree, by recursive descent; text -> tokens is the caller's (claims and derivations differ).

    or  <  and  <  not  <  comparison  <  + -  <  * /  <  sign, √, Σ  <  **  <  [ ]  <  atom

The kinds of token: number, name, text, call (a function's name), root (√ or Σ, prefix), sup (a raised
exponent, postfix), op, end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

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

MAX_DEPTH = 20
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
# name -> (fewest, most) arguments
FUNCTIONS: dict[str, tuple[int, int]] = {
    "abs": (1, 1), "sqrt": (1, 1), "log": (1, 1), "round": (1, 2),
    "min": (1, 9), "max": (1, 9), "sum": (1, 1), "mean": (1, 1), "len": (1, 1),
    "first": (1, 1), "last": (1, 1), "rising": (1, 1), "falling": (1, 1),
    "all": (1, 1), "any": (1, 1),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """One word of an expression; `value` holds a constant's number."""

    kind: str
    text: str
    start: int
    end: int
    value: int | float = 0


class Parser:
    """One pass over `tokens`, which end with a token of kind `end`."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def tree(self) -> Node:
        """Return the tree of all tokens."""
        node = self._or()
        if self._now.kind != "end":
            raise self._unexpected("an operator or the end")
        return node

    @property
    def _now(self) -> Token:
        return self._tokens[self._at]

    @property
    def _before(self) -> Token:
        return self._tokens[self._at - 1]

    def _is(self, *texts: str) -> bool:
        return self._now.kind == "op" and self._now.text in texts

    def _take(self) -> Token:
        self._at += 1
        return self._before

    def _expect(self, text: str) -> Token:
        if not self._is(text):
            raise self._unexpected(f"`{text}`")
        return self._take()

    def _unexpected(self, wanted: str) -> ExprError:
        seen = f"`{self._now.text}`" if self._now.kind != "end" else "the end"
        return ExprError(f"found {seen}, expected {wanted}", self._now.start + 1)

    def _deeper(self, rule: Callable[[], Node]) -> Node:
        if self._depth == MAX_DEPTH:
            raise ExprError(f"nested deeper than {MAX_DEPTH}; split it into facts", self._now.start + 1)
        self._depth += 1
        node = rule()
        self._depth -= 1
        return node

    def _chain(self, rule: Callable[[], Node], *ops: str) -> Node:
        first = rule()
        rest: list[tuple[str, Node]] = []
        while self._is(*ops):
            rest.append((self._take().text, rule()))
        return Chain(first, tuple(rest), first.start, self._before.end) if rest else first

    def _or(self) -> Node:
        return self._chain(self._and, "or")

    def _and(self) -> Node:
        return self._chain(self._not, "and")

    def _not(self) -> Node:
        if not self._is("not"):
            return self._compare()
        start = self._take().start
        return Unary("not", self._deeper(self._not), start, self._before.end)

    def _compare(self) -> Node:
        first = self._sum()
        rest: list[tuple[str, Node]] = []
        while self._is(*COMPARISONS):
            rest.append((self._take().text, self._sum()))
        return Compare(first, tuple(rest), first.start, self._before.end) if rest else first

    def _sum(self) -> Node:
        return self._chain(self._product, "+", "-")

    def _product(self) -> Node:
        return self._chain(self._unary, "*", "/")

    def _unary(self) -> Node:
        if not self._is("-", "+"):
            return self._power()
        sign = self._take()
        return Unary(sign.text, self._deeper(self._unary), sign.start, self._before.end)

    def _power(self) -> Node:
        if self._now.kind == "root":
            return self._root()
        base = self._postfix()
        if self._now.kind == "sup":
            sup = self._take()
            base = Power(base, Number(sup.value, sup.start, sup.end), base.start, sup.end)
            if self._now.kind == "sup" or self._is("**"):
                raise self._unexpected("one exponent only")
        elif self._is("**"):
            self._take()
            base = Power(base, self._deeper(self._unary), base.start, self._before.end)
        return base

    def _root(self) -> Node:
        """√ takes one atom or brackets; Σ takes a power too (Σ{x}² adds squares)."""
        sign = self._take()
        if sign.text == "Σ":
            return Call("sum", (self._deeper(self._power),), sign.start, self._before.end)
        operand = self._deeper(self._root if self._now.kind == "root" else self._postfix)
        if self._now.kind == "sup" or self._is("**"):
            raise ExprError("√x² can be read in two ways; write √(x²) or (√x)²", self._now.start + 1)
        return Call("sqrt", (operand,), sign.start, self._before.end)

    def _postfix(self) -> Node:
        node = self._atom()
        links = 0
        while self._is("["):
            links += 1
            if self._depth + links > MAX_DEPTH:
                raise ExprError(f"nested deeper than {MAX_DEPTH}; split it into facts", self._now.start + 1)
            self._take()
            node = self._subscript(node)
        return node

    def _subscript(self, base: Node) -> Node:
        index = None if self._is(":") else self._deeper(self._sum)
        is_slice = self._is(":")
        stop = None
        if is_slice:
            self._take()
            stop = None if self._is("]") else self._deeper(self._sum)
        return Index(base, index, stop, is_slice, base.start, self._expect("]").end)

    def _atom(self) -> Node:
        token = self._now
        if token.kind == "number":
            self._take()
            return Number(token.value, token.start, token.end)
        if token.kind == "text":
            self._take()
            return Text(token.text[1:-1], token.start, token.end)
        if token.kind == "name":
            self._take()
            return Name(token.text, token.start, token.end)
        if token.kind == "call":
            return self._call()
        if self._is("("):
            self._take()
            node = self._deeper(self._or)
            return replace(node, start=token.start, end=self._expect(")").end)
        if self._is("|"):
            self._take()
            inside = self._deeper(self._sum)
            return Call("abs", (inside,), token.start, self._expect("|").end)
        raise self._unexpected("an id, a number or `(`")

    def _call(self) -> Node:
        name = self._take()
        self._expect("(")
        args = [self._deeper(self._or)] if not self._is(")") else []
        while self._is(","):
            self._take()
            args.append(self._deeper(self._or))
        end = self._expect(")").end
        fewest, most = FUNCTIONS[name.text]
        if not fewest <= len(args) <= most:
            wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
            raise ExprError(f"{name.text}() takes {wanted} argument(s), got {len(args)}", name.start + 1)
        return Call(name.text, tuple(args), name.start, end)
