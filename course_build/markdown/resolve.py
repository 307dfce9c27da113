"""Tree pass after inline parsing: numbers are filled in, lines are read off, and the closed world is enforced.

The pass walks the tree in document order.  Every block-level element is one *flow* of text; in a flow, line breaks
beside Chinese are joined, and each numeral must be a ledger number, a declared literal or exempt by rule.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from dataclasses import dataclass

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from course_build.markdown.elements import problem as mark
from course_build.markdown.flow import HELD, Flow
from course_build.markdown.inline import CITE, MATH, REF
from course_build.markdown.lines import TAG, untag
from course_build.markdown.references import References
from course_build.markdown.state import Held, Promise

INLINE = frozenset(
    [
        "a",
        "abbr",
        "b",
        "br",
        "cite",
        "code",
        "data",
        "del",
        "em",
        "i",
        "kbd",
        "mark",
        "q",
        "s",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "u",
        "img",
        "button",
        "label",
        "input",
    ]
) | {REF, CITE, MATH}
_PLACEHOLDER = re.compile("\x02wzxhzdk:(\\d+)\x03")
_LEFTOVER = re.compile(r"\[\[|\]\]|\*\*|__|(?<!\\)\$\$|^/{3,}", re.MULTILINE)
_READ_ATTRIBUTES = ("alt", "title", "aria-label")


@dataclass
class Resolve(Treeprocessor):
    """Fills in the markers and checks every flow."""

    md: Markdown
    held: Held

    def run(self, root: etree.Element) -> None:
        """Walk the whole page."""
        self.line = 0
        self.course = self.held.course
        self.references = References(self.course, self.held.page, self.md)
        self._block(root)
        self._promises(root)

    def _promises(self, root: etree.Element) -> None:
        """Collect the promises, now that their numbers are filled in."""
        page = self.held.page
        for element in root.iter("div"):
            name = element.attrib.pop("data-promise", None)
            if name:
                body = element.find("div[@class='promise-body']")
                text = "" if body is None else _PLACEHOLDER.sub("…", "".join(body.itertext()).strip())
                target, line = element.attrib.pop("data-to"), int(element.attrib.pop("data-line"))
                page.promises.append(Promise(name, target, text, page.url, page.path, line))

    def _read(self, text: str | None) -> str:
        """Take the line tags out of a text; remember the last one."""
        if not text or "\ue000" not in text:
            return text or ""
        for match in TAG.finditer(text):
            self.line = untag(match)
        return TAG.sub("", text)

    def _block(self, element: etree.Element) -> None:
        """Process a block-level element: its direct inline content is one flow between block-level children."""
        if element.tag == "pre":
            return
        flow = Flow(element)
        self._text(flow, element, "text")
        for item in list(element):
            if item.tag in INLINE:
                self._inline(flow, item)
            else:
                self._end(flow, element)
                flow = Flow(element)
                self._attributes(item)
                self._block(item)
            self._text(flow, item, "tail")
        self._end(flow, element)

    def _inline(self, flow: Flow, element: etree.Element) -> None:
        """Process an inline element inside a flow."""
        if element.get("class") == "problem":  # our own message quotes numerals
            flow.hold(self.line)
            return
        if element.tag in (REF, CITE, MATH):
            flow.hold(self.line)
            self.references.fill(element, self.line)
            return
        if element.tag == "code":
            self._code(flow, element)
            return
        if element.tag == "a" and element.get("href"):
            self.held.page.links.append((self.line, element.get("href", "")))
        self._attributes(element)
        self._text(flow, element, "text")
        for item in list(element):
            self._inline(flow, item)
            self._text(flow, item, "tail")

    def _code(self, flow: Flow, element: etree.Element) -> None:
        text = self._read(element.text)
        element.text = text
        flow.hold(self.line)
        if not element.get("class"):
            self.course.closed_world.code(text, self.held.page, self.line)

    def _text(self, flow: Flow, element: etree.Element, slot: str) -> None:
        raw = getattr(element, slot)
        if not raw:
            return
        pieces: list[str] = []
        position = 0
        for match in TAG.finditer(raw):
            pieces.append(raw[position : match.start()])
            flow.add(pieces[-1], self.line)
            self.line = untag(match)
            position = match.end()
        pieces.append(raw[position:])
        flow.add(pieces[-1], self.line)
        flow.slot(element, slot, "".join(pieces))

    def _attributes(self, element: etree.Element) -> None:
        for name in _READ_ATTRIBUTES:
            value = element.get(name)
            if value:
                element.set(name, self._read(value))
                self.course.closed_world.text(element.get(name, ""), self.held.page, [(0, self.line)])

    def _end(self, flow: Flow, element: etree.Element) -> None:
        """Join line breaks, check the flow's numerals and leftovers, put problem marks behind it."""
        flow.join()
        text = flow.text
        before = len(self.held.page.problems)
        for match in _PLACEHOLDER.finditer(text):
            if match[0] not in self.held.stashed:
                html = str(self.md.htmlStash.rawHtmlBlocks[int(match[1])])
                self.course.closed_world.html(html, self.held.page, flow.line_at(match.start()))
        clean = _PLACEHOLDER.sub(lambda match: HELD * len(match[0]), text)
        self.course.closed_world.text(clean, self.held.page, flow.lines)
        for match in _LEFTOVER.finditer(clean):
            around = clean[max(0, match.start() - 12) : match.end() + 12].strip()
            self.held.page.complain(
                flow.line_at(match.start()),
                f"markup {match[0]!r} was left as text near {around!r}; close it or escape it",
            )
        for problem in self.held.page.problems[before:]:
            if element.tag not in ("ul", "ol", "dl", "table", "tr", "thead", "tbody", "div"):
                mark(etree.SubElement(element, "span"), str(problem))
