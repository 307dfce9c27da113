"""The closed world of numbers: what a reader can read and is no ledger number must be declared or exempt by rule."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from course_build import numerals
from course_build.facts.evaluate import Ledger
from course_build.markdown.htmltexts import HtmlTexts
from course_build.markdown.lines import strip
from course_build.markdown.state import PageState
from course_build.numerals import Words

AROUND = 10  # characters of the text that an error quotes on each side
_PROSE = "use [[{id}]] or declare [[= {numeral}; kind: why]]"
_MATH = r"in a formula a number of the ledger is \val{{{id}}}"
_PLAIN = "no reference works in this text; say it without the number"


class ClosedWorld:
    """Applies the rule of `numerals` to texts of a page and names the ledger ids that print the same."""

    def __init__(self, ledger: Ledger, words: Words) -> None:
        self.ledger = ledger
        self.words = words

    def text(self, text: str, page: PageState, lines: Sequence[tuple[int, int]], mend: str = _PROSE) -> None:
        """Check prose; `lines` maps offsets to source lines."""
        for offset, fault in self.faults(text, mend):
            line = next((number for start, number in reversed(lines) if start <= offset), 0)
            page.complain(line, fault)

    def plain(self, text: str, page: PageState, line: int) -> None:
        """Check a text that is shown as it stands."""
        self.text(text, page, [(0, line)], _PLAIN)

    def faults(self, text: str, mend: str = _PLAIN) -> Iterator[tuple[int, str]]:
        """Yield place and fault of each typed numeral of a text."""
        if not text or text.isspace():
            return
        for each in numerals.find(text, self.words):
            around = text[max(0, each.start - AROUND) : each.end + AROUND].replace(numerals.CUT_OUT, "…")
            yield each.start, self._fault(each.text, f"near {' '.join(around.split())!r}", each.value, mend)

    def code(self, text: str, page: PageState, line: int) -> None:
        """Check a code span: one that is only a number is no hiding place, and one with Chinese in it is prose."""
        if numerals.holds_prose(text):
            self.text(text, page, [(0, line)])
        elif numerals.only_number(text):
            page.complain(line, self._fault(text, "in a code span", None, _PROSE))

    def formula(self, latex: str, page: PageState, line: int) -> None:
        r"""Check a formula that begins on `line`: operands are `\val{id}`, and only a number is no formula."""
        if numerals.only_number(latex):
            page.complain(line, self._fault(latex, "is all that this formula says", None, _PROSE))
            return
        for each in numerals.in_formula(latex, self.words):
            around = " ".join(latex[max(0, each.start - 2 * AROUND) : each.end + 2 * AROUND].split())
            fault = self._fault(each.text, f"in a formula near `{around}`", each.value, _MATH)
            page.complain(line + latex.count("\n", 0, each.start), fault)

    def html(self, html: str, page: PageState, line: int) -> HtmlTexts:
        """Check HTML that begins on `line`, the author's own or what a component drew; return what stands in it."""
        found = HtmlTexts.of(html)
        for below, text in found.codes:
            self.code(strip(text), page, line + below)
        for below, text in found.texts:
            plain, start = strip(text), line + below
            breaks = [at for at, char in enumerate(plain) if char == "\n"]
            self.text(plain, page, [(0, start), *((at, start + n) for n, at in enumerate(breaks, 1))])
        return found

    def _fault(self, numeral: str, where: str, value: float | None, mend: str) -> str:
        same = self.same(numeral, value)
        form = r"\val{{{}}}" if mend is _MATH else "[[{}]]"
        hint = f"; the ledger prints this as {', '.join(map(form.format, same))}" if same else ""
        return f"typed numeral {numeral!r} {where}; {mend.format(id='id', numeral=numeral)}{hint}"

    def same(self, text: str, value: float | None = None, most: int = 3) -> list[str]:
        """Return ids of ledger numbers that print as `text`, or failing that have its value."""
        key = numerals.print_key(text)
        records = self.ledger.records.values()
        found = [r.id for r in records if numerals.print_key(r.text) == key]
        if not found and value is not None:
            found = [r.id for r in records if _equal(r.value, value)]
        return found[:most]


def _equal(value: object, other: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isclose(value, other, rel_tol=1e-12)
