"""Tree + shown values -> the expression as a Chinese reader sees it, with numbers in the places of names.

Sums and means over at most eight elements are written out: `mean(x²)` of [1, 2] becomes `(1² + 2²) / 2`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from course_build.expr.algebra import Value, told
from course_build.expr.tree import (
    Call,
    Chain,
    Compare,
    Index,
    Name,
    Node,
    Number,
    Power,
    Text,
    Unary,
    children,
)

Show: TypeAlias = Callable[[str], str]
"""show(name): the value of `name` as the reader sees it; a vector as `[1, 2, 3]`, with comma and space."""

WRITTEN_OUT = 8
OR, AND, NOT, COMPARE, SUM, PRODUCT, SIGN, POWER, ATOM = range(9)
_OPS = {
    "<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "=", "!=": "≠",
    "+": "+", "-": "−", "*": "×", "/": "÷", "and": "且", "or": "或",
}  # fmt: skip
_LEVELS = {"or": OR, "and": AND, "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT}
_SPOKEN = {
    "min": "最小", "max": "最大", "mean": "平均", "len": "个数", "log": "ln", "round": "舍入", "sum": "Σ",
    "first": "首项", "last": "末项", "rising": "递增", "falling": "递减",
    "all": "每一项都满足", "any": "有一项满足",
}  # fmt: skip
_EXPONENT = re.compile(r"e([-+]\d+)")
_COUNT = re.compile(r"[0-9][0-9,]*")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def plain(value: Value) -> str:
    """Show a value without a display rule: shortest digits, true minus sign, powers of ten raised."""
    if isinstance(value, bool):
        return "是" if value else "否"
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        items = [plain(item) for item in value]
        return f"[{', '.join(items if len(items) <= WRITTEN_OUT else [*items[:3], '…', *items[-2:]])}]"
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    text = told(int(value) if whole else value)
    return _EXPONENT.sub(lambda e: f" × 10{str(int(e[1])).translate(_RAISED)}", text).replace("-", "−")


def fill(node: Node, show: Show, division: str = "÷") -> str:
    """Return the text of `node` with `show(name)` for every name; `division` is ÷ or /."""
    return _Filling(show, division).text(node)


class _Filling:
    """One rendering."""

    def __init__(self, show: Show, division: str) -> None:
        self._show = show
        self._ops = _OPS | {"/": division}
        self._element: int | None = None  # which element of each vector is being written out

    def text(self, node: Node, level: int = OR) -> str:
        """Return the text of `node`, in brackets if it binds less tightly than `level`."""
        text, binds = self._text(node)
        return f"({text})" if binds < level else text

    def _text(self, node: Node) -> tuple[str, int]:
        match node:
            case Number():
                return _told(plain(node.value))
            case Text():
                return f"「{node.value}」", ATOM
            case Name():
                items = _items(self._show(node.id))
                if not items or self._element is None:
                    return _told(self._show(node.id))
                return _told(items[self._element % len(items)])
            case Unary():
                if node.op == "not":
                    return f"非 {self.text(node.operand, ATOM)}", NOT
                return {"-": "−", "+": ""}[node.op] + self.text(node.operand, POWER), SIGN
            case Chain():
                return self._joined(node, _LEVELS[node.rest[0][0]])
            case Compare():
                return self._joined(node, COMPARE)
            case Power():
                return self._power(node), POWER
            case Call():
                return self._call(node)
            case Index():
                return self._index(node)

    def _joined(self, node: Chain | Compare, level: int) -> tuple[str, int]:
        text = self.text(node.first, level)
        for op, part in node.rest:
            piece, binds = self._text(part)
            bare = binds > level and not (binds == SIGN and level >= SUM)
            text += f" {self._ops[op]} {piece if bare else f'({piece})'}"
        return text, level

    def _power(self, node: Power) -> str:
        base, exponent = self.text(node.base, ATOM), node.exponent
        minus = isinstance(exponent, Unary) and exponent.op == "-"
        bare = exponent.operand if isinstance(exponent, Unary) and minus else exponent
        if isinstance(bare, Number) and isinstance(bare.value, int):
            return base + f"{'-' * minus}{bare.value}".translate(_RAISED)
        shown = self.text(exponent, ATOM)
        if _COUNT.fullmatch(shown):  # a raised number has no separators
            return base + shown.replace(",", "").translate(_RAISED)
        return f"{base}^{shown}"

    def _call(self, node: Call) -> tuple[str, int]:
        if node.function == "abs":
            return f"|{self.text(node.args[0])}|", ATOM
        if node.function == "sqrt":
            return f"√{self.text(node.args[0], ATOM)}", POWER
        if node.function in ("sum", "mean") and self._element is None:
            count = self._length(node.args[0])
            if 0 < count <= WRITTEN_OUT:
                return self._written_out(node, count)
        held, self._element = self._element, None
        args = ", ".join(self.text(arg) for arg in node.args)
        self._element = held
        return f"{_SPOKEN[node.function]}({args})", ATOM

    def _length(self, node: Node) -> int:
        """Return how many elements `node` has, 0 when that cannot be told from the shown values."""
        if isinstance(node, Name):
            return len(_items(self._show(node.id)) or ())
        if isinstance(node, Index) or (isinstance(node, Call) and node.function not in ("abs", "sqrt")):
            return 0
        return max((self._length(child) for child in children(node)), default=0)

    def _written_out(self, node: Call, count: int) -> tuple[str, int]:
        parts: list[str] = []
        for self._element in range(count):
            piece, binds = self._text(node.args[0])
            parts.append(f"({piece})" if parts and binds in (SUM, SIGN) else piece)
        self._element = None
        total = " + ".join(parts)
        if node.function == "sum":
            return total, SUM if count > 1 else binds
        return f"({total}) {self._ops['/']} {count}", PRODUCT

    def _index(self, node: Index) -> tuple[str, int]:
        fixed = all(part is None or _whole(part) is not None for part in (node.index, node.stop))
        items = _items(self._show(node.base.id)) if isinstance(node.base, Name) and fixed else None
        if items is not None:
            place, stop = _whole(node.index), _whole(node.stop)
            if node.is_slice:
                return f"[{', '.join(items[place:stop])}]", ATOM
            if place is not None and -len(items) <= place < len(items):
                return _told(items[place])
        start = self.text(node.index) if node.index else ""
        end = (":" + (self.text(node.stop) if node.stop else "")) * node.is_slice
        return f"{self.text(node.base, ATOM)}[{start}{end}]", ATOM


def _items(text: str) -> list[str] | None:
    """Return the elements of a shown vector, None when it is none or was cut in the middle."""
    if not (text.startswith("[") and text.endswith("]")) or "…" in text:
        return None
    return text[1:-1].split(", ") if len(text) > 2 else []


def _whole(node: Node | None) -> int | None:
    """Return a constant whole number, also behind a minus sign."""
    if isinstance(node, Number) and isinstance(node.value, int):
        return node.value
    if isinstance(node, Unary) and node.op == "-" and (value := _whole(node.operand)) is not None:
        return -value
    return None


def _told(text: str) -> tuple[str, int]:
    """Return a printed value and how tightly it binds."""
    if " × " in text and not text.startswith("["):
        return text, PRODUCT
    if text.startswith(("−", "-")):
        return text, SIGN
    return text, ATOM if text[-1:].isdigit() or text[-1:] in "]」" else POWER
