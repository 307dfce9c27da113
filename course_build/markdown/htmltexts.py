"""HTML as a reader meets it: its texts, its code spans and where it leads, each with its line in the HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser

READ_ATTRIBUTES: tuple[str, ...] = (
    "alt", "title", "placeholder", "label", "aria-label", "aria-description", "aria-placeholder",
    "aria-roledescription", "aria-valuetext",
)  # fmt: skip
_SKIPPED = frozenset({"script", "style", "template", "pre", "math"})
_VOID = frozenset({"br", "img", "input", "hr", "col", "wbr", "path", "rect", "line", "circle", "use", "stop"})
_WRITTEN = ("", "text", "button", "submit", "reset", "search", "number")  # types of <input> that show their value
_CANDIDATE = re.compile(r"[,\s]*([^\s,]\S*)(?:\s+[\d.]+[wx])?\s*(?:,|$)")


def read_attributes(tag: str, attributes: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of the attributes that a reader reads or hears."""
    names: tuple[str, ...] = READ_ATTRIBUTES
    if tag == "input" and (attributes.get("type") or "").lower() in _WRITTEN:
        names = (*READ_ATTRIBUTES, "value")
    for name in names:
        if value := attributes.get(name):
            yield name, value


def targets(tag: str, attributes: Mapping[str, str | None]) -> Iterator[str]:
    """Yield the addresses that an element leads to or shows: href, src, srcset, poster, data of an object."""
    for name in ("href", "src", "poster", *(["data"] if tag == "object" else [])):
        if value := attributes.get(name):
            yield value
    for found in _CANDIDATE.finditer(attributes.get("srcset") or ""):
        yield found[1].rstrip(",")


@dataclass
class HtmlTexts:
    """What stands in a piece of HTML; each with the number of lines above it."""

    texts: list[tuple[int, str]] = field(default_factory=list)
    codes: list[tuple[int, str]] = field(default_factory=list)
    links: list[tuple[int, str]] = field(default_factory=list)

    @classmethod
    def of(cls, html: str) -> HtmlTexts:
        """Read a piece of HTML; what ledger numbers print is left out."""
        reader = _Reader()
        reader.feed(html)
        reader.close()
        return reader.found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found = HtmlTexts()
        self._skipping: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given, line = dict(attrs), self.getpos()[0] - 1
        self.found.texts += [(line, text) for _, text in read_attributes(tag, given)]
        self.found.links += [(line, target) for target in targets(tag, given)]
        classes = (given.get("class") or "").split()
        skip = tag in _SKIPPED or "num" in classes or "ticks" in classes or tag == "code"
        if (self._skipping or skip) and tag not in _VOID:
            if not self._skipping and tag == "code":
                self.found.codes.append((line, ""))
            self._skipping.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._skipping and tag == self._skipping[-1]:
            self._skipping.pop()

    def handle_data(self, data: str) -> None:
        if not self._skipping and data.strip():
            self.found.texts.append((self.getpos()[0] - 1, data))
        elif self._skipping[:1] == ["code"]:
            line, text = self.found.codes[-1]
            self.found.codes[-1] = (line, text + data)
