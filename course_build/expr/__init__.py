"""The claim language: a predicate over ledger ids, small enough to be safe and readable.

    text      at most 500 characters, nested at most 20 deep
    ids       dotted names (`norm.toy.rms`); a dot is part of the name, never an attribute
    constants plain decimal numbers; a tolerance belongs into a fact (claims.typed_tolerances reports it)
    values    number, truth, text (== and != only, against "…"), vector of numbers
    operators or, and, not, < <= > >= == != (chains), + - * /, sign, **, v[0] v[-1] v[1:3]
    calls     abs sqrt log round(x, places) of a number or elementwise; min max (of numbers or of one vector);
              sum mean len first last rising falling of a vector; all any of an elementwise comparison

Arithmetic and comparison of vectors are elementwise, a number goes with every element, lengths must agree; a
claim is one truth, so that a comparison of vectors stands inside all() or any(). Nothing is converted: a
truth is no number. A part without a finite real value (1/0, √−1, overflow) is an error that names the values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from course_build.expr.algebra import Value
from course_build.expr.evaluation import Comparison, Evaluation, Lookup
from course_build.expr.parser import FUNCTIONS, Parser, Token
from course_build.expr.text import Show, fill, plain
from course_build.expr.tree import ExprError, Name, Node, Number, names, walk

__all__ = ["Comparison", "Evaluation", "Expr", "ExprError", "Lookup", "Show", "Value", "parse", "plain"]

MAX_LENGTH = 500
MAX_CONSTANT = 10**15
_TOKEN = re.compile(
    r"""\s*+(?:
      (?P<number>(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+)
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*+(?:\.[A-Za-z0-9_]++)*+)
    | (?P<text>"[^"\\\n]*+"|'[^'\\\n]*+')
    | (?P<op>\*\*|<=|>=|==|!=|[-+*/<>()\[\],:])
    )""",
    re.VERBOSE,
)
_MEANT = {
    "≤": "<=", "≥": ">=", "≠": "!=", "×": "*", "·": "*", "÷": "/", "−": "-", "^": "**", "=": "==",
    "√": "sqrt(…)", "（": "(", "）": ")", "，": ",", "&": "and", "|": "or; abs(…) for a size", "!": "not",
    "²": "** 2", "³": "** 3", "%": "a fraction (61.6 % is 0.616)", "“": '"', "”": '"', "{": "the id alone",
}  # fmt: skip
_WORDS = ("and", "or", "not")


@dataclass(frozen=True)
class Expr:
    """A parsed expression; `node` is its tree, `text` what the author wrote."""

    text: str
    node: Node

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the ids used, in order of first use."""
        return names(self.node)

    @cached_property
    def constants(self) -> tuple[Number, ...]:
        """Return the typed constants, with their places in the text."""
        return tuple(part for part in walk(self.node) if isinstance(part, Number))

    def evaluate(self, lookup: Lookup, *, exact: bool = False) -> Value:
        """Return the value; `lookup(id)` gives a fact's value or raises LookupError (then ExprError)."""
        return Evaluation(lookup, exact).value(self.node)

    def filled(self, show: Show) -> str:
        """Return the expression with `show(id)` put in, for readers: `20.4 > 3.5 且 3.5 ≤ 4 × 1.1`."""
        return fill(self.node, show)

    def part(self, node: Node) -> Expr:
        """Return one part of this expression as an expression of its own."""
        return Expr(self.text[node.start : node.end], node)


def parse(text: str) -> Expr:
    """Return the expression that `text` says; raise ExprError with the column and what would be right."""
    if len(text) > MAX_LENGTH:
        raise ExprError(f"{len(text)} characters, at most {MAX_LENGTH} are allowed; split it into facts")
    if not text.strip():
        raise ExprError("the expression is empty; a comparison of ids is needed")
    return Expr(text, Parser(_tokens(text)).tree())


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if not found:
            raise _unreadable(text, at)
        kind = found.lastgroup or ""
        tokens.append(_token(text, kind, found.start(kind), found.end()))
        at = found.end()
    return [*tokens, Token("end", "", end, end)]


def _token(text: str, kind: str, start: int, end: int) -> Token:
    word, after = text[start:end], text[end : end + 1]
    if kind == "number":
        if after.isalnum() or after in ("_", "."):
            raise ExprError(f"`{word}{after}` is neither a number nor an id; write `*` or a space", start + 1)
        return Token(kind, word, start, end, _constant(word, start))
    if kind == "name":
        if word in _WORDS:
            return Token("op", word, start, end)
        if text[end:].lstrip().startswith("("):
            if word not in FUNCTIONS:
                known = ", ".join(FUNCTIONS)
                raise ExprError(f"{word}() is not one of the functions {known}", start + 1)
            return Token("call", word, start, end)
    return Token(kind, word, start, end)


def _constant(word: str, start: int) -> int | float:
    value = int(word) if word.isdigit() else float(word)
    if value > MAX_CONSTANT:
        raise ExprError(f"the constant {word} is above 10 ** 15; a value like this is a fact", start + 1)
    return value


def _unreadable(text: str, at: int) -> ExprError:
    rest = text[at:].lstrip()
    column, sign = len(text) - len(rest) + 1, rest[0]
    if sign in "\"'":
        return ExprError("a text that is not closed, or with a backslash in it", column)
    if sign in _MEANT:
        return ExprError(f"`{sign}` is not part of the language; write {_MEANT[sign]}", column)
    return ExprError(f"`{sign}` is not part of the language (ids, numbers, + - * / **, comparisons)", column)


def id_of(node: Node) -> str | None:
    """Return the id when `node` is nothing but an id."""
    return node.id if isinstance(node, Name) else None
