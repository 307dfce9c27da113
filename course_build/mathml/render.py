r"""LaTeX -> MathML at build time, with terms a reader can open and numbers that come from the ledger.

    \term{rms}{\sqrt{…}}     a part with an explanation: <mrow class="term" data-term="rms" id="FORMULA-rms">
    \val{norm.params:,d}     a ledger number, printed by the caller's `show(id, spec)`

math-core has no command that sets an id or a class, but it keeps colours: both constructs are compiled as
`{\color[HTML]{ABC001}…}`; the `<mrow style="color:#ABC001;">` that comes out gets its real attributes then.
What math-core (0.9) would drop without a word is refused here: a `%` comment, `\\` outside of an environment,
strokes and boxes that browsers do not draw, colours and macros.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import Any

from course_build.mathml.source import FormulaError, Prepared, Show, prepare

__all__ = ["Formula", "FormulaError", "Show", "block", "inline"]

_NUMBER = re.compile(r"(?P<sign>[−+]?)(?P<digits>[0-9][0-9,.]*%?)(?: × 10(?P<power>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?")
_REPAIRED = {
    "&ApplyFunction;": "\u2061",  # a name that XML does not know
    # \overline and \underline: a combining line slips to the left, the spacing one does not
    '<mo stretchy="true">\u0332</mo></mover>': '<mo stretchy="true">\u203e</mo></mover>',
    '<mo stretchy="true">\u0332</mo></munder>': '<mo stretchy="true">_</mo></munder>',
}
_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "−0123456789")


@dataclass(frozen=True)
class Formula:
    """A compiled formula; `terms` in reading order, `parts` the MathML of each term alone, for a legend."""

    id: str
    mathml: str
    terms: tuple[str, ...] = ()
    parts: dict[str, str] = field(default_factory=dict)


def inline(latex: str, show: Show | None = None) -> str:
    """Return `<math>…</math>` for a formula within a line; FormulaError says what and where."""
    return _compile(prepare(latex, show), "", block=False)


def block(latex: str, id: str = "", show: Show | None = None) -> Formula:
    """Return a formula on a line of its own; its terms get the ids `ID-TERM`.

    Raises:
        FormulaError: it does not compile, or a term is lost on the way; carries line and column.
    """
    prepared = prepare(latex, show)
    mathml = _compile(prepared, id, block=True)
    parts = {name: _compile(prepare(body, show), "", block=False) for name, body in prepared.bodies.items()}
    return Formula(id, mathml, tuple(parts), parts)


@cache
def _converter() -> Any:
    import math_core  # 4 ms: imported by the first formula that no cache holds

    return math_core.LatexToMathML(fancy_error=False)


def _compile(prepared: Prepared, id: str, *, block: bool) -> str:
    from math_core import LatexError

    try:
        mathml = str(_converter().convert_with_local_state(prepared.latex, displaystyle=block))
    except LatexError as error:
        position, _, text = str(error).partition(": ")
        raise prepared.error(text.rstrip("."), int(position)) from None
    for old, new in _REPAIRED.items():
        mathml = mathml.replace(old, new)
    if prepared.terms and not id:
        raise prepared.error(r"\term works in a formula block with an id, not here", 0)
    seen: dict[str, int] = {}
    for color, term in prepared.terms:
        seen[term] = seen.get(term, 0) + 1
        anchor = f"{id}-{term}" + (f"-{seen[term]}" if seen[term] > 1 else "")
        tag = f'<mrow class="term" data-term="{term}" id="{anchor}" aria-describedby="{id}-{term}-text">'
        mathml = _retag(mathml, f'<mrow style="color:#{color};">', tag, f"term {term!r}", prepared)
    for color, (name, text) in prepared.values:
        tag = f'<mrow class="num" data-id="{escape(name)}">' if name else "<mrow>"
        placeholder = f'<mrow style="color:#{color};"><mn>0</mn></mrow>'
        mathml = _retag(mathml, placeholder, tag + number(text) + "</mrow>", f"number {text!r}", prepared)
    return mathml


def _retag(mathml: str, old: str, new: str, what: str, prepared: Prepared) -> str:
    if mathml.count(old) != 1:
        raise prepared.error(f"{what} cannot stand here: the compiler drops or copies it", 0)
    return mathml.replace(old, new)


def number(text: str) -> str:
    """Return a displayed number as MathML: one `<mn>`, so that no comma gets a space behind it."""
    found = _NUMBER.fullmatch(text)
    if not found:
        return f"<mtext>{escape(text)}</mtext>"
    sign = f'<mo form="prefix" lspace="0" rspace="0">{found["sign"]}</mo>' if found["sign"] else ""
    power = ""
    if found["power"]:
        exponent = found["power"].translate(_SUPERSCRIPT)
        power = f"<mo>×</mo><msup><mn>10</mn><mn>{exponent}</mn></msup>"
    return f"{sign}<mn>{found['digits']}</mn>{power}"
