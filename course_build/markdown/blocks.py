"""Blocks: pymdownx.blocks parses them, and a guard in front of it fails closed.

pymdownx.blocks shows an unknown block, a bad option or an unclosed block as text and says nothing.  The guard reads the
`///` lines first, reports what is wrong with its line, and mends the text so that the rest of the page still parses.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from dataclasses import replace
from typing import Any

import yaml
from markdown import Markdown
from markdown.preprocessors import Preprocessor
from pymdownx.blocks import BlocksExtension
from pymdownx.blocks.block import Block as StockBlock

from course_build.errors import nearest
from course_build.markdown.construct import Construct
from course_build.markdown.constructs import CONSTRUCTS
from course_build.markdown.lines import Line, scan, tagged
from course_build.markdown.mathblocks import hold
from course_build.markdown.state import Held

BLOCK = "x-block"
_OPTION = re.compile(r"( {0,3}|\t+)([\w-]+):(?: |$)")
_FOOTNOTE = re.compile(r" {0,3}\[\^([^\]]*)\]:")
STOCK = ("tab", "details")


class Prepare(Preprocessor):
    """Check the blocks, take out options and display math, tag the lines."""

    def __init__(self, md: Markdown, held: Held) -> None:
        super().__init__(md)
        self.held = held

    def run(self, lines: list[str]) -> list[str]:
        """Return the lines that Markdown parses."""
        self.held.source = list(lines)
        self.footnotes: dict[str, int] = {}
        self.begun = False  # the line before opened a block or was an option: an option may follow
        self.out: list[str] = []
        self.open: list[Line] = []
        self.options: list[Line] = []
        self.math: list[Line] = []
        for line in scan(lines):
            line = self._meant(line)
            self.begun = line.role in ("open", "option")
            if line.role != "option":
                self._end_options()
            if line.role != "math":
                self._end_math()
            getattr(self, f"_{line.role}")(line)
        self._end_options()
        self._end_math()
        for line in reversed(self.open):
            self._complain(line, f"block {line.name!r} is never closed, add a line {'/' * line.slashes}")
            self.out += ["", "/" * line.slashes]
        return self.out

    def _complain(self, line: Line, text: str) -> None:
        self.held.page.complain(line.number + self.held.page.offset, text)

    def _number(self, line: Line) -> int:
        return line.number + self.held.page.offset

    def _meant(self, line: Line) -> Line:
        """Return a line, or the option that it was meant to be: one that is not indented by four spaces is text."""
        construct = CONSTRUCTS.get(self.open[-1].name) if self.begun and self.open else None
        found = _OPTION.match(line.text)
        if line.role != "prose" or not construct or not found:
            return line
        if found[2] not in construct.options and not ("*" in construct.options and found[1]):
            return line
        seen = f"indented by {len(found[1])}" if found[1] else "not indented"
        self._complain(line, f"found {line.text!r} {seen}, options are indented by 4")
        return replace(line, role="option", text=f"    {line.text.strip()}")

    def _prose(self, line: Line) -> None:
        if found := _FOOTNOTE.match(line.text):
            if found[1] in self.footnotes:
                first = self.footnotes[found[1]]
                self._complain(line, f"footnote [^{found[1]}] stands twice (first in line {first}), only one is shown")
            self.footnotes.setdefault(found[1], self._number(line))
        self.out.append(tagged(line, self._number(line), own=False))

    def _fence(self, line: Line) -> None:
        self.out.append(line.text)

    def _math(self, line: Line) -> None:
        self.math.append(line)
        body = "\n".join(held.text.strip() for held in self.math)
        if len(body) >= 4 and body.endswith("$$"):
            indent = self.math[0].text[: len(self.math[0].text) - len(self.math[0].text.lstrip())]
            latex = body[2:-2]
            above = latex[: len(latex) - len(latex.lstrip())].count("\n")
            token = hold(latex.strip(), self._number(self.math[0]) + above, self.held.math)
            self.out += ["", indent + token, ""]
            self.math = []

    def _end_math(self) -> None:
        if self.math:
            self._complain(self.math[0], "display formula is never closed, add $$")
            self.math = []

    def _open(self, line: Line) -> None:
        if line.name not in CONSTRUCTS and line.name not in STOCK:
            known = [*CONSTRUCTS, *STOCK]
            self._complain(line, f"unknown block {line.name!r}{nearest(line.name, known)}; known: {', '.join(known)}")
            line = Line(line.number, line.text, line.role, line.slashes, "aside", None)
        self.open.append(line)
        construct = CONSTRUCTS.get(line.name)
        if construct is None:
            self.out.append(tagged(line, self._number(line), own=False))
            return
        argument = (line.argument or "").strip()
        if construct.argument and not argument:
            self._complain(line, f"block {line.name} needs an argument, write `/// {line.name} | …`")
        if not construct.argument and argument:
            self._complain(line, f"block {line.name} takes no argument (seen {argument!r})")
        indent = line.text[: len(line.text) - len(line.text.lstrip())]
        head = Line(line.number, f"{indent}{'/' * line.slashes} {line.name} | {argument}", "open", argument=argument)
        self.out.append(tagged(head, self._number(line), own=True))

    def _close(self, line: Line) -> None:
        if not self.open:
            self._complain(line, "this closes no block (nothing is open); remove it or open one above")
        elif self.open[-1].slashes != line.slashes:
            opened = self.open[-1]
            self._complain(
                line,
                f"{'/' * line.slashes} does not close {opened.name!r} of line {self._number(opened)}, "
                f"which needs {'/' * opened.slashes}",
            )
        else:
            self.open.pop()
            self.out.append(line.text)

    def _option(self, line: Line) -> None:
        if self.open and self.open[-1].name in STOCK:
            self.out.append(line.text)
        else:
            self.options.append(line)

    def _end_options(self) -> None:
        if not self.options:
            return
        lines, self.options = self.options, []
        if not self.open:
            return
        opened = self.open[-1]
        construct = CONSTRUCTS[opened.name]
        before = len(self.held.page.problems)
        checked = self._read_options(construct, lines)
        if len(self.held.page.problems) > before:
            self.held.misread.add(self._number(opened))
        self.held.options[self._number(opened)] = checked

    def _read_options(self, construct: Construct, lines: list[Line]) -> dict[str, Any]:
        """Return the options of a block, None for each that is wrong; the faults are reported at their lines."""
        try:
            data = yaml.safe_load("\n".join(line.text for line in lines))
        except yaml.YAMLError as error:
            self._complain(lines[0], f"options of {construct.name} are not YAML: {str(error).splitlines()[0]}")
            return {}
        if not isinstance(data, dict):
            self._complain(lines[0], f"options of {construct.name} must be lines `key: value` (seen {data!r})")
            return {}
        where = {line.text.split(":")[0].strip(): line for line in lines}
        return {key: self._checked(construct, key, value, where.get(str(key), lines[0])) for key, value in data.items()}

    def _checked(self, construct: Construct, key: Any, value: Any, line: Line) -> Any:
        check = construct.options.get(key) or construct.options.get("*")
        if check is None:
            known = ", ".join(construct.options) or "none"
            self._complain(
                line,
                f"{construct.name}: unknown option {key!r}{nearest(str(key), construct.options)}; known: {known}",
            )
            return None
        try:
            return check(value)
        except ValueError as error:
            self._complain(line, f"{construct.name}: option {key} is {value!r}, it must be {error}")
            return None


def _stock_block(name: str) -> type[StockBlock]:
    """Return a pymdownx block that only remembers its name and argument; expansion comes later, with line numbers."""

    class CourseBlock(StockBlock):  # type: ignore[misc]
        """A block of ours while it is parsed."""

        NAME = name
        ARGUMENT = None

        def on_create(self, parent: etree.Element) -> etree.Element:
            return etree.SubElement(parent, BLOCK, {"name": name, "argument": self.argument or ""})

        def on_markdown(self) -> str:
            return "block"

    return CourseBlock


class CourseBlocks(BlocksExtension):  # type: ignore[misc]
    """Registers one block for each construct."""

    def extendMarkdownBlocks(self, md: Markdown, block_mgr: Any) -> None:  # noqa: N802
        """Install the blocks."""
        for name in CONSTRUCTS:
            block_mgr.register(_stock_block(name), self.getConfigs())
