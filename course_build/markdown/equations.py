r"""An equation of ledger numbers in a formula holds: `$\val{a} \cdot \val{b} = \val{c}$` is computed, not believed.

A formula is a row of sides joined by = ≈ < ≤ > ≥ ≠.  A side of `\val`, numbers and arithmetic has a value; one with a
letter in it has none and is left alone, and so is every relation to it.  Sides are equal when what one gives prints
like the `\val` that the other is, or to 1e-9 when both are computed; ≈ allows five percent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from course_build.expr.tree import ExprError
from course_build.facts import how
from course_build.facts.record import Record, show
from course_build.value import default_spec

EXACT, ABOUT = 1e-9, 0.05
_RELATION = re.compile(r"(=|<|>|≈|≤|≥|≠|\\(?:approx|simeq|leq?|geq?|neq?|lt|gt)(?![A-Za-z]))")
_SAME = {
    r"\approx": "≈", r"\simeq": "≈", r"\le": "≤", r"\leq": "≤", r"\ge": "≥", r"\geq": "≥", r"\ne": "≠", r"\neq": "≠",
    r"\lt": "<", r"\gt": ">",
}  # fmt: skip
_BETWEEN = re.compile(r"\\\\|\\q?quad(?![A-Za-z])|[,，;；](?![0-9]{3})")
_FRAME = re.compile(r"\\(?:begin|end)\{aligned\}|\\term\s*\{[^{}]*\}|&|\\(?:text|mathrm)\s*\{[^{}]*\}\s*$|\\[,;:! ]|~")
_VAL = re.compile(r"\\val\s*\{([^{}:]+)(?::([^{}]*))?\}")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
_POWER = re.compile(r"\^\s*\{([^{}]*)\}")
_GROUP = re.compile(r"\{([^{}]*)\}")
_SIGNS = re.compile(r"\\(?:cdot|times|ast)(?![A-Za-z])")
_BRACKETS = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)(?=[()])")
_UNSIGNED = re.compile(r"(?<=[\d)»])\s*(?=[(√«])|(?<=[)»])\s*(?=\d)")  # 2(…), «a»«b»

Records = Callable[[str], Record | None]


@dataclass(frozen=True)
class Side:
    """One side with its value; `record` and `spec` when it is nothing but one ledger number."""

    latex: str
    value: float | int
    record: Record | None = None
    spec: str = ""


def wrong(latex: str, records: Records) -> Iterator[tuple[int, str]]:
    """Yield place and fault of every relation between computable sides that does not hold."""
    start = 0
    for part in _BETWEEN.split(latex):
        at = latex.index(part, start)
        start = at + len(part)
        pieces = _RELATION.split(part)
        sides = [_side(piece, records) for piece in pieces[::2]]
        for (left, right), sign in zip(pairwise(sides), pieces[1::2], strict=True):
            if left and right and not _holds(left, _SAME.get(sign, sign), right):
                values = f"{_told(left)} {_SAME.get(sign, sign)} {_told(right)}"
                yield at, f"formula does not hold: `{left.latex} {sign} {right.latex}` says {values}"


def _side(latex: str, records: Records) -> Side | None:
    """Return a side that has a value."""
    text = _FRAME.sub(" ", latex).strip()
    found: dict[str, Record] = {}

    def name(match: re.Match[str]) -> str:
        record = records(match[1].strip())
        if record is None or isinstance(record.value, bool) or not isinstance(record.value, int | float):
            return "?"
        found[f"v{len(found)}"] = record
        return f"«v{len(found) - 1}»"

    template = _plain(_VAL.sub(name, text))
    try:
        value = how.evaluate(template, {key: record.value for key, record in found.items()})
    except ExprError:
        return None
    if isinstance(value, tuple):
        return None
    alone = _VAL.fullmatch(text)
    return Side(text, value, found["v0"] if alone else None, (alone[2] or "").strip() if alone else "")


def _plain(latex: str) -> str:
    """Return LaTeX as a derivation is written: × √( ) ^( ) and names in braces."""
    text = _BRACKETS.sub("", _SIGNS.sub("×", latex))
    before = ""
    while text != before:
        before = text
        text = _POWER.sub(r"^(\1)", text)
        text = _ROOT.sub(r"√(\1)", text)
        text = _FRACTION.sub(r"((\1)/(\2))", text)
    text = _GROUP.sub(r"(\1)", text)
    return _UNSIGNED.sub(" × ", text).replace("«", "{").replace("»", "}")


def _holds(left: Side, sign: str, right: Side) -> bool:
    a, b = left.value, right.value
    near = abs(a - b) <= EXACT * max(abs(a), abs(b))
    if sign == "=":
        return near or _prints(left, right) or _prints(right, left)
    if sign == "≈":
        return abs(a - b) <= ABOUT * max(abs(a), abs(b))
    strict = {"<": a < b, ">": a > b, "≤": a <= b, "≥": a >= b, "≠": a != b}[sign]
    return strict and not near if sign in "<>≠" else strict or near


def _prints(number: Side, other: Side) -> bool:
    """Return whether the value of `other` prints like the ledger number that `number` is."""
    if number.record is None:
        return False
    spec = number.spec or number.record.format or default_spec(number.record.value)
    try:
        return show(number.value, spec) == show(other.value, spec)
    except ValueError:  # no whole number where one is shown
        return False


def _told(side: Side) -> str:
    return show(side.value)
