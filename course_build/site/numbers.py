"""How a number is shown where it is explained: its card beside the text, its row in the ledger.

The cards of a page are one compact table; web/cards.js makes of a row what a reader sees.

    {"words": […], "kinds": [[name, glyph, label], …], "ledger": its address, "sources": the folder of published files,
     "files": [path, …], "leaves": [[[file, pointers], …], …],
     "cards": {id: [kind, title, value, derivation, is it arithmetic, file, line, [[name, text, input], …]]}}

Kinds, files and leaves are named by their place in the lists; an input is another number's id or a place in `leaves`.
The table is the text of a <template>: inert, and left alone by instant navigation, which runs scripts again.

The ledger has one fold for each file of facts.  A browser opens the fold of the row that an address names,
web/ledger.js adds a filter, paper shows everything.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from html import escape
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

from course_build.evidence import Kind
from course_build.facts.inputs import Leaf
from course_build.facts.record import Argument, Record
from course_build.markdown.elements import LEDGER, badge_html, problem_html
from course_build.markdown.state import PageState, Use
from course_build.strings import TEXT

if TYPE_CHECKING:
    from course_build.site.course import Course

SOURCES = "sources"
_WORDS = ("card.derivation", "card.by", "card.inputs", "card.kind", "card.code", "card.row")
_HEADS = ("ledger.number", "ledger.what", "ledger.how", "ledger.kind", "ledger.used")
_KINDS = list(Kind)
_T = TypeVar("_T")
_Leaves = tuple[tuple[int, str], ...]


def source_url(path: str, line: int = 0) -> str:
    """Return the site URL of a published input file."""
    return f"{SOURCES}/{path}.html" + (f"#L{line}" if line else "")


def cards(course: Course, page: PageState) -> str:
    """Return the template with the cards of all numbers on a page."""
    names = dict.fromkeys(use.id for use in page.uses)
    if not names:
        return ""
    files: dict[str, int] = {}
    leaves: dict[_Leaves, int] = {}
    rows = {name: _card(course.ledger.records[name], files, leaves) for name in names}
    table = {
        "words": [TEXT[word] for word in _WORDS],
        "kinds": [[kind.value, kind.glyph, kind.label] for kind in _KINDS],
        "ledger": page.relative(LEDGER),
        "sources": page.relative(f"{SOURCES}/"),
        "files": list(files),
        "leaves": list(leaves),
        "cards": rows,
    }
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    return f'<template id="course-cards">{escape(text, quote=False)}</template>'


def _card(record: Record, files: dict[str, int], leaves: dict[_Leaves, int]) -> list[Any]:
    """Return one card; new files and leaves are added to their lists."""
    inputs: list[list[Any]] = []
    for argument in record.arguments:
        if argument.fact:
            inputs.append([argument.name, argument.text, argument.fact])
            continue
        found = tuple((_place(files, path), pointers) for path, pointers in by_file(argument.leaves))
        inputs.append([argument.name, argument.text, _place(leaves, found)])
    value = f"{record.text} {record.unit}".rstrip()
    kind, file = _KINDS.index(record.kind), _place(files, record.path)
    return [kind, record.title, value, _derivation(record), int(record.checked), file, record.line, inputs]


def _place(known: dict[_T, int], item: _T) -> int:
    return known.setdefault(item, len(known))


def by_file(leaves: Iterable[Leaf]) -> list[tuple[str, str]]:
    """Return each file with its pointers; those below one parent are joined: /text_config/{head_dim, hidden_size}."""
    files: dict[str, dict[str, list[str]]] = {}
    for leaf in leaves:
        parent, slash, name = leaf.pointer.rpartition("/")
        files.setdefault(leaf.path, {}).setdefault(parent + slash, []).append(name)
    return [
        (path, "、".join(parent + _joined(names) for parent, names in below.items())) for path, below in files.items()
    ]


def _joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"


def ledger(course: Course) -> str:
    """Return the ledger: a fold for each file of facts, in it one row for each number, with an anchor."""
    uses: dict[str, list[Use]] = defaultdict(list)
    for page in course.pages.values():
        for use in page.uses:
            uses[use.id].append(use)
    files: dict[str, list[str]] = defaultdict(list)
    for record in course.ledger.records.values():
        files[record.path].append(_row(course, record, uses[record.id]))
    failed = [
        f'<tr id="{escape(name)}"><th scope="row">{escape(name)}</th>'
        f'<td colspan="4">{problem_html(str(problem))}</td></tr>'
        for name, problem in sorted(course.ledger.failed.items())
    ]
    folds = (_fold(_group(course, path), path, rows) for path, rows in sorted(files.items()))
    return (_fold(TEXT["ledger.failed"], "", failed) if failed else "") + "".join(folds)


def _group(course: Course, path: str) -> str:
    """Return what a file of facts says it holds, else the title of the lesson whose folder it lies in."""
    if about := re.split("[。；\n]", course.ledger.about.get(path, ""), maxsplit=1)[0].strip():
        return about
    folders = [*PurePosixPath(path).relative_to(course.docs.relative_to(course.root).as_posix()).parents][:-1]
    urls = (f"{folder}{end}" for folder in folders for end in ("/index.html", ".html"))
    return next((course.titles[url] for url in urls if url in course.titles), TEXT["ledger.shared"])


def _fold(title: str, path: str, rows: list[str]) -> str:
    heads = "".join(f'<th scope="col">{TEXT[key]}</th>' for key in _HEADS)
    name = escape(f"{title} {path}".strip())
    return (
        f'<details class="ledger-group"{"" if path else " open"}><summary>{escape(title)} '
        f"<small>{TEXT['ledger.count'].format(len(rows))}</small><code>{escape(path)}</code></summary>"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{name}"><table class="ledger">'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></details>"
    )


def _row(course: Course, record: Record, uses: Iterable[Use]) -> str:
    counts = Counter(use.page for use in uses)
    places = "、".join(
        f'<a href="{escape(page)}">{escape(course.titles.get(page, page))}</a>' + (f"×{count}" if count > 1 else "")
        for page, count in counts.items()
    )
    value = f'<data value="{escape(str(record.value))}">{escape(record.text)}</data> {escape(record.unit)}'
    how = escape(_derivation(record))
    inputs = "".join(f"<li>{_argument(argument)}</li>" for argument in record.arguments)
    place = f"{PurePosixPath(record.path).name}:{record.line}"
    code = f'<a href="{source_url(record.path, record.line)}"><code>{place}</code></a>'
    return (
        f'<tr id="{record.id}"><th scope="row"><span class="ledger-value num-{record.kind.value}">{value}</span>'
        f'<code class="ledger-id">{record.id}</code></th><td>{escape(record.title)}</td><td>'
        + (f'<div class="derivation">{how}</div>' if how else "")
        + f'<ul class="inputs" data-search-exclude>{inputs}<li class="code-line">{code}</li></ul></td>'
        f"<td>{badge_html(record.kind)}</td><td>{places or TEXT['ledger.unused']}</td></tr>"
    )


def _derivation(record: Record) -> str:
    return record.derivation + (f" = {record.text}" if record.derivation and record.checked else "")


def _argument(argument: Argument) -> str:
    name = f"<var>{escape(argument.name)}</var>" + (f" = {escape(argument.text)}" if argument.text else "")
    if argument.fact:
        return f'{name} <a href="#{argument.fact}"><code>{argument.fact}</code></a>'
    places = (
        f'<a href="{source_url(path)}"><code>{escape(path)}</code></a> <code>{escape(pointers)}</code>'
        for path, pointers in by_file(argument.leaves)
    )
    return f"{name} {'；'.join(places)}"
