"""The syntax tree shared by claims (expr) and derivations (how): nine kinds of node, nothing else.

Every node knows the half-open span [start, end) of the text that it came from, so that an error can name its
column and a part of a claim can be quoted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Number:
    """A typed constant."""

    value: int | float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Text:
    """A quoted text, only good for == and !=."""

    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Name:
    """A ledger id (in a claim) or a parameter (in a derivation)."""

    id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x`, `+x` or `not x`."""

    op: str
    operand: Node
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chain:
    """`first (op part)...`, left to right, with operators of one level: + - or * / or `and` or `or`."""

    first: Node
    rest: tuple[tuple[str, Node], ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Power:
    """`base ** exponent`."""

    base: Node
    exponent: Node
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Compare:
    """`first (op part)...` with op in < <= > >= == !=, meaning that every link holds."""

    first: Node
    rest: tuple[tuple[str, Node], ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Call:
    """One of the named functions."""

    function: str
    args: tuple[Node, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Index:
    """`base[index]`, or `base[index:stop]` when `is_slice`."""

    base: Node
    index: Node | None
    stop: Node | None
    is_slice: bool
    start: int
    end: int


Node = Number | Text | Name | Unary | Chain | Power | Compare | Call | Index


class ExprError(ValueError):
    """What is wrong with an expression, where (1-based column, 0 when unknown), and what would be right."""

    def __init__(self, text: str, column: int = 0) -> None:
        self.column = column
        super().__init__(f"column {column}: {text}" if column else text)


def children(node: Node) -> tuple[Node, ...]:
    """Return the direct parts of `node`, left to right."""
    match node:
        case Unary():
            return (node.operand,)
        case Chain() | Compare():
            return (node.first, *(part for _, part in node.rest))
        case Power():
            return (node.base, node.exponent)
        case Call():
            return node.args
        case Index():
            return tuple(part for part in (node.base, node.index, node.stop) if part is not None)
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """Yield `node` and everything below it, left to right."""
    yield node
    for child in children(node):
        yield from walk(child)


def names(node: Node) -> tuple[str, ...]:
    """Return the ids below `node` in the order of their first use."""
    return tuple(dict.fromkeys(part.id for part in walk(node) if isinstance(part, Name)))
