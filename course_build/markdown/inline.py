"""The author's inline syntax: `[[…]]`, `[@…]` and `$…$` become marked elements; the tree pass fills them in.

Nothing is looked up here: inline processors do not run in document order and do not know their line.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor

REF = "x-ref"  # [[id]], [[id:format]], [[id:work]], [[= literal; why]], [[? check]], [[code file name]]
CITE = "x-cite"  # [@zhang2019], [@proof]
MATH = "x-math"  # $…$

_REF = r"\[\[((?:[^\[\]\n]|\[[^\[\]\n]*\])+)\]\]"
_CITE = r"\[@([a-z][\w-]*(?:\s*[,;]\s*@?[a-z][\w-]*)*)\]"
# As in pandoc: no space inside the dollars, no digit behind the closing one, so that 价格$5和$6 stays as written.
_MATH = r"(?<![\\$])\$(?![\s$])([^$\n]+?)(?<![\s\\])\$(?![\d$])"


class Marker(InlineProcessor):
    """Replace a match by an empty element that carries the source text."""

    def __init__(self, pattern: str, tag: str, md: Markdown) -> None:
        super().__init__(pattern, md)
        self.tag = tag

    def handleMatch(  # type: ignore[override]  # noqa: N802
        self, m: re.Match[str], data: str
    ) -> tuple[etree.Element, int, int]:
        """Return the element and the span that it replaces."""
        element = etree.Element(self.tag)
        element.set("src", m[1].strip())
        return element, m.start(0), m.end(0)


def register(md: Markdown) -> None:
    """Install the markers: math before backslash escapes (180), references before links (170, 160)."""
    md.inlinePatterns.register(Marker(_MATH, MATH, md), "course-math", 185)
    md.inlinePatterns.register(Marker(_REF, REF, md), "course-ref", 177)
    md.inlinePatterns.register(Marker(_CITE, CITE, md), "course-cite", 176)
