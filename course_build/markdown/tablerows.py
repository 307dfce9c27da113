"""Every row of a Markdown table has as many cells as its head: what stands in one too many would be dropped unsaid."""

from __future__ import annotations

import xml.etree.ElementTree as etree
from typing import TYPE_CHECKING

from markdown import Markdown
from markdown.blockprocessors import BlockProcessor
from markdown.extensions.tables import TableProcessor

from course_build.markdown.lines import last_line, strip
from course_build.markdown.state import Held

if TYPE_CHECKING:
    from markdown.blockparser import BlockParser


class TableRows(BlockProcessor):
    """Looks at each table before the stock processor takes it; takes nothing itself."""

    def __init__(self, md: Markdown, held: Held) -> None:
        parser: BlockParser = md.parser
        super().__init__(parser)
        self.md = md
        self.held = held

    def test(self, parent: etree.Element, block: str) -> bool:
        """Report the rows of a table that do not fit its head; return False."""
        stock = next((each for each in self.md.parser.blockprocessors if isinstance(each, TableProcessor)), None)
        if stock and stock.test(parent, block):
            line = 0
            for row in block.split("\n"):
                line = last_line(row) or line + 1  # the separator has no tag
                self._row(stock, strip(row).strip(" "), line)
        return False

    def _row(self, stock: TableProcessor, row: str, line: int) -> None:
        cells, head = len(stock._split_row(row)), len(stock.separator)  # type: ignore[attr-defined]
        if cells > head:
            text = f"table row of {cells} cells below a head of {head}, the rest would be lost; write \\| for a bar"
        elif cells < head:
            text = f"table row of {cells} below a head of {head} cells; write every cell, also an empty one"
        else:
            return
        self.held.page.complain(line, f"{text} (seen {row!r})")
