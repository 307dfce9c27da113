"""Checked derivations: arithmetic as a reader writes it, filled with values, evaluated, compared with the result.

    {L}  a parameter (number or vector)      + − × ÷ · / ^ ( )   and plain - * **
    ²  ³  ⁻¹  raised exponents               √{v}  √(…)          |{x}|  size
    Σ{x}  Σ({x} − {m})²  sum over a vector (a power belongs to the sum: squares are added)
    mean min max len abs sqrt round log (ln)  as in claims; vectors are taken elementwise
    numbers as in `2 × {L} + 1`

Whole numbers stay exact, also through divisions: 27,781,427,952 and its neighbour are told apart.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from course_build.errors import nearest
from course_build.expr.algebra import Scalar, Value, told
from course_build.expr.evaluation import Evaluation
from course_build.expr.parser import FUNCTIONS, Parser, Token
from course_build.expr.text import fill as fill_tree
from course_build.expr.tree import Call, Chain, ExprError, Node, children, names
from course_build.value import format_number

MAX_LENGTH = 500
TOLERANCE = 1e-9  # relative; float arithmetic in another order, on a few dozen terms, stays far below
NOISE = 1e-14  # of the terms' sizes: what rounding leaves where they cancel (the mean of a centred vector)
_TOKEN = re.compile(
    r"""\s*+(?:
      (?P<number>[0-9]++(?:\.[0-9]++)?+)
    | \{(?P<name>[^{}]*+)\}
    | (?P<sup>[⁺⁻]?+[⁰¹²³⁴⁵⁶⁷⁸⁹]++)
    | (?P<root>[√ΣΣ∑])
    | (?P<call>[A-Za-z]++)
    | (?P<op>\*\*|[-−+*×·/÷^()\[\]|,:])
    )""",
    re.VERBOSE,
)
_OPS = {"×": "*", "·": "*", "÷": "/", "−": "-", "^": "**"}
_LOWERED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_CALLS = {name: name for name in FUNCTIONS if name not in ("all", "any", "rising", "falling")} | {"ln": "log"}


def fill(template: str, values: Mapping[str, Any], show: Callable[[Any], str] = str) -> str:
    """Return the template with `show(values[name])` in the places of names.

    A vector must be shown as `[1, 2, 3]`; sums and means of at most eight elements are written out.

    Raises:
        ExprError: the template does not parse, or a name is not among `values`.
    """
    tree = parse(template)
    _known(tree, values)
    return fill_tree(tree, lambda name: show(values[name]), "/")


def evaluate(template: str, values: Mapping[str, Any]) -> float | int | tuple[float | int, ...]:
    """Return what the template gives for `values`; whole numbers come back as int.

    Raises:
        ExprError: the template does not parse, or has no finite real value (the values are named).
    """
    tree = parse(template)
    _known(tree, values)
    value = Evaluation(values.__getitem__, exact=True).value(tree)
    if isinstance(value, bool | str):
        raise ExprError(f"the formula gives {value!r}, a number or a vector is needed")
    try:
        return tuple(_plain(item) for item in value) if isinstance(value, tuple) else _plain(value)
    except OverflowError:
        raise ExprError("the formula's result is too large for a number") from None


def check(template: str, values: Mapping[str, Any], result: Any, spec: str | None = None) -> str | None:
    """Return what is wrong when the template does not give `result`, None when it does.

    Whole numbers must be equal; other numbers agree to 1e-9 relative and in every shown digit (`spec`).

    Raises:
        ExprError: as `evaluate`.
    """
    found = evaluate(template, values)
    if isinstance(result, bool | str | Mapping) or result is None:
        return f"a formula gives a number or a vector, the function returned {result!r}; use by= instead of how="
    if isinstance(found, tuple) != isinstance(result, list | tuple):
        a, b = ("a vector" if isinstance(v, list | tuple) else "a number" for v in (found, result))
        return f"the formula gives {a}, the function returned {b}{'; Σ adds a vector up' * (a == 'a vector')}"
    ours = found if isinstance(found, tuple) else (found,)
    theirs = tuple(result) if isinstance(result, list | tuple) else (result,)
    if len(ours) != len(theirs):
        return f"the formula gives {len(ours)} elements, the function returned {len(theirs)}"
    noise = NOISE * _scale(parse(template), Evaluation(values.__getitem__))
    for x, y in zip(ours, theirs, strict=True):
        if not _agree(x, y, noise):
            return f"the formula gives {_precise(found)}, the function returned {_precise(result)}"
        ours_shown, theirs_shown = _shown(x, y, spec, noise), _shown(y, y, spec, noise)
        if ours_shown != theirs_shown:
            return f"the formula prints {ours_shown}, the function's result prints {theirs_shown}; round alike"
    return None


@lru_cache(maxsize=512)
def parse(template: str) -> Node:
    """Return the tree of a template; raise ExprError with the column and what would be right."""
    if len(template) > MAX_LENGTH:
        raise ExprError(f"{len(template)} characters, at most {MAX_LENGTH} are allowed; split it into facts")
    tokens: list[Token] = []
    at, end = 0, len(template.rstrip())
    while at < end:
        found = _TOKEN.match(template, at)
        if not found:
            start = len(template) - len(template[at:].lstrip())
            raise ExprError(f"`{template[start]}` is no part of a formula; parameters stand in {{ }}", start + 1)
        tokens.append(_token(found))
        _separated(tokens, template)
        at = found.end()
    return Parser([*tokens, Token("end", "", end, end)]).tree()


def _token(found: re.Match[str]) -> Token:
    kind = found.lastgroup or ""
    text, start, end = found[kind], found.start(kind), found.end()
    match kind:
        case "number":
            return Token(kind, text, start, end, float(text) if "." in text else int(text))
        case "sup":
            return Token(kind, text, start, end, int(text.translate(_LOWERED)))
        case "root":
            return Token(kind, "√" if text == "√" else "Σ", start, end)
        case "call":
            if text not in _CALLS:
                known = ", ".join(_CALLS)
                raise ExprError(f"{text!r}: a parameter is written {{{text}}}; functions are {known}", start + 1)
            return Token(kind, _CALLS[text], start, end)
        case "name":
            if not text.isidentifier():
                raise ExprError(f"{{{text}}} is not a parameter's name", start)
            return Token(kind, text, start - 1, end)
        case _:
            return Token(kind, _OPS.get(text, text), start, end)


def _separated(tokens: list[Token], template: str) -> None:
    """Refuse `2{L}` and `{a}{b}`: a product is written with its sign."""
    if len(tokens) < 2:
        return
    before, now = tokens[-2:]
    ends = before.kind in ("number", "name", "sup") or (before.kind == "op" and before.text in (")", "]"))
    if ends and (now.kind in ("number", "name", "call", "root") or (now.kind == "op" and now.text == "(")):
        raise ExprError(f"a sign is missing before `{template[now.start : now.end]}`; write ×", now.start + 1)


def _known(tree: Node, values: Mapping[str, Any]) -> None:
    for name in names(tree):
        if name not in values:
            raise ExprError(f"{{{name}}} is not a parameter of the function{nearest(name, values)}")


def _plain(value: Scalar) -> float | int:
    """Return a fraction as the nearest float, a whole one as int."""
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    return value


def _agree(x: float | int, y: object, noise: float) -> bool:
    if not isinstance(y, int | float) or isinstance(y, bool):
        return False
    if isinstance(x, int) and isinstance(y, int):
        return x == y
    try:
        return abs(x - y) <= max(TOLERANCE * max(abs(x), abs(y)), noise)
    except OverflowError:  # a float against a whole number beyond all floats
        return False


def _scale(node: Node, evaluation: Evaluation) -> float:
    """Return how large `node` would be if no terms cancelled: sums add the sizes of their terms."""
    if isinstance(node, Chain) and node.rest[0][0] in "+-":
        return sum(_scale(part, evaluation) for part in children(node))
    if isinstance(node, Chain):
        sizes = [_size(evaluation.value(part)) for _, part in node.rest]
        signs = [1 if op == "*" else -1 for op, _ in node.rest]
        return math.prod(map(pow, sizes, signs), start=_scale(node.first, evaluation))
    value = evaluation.value(node.args[0] if isinstance(node, Call) else node)
    if isinstance(node, Call) and node.function in ("sum", "mean") and isinstance(value, tuple):
        return sum(map(_size, value)) / (len(value) if node.function == "mean" else 1)
    return _size(evaluation.value(node))


def _size(value: Value) -> float:
    if isinstance(value, tuple):
        return max(map(_size, value), default=0.0)
    try:
        return 0.0 if isinstance(value, str) else float(max(value, -value))
    except OverflowError:
        return 0.0  # whole numbers this large are exact: no noise


def _shown(value: float | int, like: float | int, spec: str | None, noise: float) -> str:
    """Return `value` printed as a number of the kind of `like`; what is only rounding noise prints as zero."""
    if isinstance(like, int):
        return format_number(like, spec or None)  # _agree holds: nothing is lost
    return format_number(0.0 if abs(value) <= noise else float(value), spec or None)


def _precise(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_precise, value))}]"
    return told(value) if isinstance(value, int | float) else repr(value)


__all__ = ["ExprError", "Value", "check", "evaluate", "fill", "parse"]
