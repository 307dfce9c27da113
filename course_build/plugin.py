"""The MkDocs adapter: each hook hands on to a module that knows nothing of MkDocs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from contextlib import nullcontext
from html import escape
from pathlib import Path
from typing import Any, Literal

import click
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from course_build.errors import CourseError, Gravity, Problem
from course_build.facts.evaluate import Ledger
from course_build.facts.loading import forget_project_modules
from course_build.facts.suppose import reread
from course_build.files import publish
from course_build.site import assets, links, offline, pages, promises, reading, serving, sources, terms, texts
from course_build.site.course import Course
from course_build.site.report import Report
from course_build.site.watching import Watcher

DRAFT = "COURSE_DRAFT"
EXTENSION = "course_build.markdown"
_EPOCH = "SOURCE_DATE_EPOCH"
_CONSTANT_EPOCH = "1704067200"  # 2024-01-01, outside git
_ARTICLE = re.compile(r"<article\b[^>]*>")
_TEXT = (".md", ".css", ".js")  # no fact stands on these


class CoursePluginConfig(Config):
    """The plugin has no options: what a site is made of stands in its files."""


class CoursePlugin(BasePlugin[CoursePluginConfig]):
    """Numbers, claims and figures of a course, and a site that is swapped, not emptied."""

    course: Course
    report: Report

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Remember whether a person is writing (`serve`) or the site is made for readers."""
        self.serving = command == "serve"
        self.staged: Path | None = None
        self.report = Report()
        self.words: list[str] = []
        self.found: dict[str, str] = {}  # page -> what the search reads in the place of a long table
        if self.serving:
            self.ledger: Ledger | None = None  # of the last build, when nothing was wrong with it
            self.watcher = Watcher()
            self.templates = serving.Templates()
            self.memory = serving.SearchMemory()
            self.conversions = serving.Conversions()
            self.served = serving.Served()
            self.served.guard_first_build()

    @event_priority(-100)  # after the plugins that change the configuration
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read the course; send the build to a folder beside the site."""
        self.root = Path(config.config_file_path).parent.resolve()
        self.docs = Path(config.docs_dir).resolve()
        os.environ.setdefault(_EPOCH, commit_time(self.root))
        self.course = self._reread(config) if self.serving else Course.read(self.root, self.docs)
        self.course.whole.extend(reading.config_problems(Path(config.config_file_path)))
        self.report.facts(self.course)
        config.mdx_configs.setdefault(EXTENSION, {})["course"] = self.course
        assets.configure(config, self.root)
        if not self.serving:
            self.site = Path(config.site_dir)
            with _one_line_errors():
                self.staged = publish.staging(self.site)
            config.site_dir = str(self.staged)
            self.report.count_warnings()
        return config

    def _reread(self, config: MkDocsConfig) -> Course:
        """Return the course after an edit; where only text was edited the facts of the last build stand."""
        self.served.begin(self.root, Path(config.site_dir))
        changed = self.watcher.begin([str(self.docs), config.config_file_path, *config.watch])
        self.report.changes({os.path.relpath(path, self.root): how for path, how in (changed or {}).items()})
        ledger, self.ledger = self.ledger, None  # what is not read to its end is not kept
        same = changed is not None and set(changed.values()) <= {"edited"}
        data = [os.path.relpath(path, self.root) for path in changed or () if not path.endswith(_TEXT)]
        if data or changed is None:
            ledger = _after_edit(ledger, data) if ledger and same else None
        if ledger is None:
            forget_project_modules(self.root)
        course = Course.read(self.root, self.docs, ledger)
        self.ledger = None if course.problems else course.ledger
        _ = course.closed_world  # what is wrong with it is told though no page may ask for it
        self.conversions.begin(course, self.docs, changed if ledger and same and not data else None)
        return course

    def on_serve(self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any) -> LiveReloadServer:
        """Watch with our own observer; an mkdocs.yml that cannot be used is shown as other problems are."""
        server.builder = self.served.guarded(server.builder)
        server.build_delay = 0.0  # the watcher has waited until the writer was done
        paths = list(server._watched_paths)
        for path in paths:
            server.unwatch(path)
        server.observer = self.watcher  # type: ignore[assignment]
        for path in paths:
            server.watch(path)
        return server

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the whole-course pages that the author did not write."""
        for name, text in pages.DEFAULT_PAGES.items():
            if files.get_file_from_path(name) is None:
                files.append(File.generated(config, name, content=text))
        return files

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Report pages that MkDocs could not read, or would read otherwise than was meant."""
        for file in files.documentation_pages():
            problems, text = reading.page_text(file.abs_src_path, self.root)
            if problems:
                self.course.whole.extend(problems)
                file.content_string = text
            if self.serving:
                self.served.pages.add(file.dest_uri)
        return nav

    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Say which page the extension is about to convert, and how long its front matter is."""
        whole = page.file.content_string
        offset = whole.count("\n") - markdown.count("\n") if whole.endswith(markdown) else 0
        source = Path(page.file.abs_src_path or self.docs / page.file.src_uri)
        self.course.begin(source.relative_to(self.root).as_posix(), page.url, offset)
        return "" if self.serving and self.conversions.knows(page) else markdown

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Keep what a page was converted to; a page that was not edited is as it was."""
        return self.conversions.finish(html, page) if self.serving else html

    @event_priority(100)  # before the search index reads the pages
    def on_env(self, env: Any, *, config: MkDocsConfig, files: Files) -> Any:
        """All pages are read: write the whole-course tables, check links and promises."""
        try:
            self.words = terms.words(self.docs, self.root)
        except CourseError as error:
            self.course.whole.extend(error.problems)
        if self.serving:
            env.bytecode_cache = self.templates
            self.memory.learn(self.words)
            self.conversions.end()
        self.found = {}
        documents = [file.page for file in files.documentation_pages() if file.page]
        self.course.titles = {page.url: str(page.title) for page in documents}
        for page in documents:
            if "title" in page.meta:  # themes take it for HTML
                page.meta["title"] = escape(str(page.meta["title"]), quote=False)
            content = page.content or ""
            if terms.LEDGER in content:
                self.found[page.url] = content.replace(terms.LEDGER, terms.found(self.course.ledger.records.values()))
            page.content = pages.fill(content, self.course)
        contents = {page.file.src_uri: links.anchors(page.content or "") for page in documents}
        others = frozenset(file.src_uri for file in files)
        docs = self.docs.relative_to(self.root).as_posix()
        for state in self.course.pages.values():
            state.problems.extend(links.check(state, docs, contents, others))
        self.course.whole.extend([*promises.check(self.course.pages.values()), *texts.check(self.course)])
        return env

    @event_priority(100)  # before the search reads the page; `course check`, which writes no index, never gets here
    def _before_search(self, context: Any, *, page: Page, config: MkDocsConfig, nav: Any) -> Any:
        """Tell the search the course's words, once a build (loading jieba's dictionary takes most of a second)."""
        if self.words and "search" in " ".join(config.plugins):
            terms.teach(self.words)
        self.words = []
        self.whole, page.content = page.content, self.found.get(page.url, page.content)
        if self.serving and (index := serving.search_index(config)):
            self.memory.before(page, index)
        return context

    @event_priority(-100)
    def _after_search(self, context: Any, *, page: Page, config: MkDocsConfig, nav: Any) -> Any:
        """Give the page its tables back."""
        if self.serving and (index := serving.search_index(config)):
            self.memory.after(page, index)
        if page.url in self.found:
            page.content = self.whole
        return context

    on_page_context = CombinedEvent(_before_search, _after_search)

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Add the cards of the page's numbers, and what its charts need."""
        state = self.course.state_of(page.url)
        if state is None:
            return output
        cards = pages.cards(self.course, state) + "</article>"
        banner = pages.banner(self.course)
        if self.serving:
            banner += serving.unmarked([*self.course.whole, *sorted(state.problems)], output)
        return _ARTICLE.sub(lambda tag: tag[0] + banner, output.replace("</article>", cards, 1), 1)

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Publish inputs and assets, judge the problems, exchange the sites."""
        built = Path(config.site_dir)
        with nullcontext() if self.serving else _one_line_errors():
            sources.publish(self.course, built)
            assets.publish(self.course, built)
        problems = [*self.course.problems, *offline.check(built)]
        self.report.problems(problems)
        if self.staged is None:
            self.report.figures(self.course.figures.parts)
            self.watcher.add(str(self.root / path) for path in sources.referred(self.course))
            self.served.complete = True
            return
        if self._refused(problems, config):
            count = f"{len(problems)} problem{'s' * (len(problems) > 1)}"
            raise Abort(f"{count}; the old site stands untouched")
        self.report.moves(self.course)
        with _one_line_errors():
            publish.publish(self.staged, self.site)
        config.site_dir = str(self.site)
        self.staged = None

    def _refused(self, problems: list[Problem], config: MkDocsConfig) -> bool:
        draft = os.environ.get(DRAFT) == "1"
        grave = [p for p in problems if p.gravity is Gravity.ERROR or (p.gravity is Gravity.DRAFT and not draft)]
        return bool(grave) or (bool(config.strict) and self.report.warnings > 0)

    def on_build_error(self, *, error: Exception) -> None:
        """Leave nothing behind when a build fails; a disk that refuses is named in one line."""
        failed = self.staged is not None
        self.on_shutdown()
        if failed and isinstance(error, OSError):
            raise Abort(f"cannot write the site: {error.strerror or error}; the old site stands untouched") from None

    def on_shutdown(self) -> None:
        """Remove an unfinished site."""
        if self.staged is not None:
            shutil.rmtree(self.staged, ignore_errors=True)
            self.staged = None


class _one_line_errors:  # noqa: N801  # reads as a statement
    """Turn a CourseError inside the block into problems on the terminal and exit 1."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, CourseError):
            for problem in error.problems:
                click.echo(str(problem), err=True)
            raise Abort("the old site stands untouched") from None


def commit_time(root: Path) -> str:
    """Return the time of the last commit (SOURCE_DATE_EPOCH), a constant outside git."""
    try:
        command = ["git", "-C", str(root), "log", "-1", "--format=%ct"]
        answer = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return _CONSTANT_EPOCH
    return answer.stdout.strip() if answer.returncode == 0 and answer.stdout.strip() else _CONSTANT_EPOCH


def _after_edit(ledger: Ledger, paths: list[str]) -> Ledger | None:
    """Return the ledger after an edit of data, None when it must be read from the beginning."""
    try:
        return reread(ledger, paths)
    except CourseError:
        return None  # the whole reading says what is wrong, and with which facts
