"""`mkdocs serve` lives on: whatever a build raises is told, and shown in the page until it is mended.

MkDocs exits when its first build raises, and lets every browser wait when a later one does.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from jinja2 import BytecodeCache, TemplateError, TemplateSyntaxError
from jinja2.bccache import Bucket
from mkdocs.commands import build, serve
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

from course_build.errors import CourseError, Problem
from course_build.facts.loading import author_problem
from course_build.files.textfile import shown_path
from course_build.markdown.elements import problem_html
from course_build.markdown.state import PageState
from course_build.site.reading import CONFIG, Warnings
from course_build.strings import TEXT

if TYPE_CHECKING:
    from course_build.site.course import Course

_MISTAKES = (CourseError, TemplateError, click.ClickException, SystemExit, OSError, ValueError)  # the rest is a bug


class Served:
    """The served site, and whether the last build of it came to its end."""

    def __init__(self) -> None:
        self.root = Path()
        self.folder = Path()
        self.pages: set[str] = {"index.html", "404.html"}  # every address that was ever served
        self.complete = False

    def begin(self, root: Path, folder: Path) -> None:
        """Note where the project and the served files are."""
        self.root, self.folder = root, folder

    def guard_first_build(self) -> None:
        """Guard what `serve` calls before a plugin sees the server; there is no hook for it."""
        vars(serve)["build"] = self.guarded(build.build)

    def guarded(self, builder: Callable[..., None]) -> Callable[..., None]:
        """Return a build that never raises: an unfinished site becomes one page that says why, at every address."""

        def build_or_tell(*arguments: Any, **options: Any) -> None:
            self.complete = False
            warnings = Warnings()
            logging.getLogger("mkdocs").addHandler(warnings)
            try:
                builder(*arguments, **options)
            except (Exception, SystemExit) as error:
                self._tell(error)
                if not self.complete:
                    self._show([*warnings.problems, *_problems(error, self.root)])
            finally:
                logging.getLogger("mkdocs").removeHandler(warnings)

        return build_or_tell

    def _tell(self, error: BaseException) -> None:
        for problem in _problems(error, self.root):
            click.secho(str(problem), fg="red", err=True)
        if not isinstance(error, _MISTAKES):
            traceback.print_exception(error)

    def _show(self, problems: Iterable[Problem]) -> None:
        items = "".join(f"<li>{problem_html(str(problem))}</li>" for problem in dict.fromkeys(problems))
        title = escape(TEXT["serve.failed"])
        page = (
            f'<!doctype html>\n<html lang="zh"><head><meta charset="utf-8"><title>{title}</title></head>'
            f"<body><h1>{title}</h1><ul>{items}</ul></body></html>\n"
        )
        for name in self.pages:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(page, encoding="utf-8", errors="replace")


@dataclass(frozen=True)
class Converted:
    """What the conversion of a page without problems gave."""

    state: PageState
    content: str
    toc: Any
    title: Any
    anchors: Any
    sources: set[str]
    scripts: dict[str, str]


class Conversions:
    """The pages as they were converted: after an edit of one text the others need not be converted again."""

    def __init__(self) -> None:
        self._kept: dict[str, Converted] = {}

    def begin(self, course: Course, docs: Path, edited: Mapping[str, str] | None) -> None:
        """Forget the edited pages; all of them when something else has changed (`edited` is None)."""
        self._course = course
        self._sources: set[str] = set()
        self._scripts: dict[str, str] = {}
        self._kept = {} if edited is None else {k: v for k, v in self._kept.items() if str(docs / k) not in edited}

    def knows(self, page: Page) -> bool:
        """Say whether a page need not be converted; otherwise collect what its conversion leaves in the course."""
        self._course.sources, self._course.scripts = set(), {}
        return page.file.src_uri in self._kept

    def finish(self, html: str, page: Page) -> str:
        """Return the content of a page: as it was, or as it is now, which is kept."""
        kept = self._kept.get(page.file.src_uri)
        if kept is None:
            course, state = self._course, self._course.page
            own = replace(state, problems=[])  # links between pages are checked later, into the state itself
            kept = Converted(
                own, html, page.toc, page._title_from_render, page.present_anchor_ids, course.sources, course.scripts
            )
            if not state.problems:
                self._kept[page.file.src_uri] = kept
        else:
            self._course.pages[kept.state.path] = replace(kept.state, problems=[])
            page.toc, page._title_from_render, page.present_anchor_ids = kept.toc, kept.title, kept.anchors
        self._sources |= kept.sources
        self._scripts |= kept.scripts
        return kept.content

    def end(self) -> None:
        """Give the course what all its pages have left."""
        self._course.sources, self._course.scripts = self._sources, self._scripts


class SearchMemory:
    """What Material's search made of each page, so that only a page that changed is parsed and cut into words again."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._kept: dict[str, tuple[object, list[Any]]] = {}  # URL -> what was indexed, its entries
        self._meta: dict[str, Any] | None = None

    def learn(self, words: list[str]) -> None:
        """Forget everything when the course has other words."""
        if words != self._words:
            self._words = words
            self._kept = {}

    def before(self, page: Page, index: Any) -> None:
        """Note where the index stands; keep a page that is as it was out of it."""
        self._start = len(index.entries)
        self._seen = (page.content, str(page.title), repr(page.meta))
        if self._kept.get(page.url, ("",))[0] == self._seen:
            self._meta, page.meta = dict(page.meta), {"search": {"exclude": True}}

    def after(self, page: Page, index: Any) -> None:
        """Put in the entries of a page that is as it was, or keep those that were made."""
        if self._meta is not None:
            page.meta, self._meta = self._meta, None
            index.entries.extend(self._kept[page.url][1])
        else:
            self._kept[page.url] = (self._seen, index.entries[self._start :])


def search_index(config: MkDocsConfig) -> Any:
    """Return the index that Material's search fills, None when the site has no such search."""
    index = getattr(config.plugins.get("material/search"), "search_index", None)
    return index if hasattr(index, "entries") else None


class Templates(BytecodeCache):
    """Compiled templates, kept from build to build: the theme's are the same each time."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill in what was kept; jinja compares the checksum of the template's text."""
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a compiled template."""
        self._kept[bucket.key] = bucket.bytecode_to_string()


def _problems(error: BaseException, root: Path) -> list[Problem]:
    """Return what was raised as problems, at the author's own line where there is one."""
    if isinstance(error, CourseError):
        return list(error.problems)
    if isinstance(error, TemplateSyntaxError) and error.filename:
        return [Problem(shown_path(error.filename, root), error.lineno, error.message or "is no template")]
    if isinstance(error, click.ClickException):
        return [Problem(CONFIG, 0, error.message)]
    return [author_problem(error, root, CONFIG)]


def unmarked(problems: Iterable[Problem], html: str) -> str:
    """Return a list of the problems that no mark on the page tells, for its top."""
    wanted = list(dict.fromkeys(problems))
    text = unescape(html) if wanted else ""
    items = "".join(f"<li>{problem_html(str(each))}</li>" for each in wanted if each.text not in text)
    return f'<ul class="problem-banner">{items}</ul>' if items else ""
