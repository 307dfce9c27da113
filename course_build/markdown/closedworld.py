"""The closed world of numbers: what a reader can read and is no ledger number must be declared or exempt by rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html.parser import HTMLParser

from course_build import numerals
from course_build.errors import Gravity
from course_build.facts.evaluate import Ledger
from course_build.markdown.lines import last_line, strip
from course_build.markdown.state import PageState
from course_build.numerals import Words

_SKIPPED = frozenset({"script", "style", "template", "pre", "math"})
_VOID = frozenset({"br", "img", "input", "hr", "col", "wbr", "path", "rect", "line", "circle", "use", "stop"})


class ClosedWorld:
    """Applies the rule of `numerals` to texts of a page and names the ledger ids that print the same."""

    def __init__(self, ledger: Ledger, words: Words) -> None:
        self.ledger = ledger
        self.words = words

    def text(self, text: str, page: PageState, lines: Sequence[tuple[int, int]]) -> None:
        """Check prose; `lines` maps offsets to source lines."""
        if not text or text.isspace():
            return
        for numeral in numerals.find(text, self.words):
            line = next((number for offset, number in reversed(lines) if offset <= numeral.start), 0)
            around = " ".join(text[max(0, numeral.start - 10) : numeral.end + 10].replace("\ufffc", "…").split())
            self._complain(page, line, numeral.text, f"near {around!r}", numeral.value)

    def code(self, text: str, page: PageState, line: int) -> None:
        """Check a code span: one that is only a number is no hiding place."""
        if numerals.only_number(text):
            self._complain(page, line, text, "in a code span", None)

    def formula(self, latex: str, page: PageState, line: int) -> None:
        r"""Check a formula: one that is only a number is no hiding place, and operands are `\val{id}`."""
        if numerals.only_number(latex):
            self._complain(page, line, latex, "in a formula", None)
            return
        for operand in numerals.in_formula(latex):
            self._complain(page, line, operand.text, f"in the formula {latex[:40]!r}", operand.value)

    def html(self, html: str, page: PageState, line: int) -> None:
        """Check HTML: the author's own, or what a component drew."""
        reader = _Reader()
        reader.feed(html)
        reader.close()
        for text in reader.codes:
            self.code(strip(text), page, line)
        for text in reader.texts:
            line = last_line(text) or line
            self.text(strip(text), page, [(0, line)])

    def _complain(self, page: PageState, line: int, numeral: str, where: str, value: float | None) -> None:
        same = self.same(numeral, value)
        hint = f"; the ledger prints this as {', '.join(f'[[{name}]]' for name in same)}" if same else ""
        text = f"typed numeral {numeral!r} {where}; use [[id]] or declare [[= {numeral}; kind: why]]{hint}"
        page.complain(line, text, Gravity.ERROR)

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


class _Reader(HTMLParser):
    """Collects the texts of HTML that a reader reads and that are not ledger numbers."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.codes: list[str] = []
        self._skipping: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.texts += [value for name in ("alt", "title", "aria-label") if (value := given.get(name))]
        classes = (given.get("class") or "").split()
        skip = tag in _SKIPPED or "num" in classes or "ticks" in classes or tag == "code"
        if (self._skipping or skip) and tag not in _VOID:
            self._skipping.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._skipping and tag == self._skipping[-1]:
            self._skipping.pop()

    def handle_data(self, data: str) -> None:
        if not self._skipping and data.strip():
            self.texts.append(data)
        elif self._skipping == ["code"]:
            self.codes.append(data)
