"""Tree pass after inline parsing: numbers are filled in, lines are read off, and the closed world is enforced.

The pass walks the tree in document order.  Every block-level element is one *flow* of text; in a flow, line breaks
beside Chinese are joined, and each numeral must be a ledger number, a declared literal or exempt by rule.
"""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as etree
from dataclasses import dataclass

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from course_build.markdown import elements, readable
from course_build.markdown.elements import problem as mark
from course_build.markdown.flow import HELD, Flow
from course_build.markdown.htmltexts import read_attributes, targets
from course_build.markdown.inline import CITE, MATH, REF
from course_build.markdown.lines import TAG, strip, untag
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
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
_LEFTOVER = re.compile(
    r"\[\[|\]\]|\*\*|__|(?<!\\)\$\$|^/{3,}|\[\^[^\]\s]+\]|^\s*\|?\s*:?-{3,}:?\s*\|[\s|:-]*$", re.MULTILINE
)
_TAGS = re.compile("<[^>]*>")  # of highlighted code
_OUR_CODE = "course-expression"


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
        self.ids: dict[str, int] = {}
        self._block(root)
        self._promises(root)

    def _promises(self, root: etree.Element) -> None:
        """Collect the promises, now that their numbers are filled in."""
        page = self.held.page
        for element in root.iter("div"):
            name = element.attrib.pop("data-promise", None)
            if name:
                body = element.find("div[@class='promise-body']")
                text = "" if body is None else readable.plain("".join(body.itertext()).strip(), lambda _: "…")
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
                with self.held.page.standing(item.attrib.pop(elements.STANDS, "")):
                    self._attributes(item)
                    self._block(item)
                if item.tag in _HEADINGS:
                    self._heading(item)
            self._text(flow, item, "tail")
        self._end(flow, element)

    def _heading(self, element: etree.Element) -> None:
        """An id of the author's own keeps links alive when the heading is worded anew."""
        name, level = element.get("id", ""), "#" * int(element.tag[1])
        words = readable.plain("".join(element.itertext())).strip()[:20]
        if not _ID.fullmatch(name):
            seen = f"has the id {name!r}" if name else "has no id"
            self._complain(f"heading {words!r} {seen}; write `{level} … {{#name}}`, in ASCII letters", element)
        elif name in self.ids:
            self._complain(f"heading id {name!r} stands twice (first in line {self.ids[name]}); rename one", element)
        self.ids.setdefault(name, self.line)

    def _complain(self, text: str, element: etree.Element) -> None:
        mark(etree.SubElement(element, "span"), str(self.held.page.complain(self.line, text)))

    def _inline(self, flow: Flow, element: etree.Element) -> None:
        """Process an inline element inside a flow."""
        classes = element.get("class", "")
        if classes == "problem" or classes.startswith("footnote-"):  # our message quotes; a footnote's mark counts none
            flow.hold(self.line)
            return
        if element.tag in (REF, CITE, MATH):
            flow.hold(self.line)
            self.references.fill(element, self.line)
            return
        if element.tag == "code":
            self._code(flow, element)
            return
        self._attributes(element)
        self._text(flow, element, "text")
        for item in list(element):
            self._inline(flow, item)
            self._text(flow, item, "tail")

    def _code(self, flow: Flow, element: etree.Element) -> None:
        element.text = self._read(element.text)
        flow.hold(self.line)
        if element.get("class") != _OUR_CODE:
            text = readable.plain("".join(element.itertext()), lambda number: _TAGS.sub("", self._raw(number)))
            self.course.closed_world.code(html.unescape(text), self.held.page, self.line)

    def _raw(self, number: int) -> str:
        """Return a piece of raw HTML that the parser took out."""
        raw = self.md.htmlStash.rawHtmlBlocks[number]
        return etree.tostring(raw, "unicode") if isinstance(raw, etree.Element) else str(raw)

    def _stashed(self, number: int, line: int) -> str:
        """Check a piece of raw HTML; return what a reader reads of it within the flow."""
        if self.md.htmlStash.get_placeholder(number) in self.held.stashed:
            return HELD
        source = self._raw(number)
        inline = readable.raw_html(source)
        if inline in ("", HELD):
            line = self.held.line_of(source, line)
            found = self.course.closed_world.html(source, self.held.page, line)
            self.held.page.links += [(line + below, strip(target)) for below, target in found.links]
        return inline

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
        for name, value in read_attributes(element.tag, element.attrib):
            element.set(name, strip(value))
            tags = (TAG.search(text) for text in (value, *element.itertext()))
            line = next((untag(tag) for tag in tags if tag), self.line)
            self.course.closed_world.text(readable.plain(strip(value)), self.held.page, [(0, line)])
        if element.tag != elements.LINK:
            self.held.page.links += [
                (self.line, readable.plain(strip(target))) for target in targets(element.tag, element.attrib)
            ]

    def _end(self, flow: Flow, element: etree.Element) -> None:
        """Join line breaks, check the flow's numerals and leftovers, put problem marks behind it."""
        flow.join()
        page = self.held.page
        before = len(page.problems)
        text, lines = readable.flow(flow, self._stashed)
        self.course.closed_world.text(text, page, lines)
        clean = readable.held(flow.text)
        for match in _LEFTOVER.finditer(clean):
            around = clean[max(0, match.start() - 12) : match.end() + 12].replace(HELD, "…").strip()
            seen = match[0].strip()
            text = f"markup {seen!r} was left as text near {around!r}; close it or escape it"
            if seen.startswith("[^"):
                text = f"footnote {seen} has no text; add a line `{seen}: …`"
            page.complain(flow.line_at(match.start()), text)
        for problem in page.problems[before:]:
            if element.tag not in ("ul", "ol", "dl", "table", "tr", "thead", "tbody", "div"):
                mark(etree.SubElement(element, "span"), str(problem))
