"""The author's language as one Python-Markdown extension.

    markdown_extensions:
      - course_build.markdown

Under MkDocs the plugin puts the course (the ledger and what it has read so far) into the option `course`; any other
host gives `root`, and the extension reads the course itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor
from markdown.treeprocessors import Treeprocessor

from course_build.markdown import inline
from course_build.markdown.elements import LINK
from course_build.markdown.lines import strip
from course_build.markdown.state import Held

if TYPE_CHECKING:
    import xml.etree.ElementTree as etree

    from course_build.site.course import Course

_STOCK = {"pymdownx.blocks.tab": {"alternate_style": True}, "pymdownx.blocks.details": {}}


class StripTags(Postprocessor):
    """Removes the line tags that came through code or raw HTML."""

    def run(self, text: str) -> str:
        """Return the text without tags."""
        return strip(text)


class Links(Treeprocessor):
    """Makes links of the generator's own, after MkDocs has looked at the author's."""

    def run(self, root: etree.Element) -> None:
        """Turn the markers into links."""
        for element in list(root.iter(LINK)):
            element.tag = "a"


class CourseExtension(Extension):
    """Numbers, checks, citations, formulas and blocks."""

    def __init__(self, **kwargs: Any) -> None:
        self.config = {
            "course": ["", "the course that is being built (set by the MkDocs plugin)"],
            "root": [".", "the project's folder, when no course is given"],
        }
        super().__init__(**kwargs)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Install the processors; nothing is read until a page is converted."""
        from course_build.markdown.blocks import CourseBlocks, Prepare
        from course_build.markdown.expand import Expand
        from course_build.markdown.resolve import Resolve
        from course_build.markdown.tablerows import TableRows

        held = Held(self._course)
        md.registerExtensions(list(_STOCK), _STOCK)
        CourseBlocks().extendMarkdown(md)
        inline.register(md)
        md.preprocessors.register(Prepare(md, held), "course-prepare", 200)
        md.parser.blockprocessors.register(TableRows(md, held), "course-tables", 76)  # tables are 75
        md.treeprocessors.register(Expand(md, held), "course-expand", 25)  # before inline (20)
        md.treeprocessors.register(Resolve(md, held), "course-resolve", 7)  # attr_list is 8, toc 5
        md.treeprocessors.register(Links(md), "course-links", -5)  # MkDocs resolves links at 0
        md.postprocessors.register(StripTags(md), "course-strip", -5)

    def _course(self) -> Course:
        from course_build.site.course import Course

        return self.getConfig("course") or Course.read(Path(self.getConfig("root")))


def makeExtension(**kwargs: Any) -> CourseExtension:  # noqa: N802
    """Return the extension (Python-Markdown's entry point)."""
    return CourseExtension(**kwargs)
