"""One flow of text: the inline content of a block, as one string, with the line of each piece."""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import partial

HELD = "\ufffc"  # stands for a number, a formula, a code span: present, but not to be read
_CJK = "\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\u2018-\u201d\u2014\u2026"
_BREAK = re.compile(rf"[ \t]*\n[ \t]*(?=(?P<after>[{_CJK}])?)")
_CJK_CHAR = re.compile(f"[{_CJK}]")


@dataclass
class Flow:
    """Text pieces in reading order; `slots` says where each was taken from, so that it can be written back."""

    owner: etree.Element
    pieces: list[str] = field(default_factory=list)
    lines: list[tuple[int, int]] = field(default_factory=list)  # (offset in the text, source line), ascending
    slots: list[tuple[etree.Element, str, int, int]] = field(default_factory=list)  # element, attribute, start, end
    length: int = 0

    @property
    def text(self) -> str:
        """Return the flow as one string; held things are U+FFFC."""
        return "".join(self.pieces)

    def add(self, text: str, line: int) -> None:
        """Append text that stands on a line."""
        if text:
            self.lines.append((self.length, line))
            self.pieces.append(text)
            self.length += len(text)

    def hold(self, line: int) -> None:
        """Append one held thing."""
        self.add(HELD, line)

    def slot(self, element: etree.Element, name: str, text: str) -> None:
        """Say that the text just added fills a slot of the tree, and write it there."""
        self.slots.append((element, name, self.length - len(text), self.length))
        setattr(element, name, text)

    def line_at(self, offset: int) -> int:
        """Return the source line at an offset; a line without a tag counts from the last one with."""
        index = bisect_right(self.lines, (offset, 10**9)) - 1
        start, line = self.lines[index] if index >= 0 else (0, 0)
        return line + self.text.count("\n", start, offset)

    def join(self) -> None:
        """Remove line breaks beside Chinese: a browser would show each as a gap.

        A number or a formula beside the break does not count as Chinese; the character on its other side decides.
        """
        text = self.text
        for element, name, start, end in self.slots:
            part = text[start:end]
            if "\n" in part:
                joint = partial(self._joint, text=text, start=start)
                setattr(element, name, _BREAK.sub(joint, part))

    def _joint(self, match: re.Match[str], text: str, start: int) -> str:
        before = text[: start + match.start()].rstrip(HELD + " ")[-1:]
        after = text[start + match.end() :].lstrip(HELD + " ")[:1]
        return "" if _CJK_CHAR.match(before) or _CJK_CHAR.match(after) else "\n"
