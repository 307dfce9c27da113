"""Fill in the inline markers: numbers, derivations, literals, checks, code lines, citations, formulas."""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from collections.abc import Callable
from typing import TYPE_CHECKING

from markdown import Markdown

from course_build.errors import CourseError, Gravity, nearest
from course_build.evidence import Kind
from course_build.facts.record import Record, show
from course_build.markdown import elements, equations
from course_build.markdown.inline import CITE, MATH
from course_build.markdown.state import ClaimUse, Literal, PageState, Use
from course_build.value import parse_spec

if TYPE_CHECKING:
    from course_build.site.course import Course

_LITERAL = re.compile(r"=\s*(?P<text>[^;；]+)[;；]\s*(?P<why>.+)", re.DOTALL)
_KIND = re.compile(r"(?P<kind>[a-z]+)\s*[:：]\s*(?P<why>.+)", re.DOTALL)
_NUMBER = re.compile(r"(?P<id>[A-Za-z][\w.]*)\s*(?::\s*(?P<spec>.+))?")
_HAN = re.compile("[\u3400-\u9fff\uff0c\u3002]")
_TEXT_COMMAND = re.compile(r"\\(?:text\w*|operatorname|term)\s*\{[^{}]*\}")
_BADGES = {kind.value: kind for kind in Kind} | {"proof": Kind.PROVED}


class References:
    """Resolves the markers of one page."""

    def __init__(self, course: Course, page: PageState, md: Markdown) -> None:
        self.course = course
        self.page = page
        self.md = md

    def fill(self, element: etree.Element, line: int) -> None:
        """Turn a marker into what it stands for, or into a problem mark."""
        source = element.get("src", "")
        before = len(self.page.problems)
        try:
            if element.tag == MATH:
                self._math(element, source, line)
            elif element.tag == CITE:
                self._cite(element, source, line)
            elif source.startswith("="):
                self._literal(element, source, line)
            elif source.startswith("?"):
                self._check(element, source[1:].strip(), line)
            elif source.startswith("code "):
                self._code(element, source[5:].strip(), line)
            else:
                self._number(element, source, line)
        except CourseError as error:
            self.page.suffer(line, source, error)
            elements.problem(element, str(self.page.problems[-1]))
            return
        if len(self.page.problems) > before and self.page.problems[-1].gravity is Gravity.ERROR:
            elements.problem(element, str(self.page.problems[-1]))

    def record(self, name: str, line: int) -> Record:
        """Return a record and note that the page uses it."""
        record = self.course.ledger.record(name)
        self.page.uses.append(Use(record.id, self.page.url, self.page.path, line))
        return record

    def href(self, record: Record) -> str:
        """Return the way to a number's row in the ledger."""
        return self.page.relative(f"{elements.LEDGER}#{record.id}")

    def _number(self, element: etree.Element, source: str, line: int) -> None:
        match = _NUMBER.fullmatch(source)
        if not match:
            self.page.complain(line, f"[[{source}]] is neither an id, `= literal; why`, `? check` nor `code file name`")
            return
        record = self.record(match["id"], line)
        spec = match["spec"]
        if spec == "work":
            text = f"{record.derivation} = {record.text}" if record.checked else f"{record.text}（{record.derivation}）"
        else:
            text = self.shown(record, spec, line)
        elements.number(element, record, text, self.href(record))
        if spec == "work":
            element.set("class", element.get("class", "") + " num-work")

    def shown(self, record: Record, spec: str | None, line: int) -> str:
        """Return a record's text, in another format when one is given."""
        if not spec:
            return record.text
        try:
            parse_spec(spec)
            return show(record.value, spec)
        except (ValueError, TypeError) as error:
            self.page.complain(line, f"[[{record.id}:{spec}]]: {error}")
            return record.text

    def _literal(self, element: etree.Element, source: str, line: int) -> None:
        match = _LITERAL.fullmatch(source)
        why = _KIND.fullmatch(match["why"].strip()) if match else None
        if not match or not why or why["kind"] not in _BADGES:
            kinds = ", ".join(kind.value for kind in Kind)
            self.page.complain(line, f"[[{source}]]: write [[= 4; constructed: why it is typed]]; kinds: {kinds}")
            return
        text = match["text"].strip()
        self.course.closed_world.plain(why["why"], self.page, line)
        self.page.literals.append(Literal(text, _BADGES[why["kind"]].value, why["why"], self.page.path, line))
        elements.literal(element, text, why["why"])

    def _check(self, element: etree.Element, source: str, line: int) -> None:
        verdict = self.course.judge(source)
        name = source if source in self.course.ledger.claims else ""
        use = ClaimUse(name, verdict.expression, verdict.filled, verdict.true, self.page.url, self.page.path, line)
        self.page.claims.append(use)
        elements.check(element, verdict.true, verdict.filled, verdict.expression)
        if not verdict.true:
            text = f"check is false: {verdict.told}"
            self.page.complain(line, text, Gravity.DRAFT)

    def _code(self, element: etree.Element, source: str, line: int) -> None:
        text, url = self.course.code_line(source)
        elements.put(element, elements.LINK, class_="code-line", href=self.page.relative(url))
        elements.child(element, "code", text, class_="code-place")

    def _cite(self, element: etree.Element, source: str, line: int) -> None:
        names = [name.strip(" @") for name in re.split(r"[,;]", source)]
        elements.put(element, "span", class_="evidence")
        for name in names:
            item = elements.child(element, "span")
            if name in _BADGES:
                elements.badge(item, _BADGES[name])
                continue
            paper = self.course.papers.get(name)
            if paper is None:
                badges = f"badges: {', '.join(_BADGES)}"
                self.page.complain(line, f"[@{name}]: no such paper{nearest(name, self.course.papers)}; {badges}")
                continue
            self.page.citations.add(name)
            title = f"{paper['title']} · {paper['ref']}"
            if paper.get("url"):
                elements.put(item, "a", class_="cite", href=paper["url"], title=title)
            else:
                elements.put(item, "span", class_="cite", title=title)
            elements.child(item, "span", Kind.REPORTED.glyph, aria_hidden="true").tail = f" {paper['label']}"

    def _math(self, element: etree.Element, source: str, line: int) -> None:
        display = element.get("display") == "block"
        self.check_formula(source, line)
        if _HAN.search(_TEXT_COMMAND.sub("", source)):
            text = f"formula ${source[:30]}$ holds Chinese; write \\text{{…}} around it, or \\$ for a dollar sign"
            self.page.complain(line, text)
            return
        mathml = self.course.math(source, self.math_values(line), display=display)
        placeholder = self.md.htmlStash.store(mathml)
        if display:
            elements.put(element, "span", placeholder, class_="math-display", tabindex="0")
        else:
            elements.put(element, "span", placeholder, class_="math-inline")

    def check_formula(self, latex: str, line: int) -> None:
        """Report typed operands of a formula that begins on this line, and equations of numbers that are false."""
        self.course.closed_world.formula(latex, self.page, line)
        for offset, fault in equations.wrong(latex, self.course.ledger.records.get):
            self.page.complain(line + latex.count("\n", 0, offset), fault, Gravity.DRAFT)

    def math_values(self, line: int) -> Callable[[str, str], str]:
        r"""Return what prints the `\val{id:format}` of a formula on this line."""
        return lambda name, spec: self.shown(self.record(name, line), spec or None, line)
