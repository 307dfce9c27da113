"""Tree pass before inline parsing: blocks become elements, in document order, with their lines known."""

from __future__ import annotations

import xml.etree.ElementTree as etree

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from course_build.markdown.blocks import BLOCK
from course_build.markdown.construct import Block
from course_build.markdown.constructs import CONSTRUCTS
from course_build.markdown.lines import last_line, strip, tag
from course_build.markdown.mathblocks import place
from course_build.markdown.references import References
from course_build.markdown.state import Held


class Expand(Treeprocessor):
    """Hands each block to its construct."""

    def __init__(self, md: Markdown, held: Held) -> None:
        super().__init__(md)
        self.held = held

    def run(self, root: etree.Element) -> None:
        """Expand every block, outer ones first; then place display math."""
        for element in list(root.iter(BLOCK)):
            argument = element.get("argument", "")
            line = last_line(argument) or 0
            construct = CONSTRUCTS[element.get("name", "")]
            block = Block(
                element=element,
                argument=strip(argument).strip(),
                options={k: v for k, v in self.held.options.get(line, {}).items() if v is not None},
                misread=line in self.held.misread,
                line=line,
                held=self.held,
                references=References(self.held.course, self.held.page, self.md),
                stash=self.stash,
            )
            construct.expand(block)
            # What the construct wrote (titles, table cells) belongs to the block's own line.
            element.text = tag(line) + (element.text or "")
        place(root, self.held.math)

    def stash(self, html: str) -> str:
        """Keep generated HTML out of the parser's way."""
        placeholder: str = self.md.htmlStash.store(html)
        self.held.stashed.add(placeholder)
        return placeholder
