"""Where in the source a piece of text stands: tags of private-use characters that live through the parse.

Python-Markdown forgets line numbers.  Before anything else runs, each line of prose gets a tag with its number in
front of its first word; the tag travels with the text through every processor, and the last tree pass reads and
removes it.  Lines that are not prose (fences, block headers and options, display math, raw HTML) get none, because
there a tag would leak into code or break a parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TAG = re.compile("\ue000([\ue010-\ue019]+)\ue001")
_FENCE = re.compile(r"^[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(`{3,}|~{3,})")
_BLOCK = re.compile(r"^[ \t>]*(/{3,})[ \t]*([\w-]*)[ \t]*(?:\|(.*))?$")
_PREFIX = re.compile(
    r"^[ \t]*(?:>[ \t]*)*(?:(?:[-*+:]|\d+[.)])[ \t]+)*(?:#{1,6}[ \t]+)?(?:\|[ \t]*)?(?:\[\^[^\]]+\]:[ \t]*)?"
)
_INLINE_HTML = "a|abbr|b|br|cite|code|del|em|i|img|ins|kbd|mark|q|s|small|span|strong|sub|sup|u"
_UNTAGGED = re.compile(
    rf"^[ \t>]*(?:<(?!/?(?:{_INLINE_HTML})\b)|\[(?!\^)[^\]]+\]:|\*\[|\{{[:#.]|[\s|:=\-]*$)", re.IGNORECASE
)


def tag(line: int) -> str:
    """Return the tag for a line number."""
    return "\ue000" + "".join(chr(0xE010 + int(digit)) for digit in str(line)) + "\ue001"


def untag(match: re.Match[str]) -> int:
    """Return the line number of a TAG match."""
    return int("".join(str(ord(char) - 0xE010) for char in match[1]))


def strip(text: str) -> str:
    """Return text without tags."""
    return TAG.sub("", text) if "\ue000" in text else text


def last_line(text: str) -> int | None:
    """Return the number of the last tag in text."""
    found = list(TAG.finditer(text))
    return untag(found[-1]) if found else None


@dataclass(frozen=True)
class Line:
    """One source line and what the scanner takes it for."""

    number: int  # 1-based, in the text that was scanned
    text: str
    role: str  # prose | fence | math | open | close | option
    slashes: int = 0
    name: str = ""
    argument: str | None = None


def scan(lines: list[str]) -> Iterator[Line]:
    """Yield each line with its role; knows fences, display math and `///` blocks with their options."""
    fence, math, options = "", False, False
    for number, text in enumerate(lines, 1):
        opened = _FENCE.match(text)
        if fence:
            closing = text.strip(" \t>")
            if opened and set(closing) == {fence[0]} and len(closing) >= len(fence):
                fence = ""
            yield Line(number, text, "fence")
        elif math:
            math = not text.rstrip().endswith("$$")
            yield Line(number, text, "math")
        elif opened:
            fence = opened[1]
            options = False
            yield Line(number, text, "fence")
        elif text.strip().startswith("$$"):
            body = text.strip()
            math = not (len(body) >= 4 and body.endswith("$$"))
            options = False
            yield Line(number, text, "math")
        elif block := _BLOCK.match(text):
            options = bool(block[2])
            role = "open" if block[2] else "close"
            yield Line(number, text, role, len(block[1]), block[2], block[3])
        elif options and text.startswith("    ") and text.strip():
            yield Line(number, text, "option")
        else:
            options = False
            yield Line(number, text, "prose")


def tagged(line: Line, number: int, *, own: bool) -> str:
    """Return the line with its tag put where no parser minds it.

    A block of ours (`own`) carries the tag at the end of its argument; a stock block (tab, details) before its title.
    """
    if line.role == "open":
        head = line.text[: line.text.index("|")] if line.argument is not None else line.text.rstrip() + " "
        argument = (line.argument or "").strip()
        if own:
            return f"{head}| {argument}{tag(number)}"
        return f"{head}| {tag(number)}{argument}" if line.argument is not None else line.text
    if line.role != "prose" or not line.text.strip() or _UNTAGGED.match(line.text):
        return line.text
    end = _PREFIX.match(line.text).end()  # type: ignore[union-attr]
    return line.text[:end] + tag(number) + line.text[end:]
