"""Display math: taken out of the text before any parser can touch its backslashes, put back as one element."""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree

from course_build.markdown.inline import MATH
from course_build.markdown.lines import strip, tag

_HELD = re.compile("\ue002([\ue010-\ue019]+)\ue003")


def hold(latex: str, line: int, held: dict[int, str]) -> str:
    """Keep a display formula under the number of its first line; return the paragraph that stands for it."""
    held[line] = latex
    digits = "".join(chr(0xE010 + int(digit)) for digit in str(line))
    return f"\ue002{digits}\ue003{tag(line)}"


def display_source(element: etree.Element, held: dict[int, str]) -> tuple[int, str] | None:
    """Return line and LaTeX of a paragraph that is a held formula, else None."""
    match = _HELD.fullmatch(strip(element.text or "").strip()) if element.tag == "p" and not len(element) else None
    if not match:
        return None
    line = int("".join(str(ord(char) - 0xE010) for char in match[1]))
    return line, held[line]


def place(root: etree.Element, held: dict[int, str]) -> None:
    """Turn held paragraphs into display-math elements."""
    for element in root.iter("p"):
        found = display_source(element, held)
        if found:
            line_tag = (element.text or "").partition("\ue003")[2]
            element.text = line_tag
            etree.SubElement(element, MATH, {"src": found[1], "display": "block"})
