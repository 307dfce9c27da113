"""The closed world outside of the pages' flow: what a reader meets in titles, menus, cards and tables.

Facts and claims say in the ledger and on cards what they are, papers stand behind citations, terms in the search,
front matter in a browser's title and a search engine's answer, mkdocs.yml in the navigation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from course_build.errors import CourseError, Problem
from course_build.facts import lint
from course_build.facts.inputs import PAPERS
from course_build.files import strict_yaml
from course_build.files.source import Source, load, load_text
from course_build.files.strict_json import MalformedError, escape
from course_build.files.textfile import is_there
from course_build.site.course import Course
from course_build.site.reading import CONFIG, front_matter
from course_build.site.terms import FILE as TERMS

Text = tuple[str, int, str, str]  # path, line, what it is, the text itself
_YEAR = re.compile(r" (?:19[5-9]|20[0-3])\d$")  # a label ends in the year of the paper
_FRONT = ("title", "subtitle", "description")
_CONFIG = ("site_name", "site_description", "copyright")


def check(course: Course) -> list[Problem]:
    """Return every typed numeral of these texts."""
    found = []
    for read in (_facts, _claims, _papers, _terms, _pages, _config):
        try:
            texts = list(read(course))
        except (CourseError, MalformedError):
            continue  # said where the file is read
        for path, line, what, text in texts:
            found += [Problem(path, line, f"{what}: {fault}") for _, fault in course.closed_world.faults(text)]
    return found + list(_derivations(course))


def _derivations(course: Course) -> Iterator[Problem]:
    """A reader sees `how=` with the values put in: a constant in it is a typed number too."""
    for each in course.ledger.facts.values():
        for template in dict.fromkeys(each.how.values() if isinstance(each.how, Mapping) else [each.how]):
            for seen in lint.derived(template):
                text = f"how={template!r} of {each.id} holds the constant {seen}; give it as a declared input: {{name}}"
                yield Problem(course.ledger.relative(each.filename), each.line, text)


def _facts(course: Course) -> Iterator[Text]:
    for each in course.ledger.facts.values():
        path = course.ledger.relative(each.filename)
        for what, told in (("title", each.title), ("unit", each.unit), ("by", each.by)):
            for text in dict.fromkeys(told.values() if isinstance(told, Mapping) else [told]):
                yield path, each.line, f"{what} of {each.id}", text


def _claims(course: Course) -> Iterator[Text]:
    for each in course.ledger.claims.values():
        for what, text in (("title", each.title), ("law", each.law)):
            yield course.ledger.relative(each.filename), each.line, f"{what} of {each.id}", text


def _papers(course: Course) -> Iterator[Text]:
    if is_there(course.root / PAPERS):
        for path, line, what, text in _members(load(PAPERS, course.root), "", ("label", "title", "ref")):
            yield path, line, what, _YEAR.sub("", text) if what.endswith("/label") else text


def _terms(course: Course) -> Iterator[Text]:
    path = course.docs / TERMS
    if is_there(path):
        source = load(path, course.root)
        yield from _members(source, "/terms", ("term", "also", "gloss"))


def _members(source: Source, above: str, keys: tuple[str, ...]) -> Iterator[Text]:
    """Yield the texts under `keys` of each member of a mapping or a list."""
    members: Any = source.get(above)
    if not isinstance(members, dict | list):
        return  # who needs them says so
    pairs = members.items() if isinstance(members, dict) else enumerate(members)
    for name, member in pairs:
        pointer = f"{above}/{escape(str(name))}"
        for key in keys:
            told = member.get(key, "") if isinstance(member, dict) else ""
            for text in told if isinstance(told, list) else [told]:
                if isinstance(text, str):
                    yield source.path, source.line(f"{pointer}/{key}"), f"{pointer}/{key}", text


def _pages(course: Course) -> Iterator[Text]:
    for path in course.pages:
        if is_there(course.root / path):
            data, lines = front_matter(load_text(course.root / path, course.root))
            for key in _FRONT:
                if isinstance(data.get(key), str):
                    yield path, lines[f"/{key}"] + 1, f"front matter: /{key}", data[key]


def _config(course: Course) -> Iterator[Text]:
    if not is_there(course.root / CONFIG):
        return
    text = load_text(Path(CONFIG), course.root)
    data, lines = strict_yaml.parse(text, foreign=True), strict_yaml.lines(text, foreign=True)
    for key in _CONFIG:
        if isinstance(data.get(key), str):
            yield CONFIG, lines[f"/{key}"], f"/{key}", data[key]
    for pointer, title in _titles(data.get("nav"), "/nav"):
        yield CONFIG, lines.get(pointer, 0), "nav", title


def _titles(entry: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """Yield pointer and title of each entry of the navigation."""
    if isinstance(entry, list):
        for index, item in enumerate(entry):
            yield from _titles(item, f"{pointer}/{index}")
    elif isinstance(entry, dict):
        for title, item in entry.items():
            below = f"{pointer}/{escape(str(title))}"
            yield below, str(title)
            yield from _titles(item, below)
