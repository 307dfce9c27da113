"""Read all pages of a site as a build does, without rendering templates or writing anything.

MkDocs does the reading, so that navigation, other plugins and Markdown extensions are the real ones; what it only
warns of is a problem here.
"""

from __future__ import annotations

import logging
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_build.errors import CourseError, Problem
from course_build.files import strict_yaml
from course_build.files.strict_json import MalformedError
from course_build.files.textfile import load_text, shown_path
from course_build.files.typed import shown

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

    from course_build.site.course import Course

CONFIG = "mkdocs.yml"
_DOCUMENT = re.compile(r"(?:Doc file|page) '([^']+)'")
_OUR_OWN = re.compile(r"contains a link|contains an (absolute|unrecognized) link")  # links.py says it with a line
_KEY = re.compile(r"^Config value '([^']+)'")
_HEADING = "# {} {{#top}}\n"  # of a page that cannot be shown
_FENCE = re.compile("[-–—]{2,}")
_META = re.compile(r" {0,3}[A-Za-z0-9_-]+:.*")  # MultiMarkdown's, which MkDocs takes out without a word
_FRONT = re.compile(r"---[ \t]*\n(.*?\n)(?:\.{3}|---)[ \t]*(?:\n|\Z)", re.DOTALL)  # as MkDocs finds it


def page_text(path: str | None, root: Path) -> tuple[list[Problem], str]:
    """Return what is wrong with a page as a file, and the text to show in its place ("" when nothing is wrong).

    Args:
        path: the Markdown file; None for a page that a plugin made.
        root: the project.
    """
    if path is None:
        return [], ""
    try:
        text = load_text(path, root).replace("\r\n", "\n")
        if not text.strip():
            raise CourseError(Problem(shown_path(path, root), 1, "the page is empty, a heading and text are expected"))
    except CourseError as error:
        return list(error.problems), _HEADING.format(Path(path).stem)
    front = _FRONT.match(text)
    if not front and (meant := _unopened(text)):
        return [Problem(shown_path(path, root), 1, meant)], _without_front(text, path)
    wrong = front and _front_matter(front[1])
    if not front or not wrong:
        return [], ""
    line, what = wrong
    return [Problem(shown_path(path, root), line, what)], "\n" * front[0].count("\n") + text[front.end() :]


def _without_front(text: str, path: str) -> str:
    """Return a page from its first heading on, without what was meant for front matter; lines keep their numbers."""
    lines = text.split("\n")
    start = next((n for n, line in enumerate(lines) if line.startswith("#")), len(lines))
    return "\n" * start + ("\n".join(lines[start:]) or _HEADING.format(Path(path).stem))


def front_matter(text: str) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the data of a page's front matter and the line of each, counted below its `---`; both {} without one."""
    found = _FRONT.match(text.replace("\r\n", "\n"))
    if not found or _front_matter(found[1]):
        return {}, {}
    return strict_yaml.parse(found[1]), strict_yaml.lines(found[1])


def _unopened(text: str) -> str:
    """Return why what was meant for front matter would be shown as text, or dropped; "" when nothing was meant."""
    first = text.lstrip().partition("\n")[0].strip()
    if _FENCE.fullmatch(first):
        if first != "---":
            return f"front matter begins with {first!r}, it must be `---`"
        if text[:3] != "---":
            return "front matter must begin in the first line of the file"
        return "front matter never ends, add a line `---`"
    if found := _META.match(text):
        return f"first line {found[0]!r} would be taken for front matter and dropped; begin with a heading"
    return ""


def _front_matter(text: str) -> tuple[int, str] | None:
    """Return line and fault of a front matter that MkDocs would take for text, or fail on."""
    try:
        data = strict_yaml.parse(text)
    except MalformedError as error:
        return error.line + 1, f"front matter: {error.text}"
    if not isinstance(data, dict):
        return 2, f"front matter is {shown(data)}, `key: value` lines are expected"
    for key in ("title", "template"):
        if key in data and not isinstance(data[key], str):
            line = strict_yaml.lines(text)[f"/{key}"] + 1
            return line, f"front matter: /{key}: is {shown(data[key])}, a string is expected"
    return None


def config_problems(path: Path) -> list[Problem]:
    """Return what is wrong with mkdocs.yml as a file; MkDocs takes the second of two equal keys without a word."""
    try:
        data = strict_yaml.parse(load_text(path, path.parent), foreign=True)
    except MalformedError as error:
        return [Problem(path.name, error.line, error.text)]
    except CourseError as error:
        return list(error.problems)
    if not isinstance(data, dict):
        return [Problem(path.name, 1, f"is {shown(data)}, an object is expected")]
    return []


def _placed(problem: Problem, root: Path) -> Problem:
    """Return what MkDocs says of a setting with the line of its key."""
    found = _KEY.search(problem.text)
    if problem.path != CONFIG or not found:
        return problem
    lines = strict_yaml.lines(load_text(CONFIG, root), foreign=True)
    return replace(problem, line=lines.get(f"/{found[1]}", 0))


class Warnings(logging.Handler):
    """Collects what MkDocs warns of."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.problems: list[Problem] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a warning, at the page that it names."""
        text = record.getMessage().strip()
        if _OUR_OWN.search(text):
            return
        found = _DOCUMENT.search(text)
        self.problems.append(Problem(f"docs/{found[1]}" if found else CONFIG, 0, text))


def read_site(root: Path) -> tuple[Course, list[Problem]]:
    """Return the course with all its pages read, and what MkDocs itself complained about.

    Raises:
        CourseError: mkdocs.yml cannot be used at all.
    """
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    from mkdocs.exceptions import MkDocsException

    if unusable := config_problems(root / CONFIG):
        raise CourseError(unusable)
    warnings = Warnings()
    logger = logging.getLogger("mkdocs")
    logger.addHandler(warnings)
    before, logger.propagate = logger.propagate, False
    try:
        return _read(root), [_placed(each, root) for each in warnings.problems]
    except (MkDocsException, SystemExit) as error:
        problems = warnings.problems or [Problem(CONFIG, 0, str(error) or "cannot be used")]
        raise CourseError(_placed(each, root) for each in problems) from None
    finally:
        logger.removeHandler(warnings)
        logger.propagate = before


def _read(root: Path) -> Course:
    from mkdocs.config import load_config
    from mkdocs.structure.files import get_files, set_exclusions
    from mkdocs.structure.nav import get_navigation

    config = load_config(str(root / CONFIG))
    plugins = config.plugins
    plugins.on_startup(command="serve", dirty=False)  # as for an author: no site is staged
    config = plugins.on_config(config)
    plugins.on_pre_build(config=config)
    files = get_files(config)
    environment = config.theme.get_env()
    files.add_files_from_theme(environment, config)
    files = plugins.on_files(files, config=config)
    set_exclusions(files, config)
    navigation = get_navigation(files, config)
    plugins.on_nav(navigation, config=config, files=files)
    for file in files.documentation_pages():
        if file.page is not None:
            _populate(file.page, config, files)
    plugins.on_env(environment, config=config, files=files)
    return _course(config)


def _populate(page: object, config: MkDocsConfig, files: object) -> None:
    from mkdocs.commands.build import _populate_page

    _populate_page(page, config, files)  # type: ignore[arg-type]


def _course(config: MkDocsConfig) -> Course:
    plugin = config.plugins.get("course")
    if plugin is None:
        raise CourseError(Problem(CONFIG, 0, "plugins: has no `course`, add it"))
    return plugin.course  # type: ignore[no-any-return]
