r"""What a reader will read in the place of Python-Markdown's placeholders, which stand between two control characters.

\x0240\x03          an escaped character, here `(`
\x02amp\x03         `&`
\x02wzxhzdk:7\x03   the seventh piece of raw HTML: an inline tag, an entity, a whole block
others              spaces and arrows of footnotes
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from course_build.markdown.flow import HELD, Flow

STASHED = re.compile("\x02wzxhzdk:(\\d+)\x03")
_PLACEHOLDER = re.compile("\x02([^\x02\x03]*)\x03")
_INLINE_TAG = re.compile(r"</?(?!img\b|input\b|br\b)[A-Za-z][^<>]*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_ENTITY = re.compile(r"&#?\w+;")

Stash = Callable[[int], str]


def plain(text: str, stash: Stash = lambda _: "") -> str:
    """Return a text without placeholders; `stash` gives what a reader reads of a piece of raw HTML."""
    return _PLACEHOLDER.sub(lambda found: _meant(found[1], stash), text) if "\x02" in text else text


def held(text: str) -> str:
    """Return a text, as long as before, in which everything escaped or taken out is HELD."""
    return _PLACEHOLDER.sub(lambda found: HELD * len(found[0]), text)


def flow(flow: Flow, stash: Callable[[int, int], str]) -> tuple[str, list[tuple[int, int]]]:
    """Return the text of a flow as it is read, and the line of each piece; `stash` also gets the line."""
    pieces: list[str] = []
    lines: list[tuple[int, int]] = []
    length = 0
    for piece, (_, line) in zip(flow.pieces, flow.lines, strict=True):
        lines.append((length, line))
        pieces.append(plain(piece, lambda number, line=line: stash(number, line)))  # type: ignore[misc]
        length += len(pieces[-1])
    return "".join(pieces), lines


def raw_html(source: str) -> str:
    """Return what raw HTML leaves of itself in a flow: a tag nothing, an entity its character, a block a gap."""
    if _ENTITY.fullmatch(source):
        return html.unescape(source)
    return "" if _INLINE_TAG.fullmatch(source) else HELD


def _meant(inside: str, stash: Stash) -> str:
    if inside.isdecimal():
        return chr(int(inside))
    kind, _, number = inside.partition(":")
    if kind == "wzxhzdk":
        return stash(int(number))
    return "&" if inside == "amp" else " "
