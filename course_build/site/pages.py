"""What the generator writes itself: the ledger, evidence and promises tables, and the cards of numbers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING

from course_build.evidence import Kind
from course_build.facts.evaluate import Argument, Record
from course_build.facts.inputs import Leaf
from course_build.markdown.elements import LEDGER, badge_html, problem_html
from course_build.markdown.state import PageState, Use
from course_build.strings import TEXT, lesson_name

if TYPE_CHECKING:
    from course_build.site.course import Course

SOURCES = "sources"
DEFAULT_PAGES = {
    f"{name}.md": f"# {TEXT[name]} {{#top}}\n\n/// generated | {name}\n///\n"
    for name in ("ledger", "evidence", "promises")
}  # what stands there when the author has not written the page


def source_url(path: str, line: int = 0) -> str:
    """Return the site URL of a published input file."""
    return f"{SOURCES}/{path}.html" + (f"#L{line}" if line else "")


def fill(html: str, course: Course) -> str:
    """Put the whole-course tables into a page that asked for them."""
    from course_build.site.evidence import evidence  # it needs this module's tables

    for name, make in (
        ("ledger", ledger),
        ("evidence", evidence),
        ("promises", promises),
        ("syntax", syntax),
    ):
        placeholder = f"<!--course:{name}-->"
        if placeholder in html:
            html = html.replace(placeholder, make(course))
    return html


def banner(course: Course) -> str:
    """Return what is wrong with the facts themselves, for the top of every page (a draft's, or under `serve`)."""
    problems = "".join(f"<li>{problem_html(str(problem))}</li>" for problem in course.ledger.problems)
    return f'<ul class="problem-banner">{problems}</ul>' if problems else ""


def ledger(course: Course) -> str:
    """Return the ledger: one row for each number, with an anchor."""
    uses = used(course)
    rows = "".join(_row(course, record, uses.get(record.id, [])) for record in course.ledger.records.values())
    failed = "".join(
        f'<tr id="{escape(name)}"><th scope="row">{escape(name)}</th>'
        f'<td colspan="4">{problem_html(str(problem))}</td></tr>'
        for name, problem in sorted(course.ledger.failed.items())
    )
    head = "".join(
        f'<th scope="col">{TEXT[key]}</th>'
        for key in ("ledger.number", "ledger.what", "ledger.how", "ledger.kind", "ledger.used")
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{TEXT["ledger"]}">'
        f'<table class="ledger"><thead><tr>{head}</tr></thead><tbody>{rows}{failed}</tbody></table></div>'
    )


def used(course: Course) -> dict[str, list[Use]]:
    """Return the uses of each id over all pages, in page order."""
    found: dict[str, list[Use]] = defaultdict(list)
    for page in course.pages.values():
        for use in page.uses:
            found[use.id].append(use)
    return found


def _row(course: Course, record: Record, uses: Iterable[Use]) -> str:
    counts = Counter(use.page for use in uses)
    places = "、".join(
        f'<a href="{escape(page)}">{escape(course.titles.get(page, page))}</a>' + (f"×{count}" if count > 1 else "")
        for page, count in counts.items()
    )
    value = f'<data value="{escape(str(record.value))}">{escape(record.text)}</data> {escape(record.unit)}'
    return (
        f'<tr id="{record.id}"><th scope="row"><span class="ledger-value num-{record.kind.value}">{value}</span>'
        f'<code class="ledger-id">{record.id}</code></th>'
        f"<td>{escape(record.title)}</td>"
        f"<td>{_derivation(record)}{_inputs(record, '')}{_code(record, '')}</td>"
        f"<td>{badge_html(record.kind)}</td><td>{places or TEXT['ledger.unused']}</td></tr>"
    )


def _derivation(record: Record) -> str:
    if not record.derivation:
        return ""
    end = f" = {record.text}" if record.checked else ""
    return f'<div class="derivation">{escape(record.derivation)}{escape(end)}</div>'


def _code(record: Record, up: str) -> str:
    place = f"{record.path}:{record.line}"
    return f'<a class="code-line" href="{up}{source_url(record.path, record.line)}"><code>{place}</code></a>'


def _inputs(record: Record, up: str) -> str:
    items = "".join(f"<li>{_argument(argument, up)}</li>" for argument in record.arguments)
    return f'<ul class="inputs">{items}</ul>' if items else ""


def _argument(argument: Argument, up: str) -> str:
    name = f"<var>{escape(argument.name)}</var>" + (f" = {escape(argument.text)}" if argument.text else "")
    if argument.fact:
        return f'{name} <a href="{up}{LEDGER}#{argument.fact}"><code>{argument.fact}</code></a>'
    return f"{name} {_leaves(argument.leaves, up)}"


def _leaves(leaves: tuple[Leaf, ...], up: str) -> str:
    by_file: dict[str, list[str]] = defaultdict(list)
    for leaf in leaves:
        by_file[leaf.path].append(leaf.pointer)
    return "；".join(
        f'<a href="{up}{source_url(path)}"><code>{escape(path)}</code></a> '
        + "、".join(f"<code>{escape(pointer)}</code>" for pointer in pointers)
        for path, pointers in by_file.items()
    )


def card(record: Record, page: PageState) -> str:
    """Return the card of a number: value, derivation, inputs, kind, link to its row."""
    up = page.relative("")
    label = TEXT["card.derivation" if record.checked else "card.by"]
    how = f"<dt>{label}</dt><dd>{_derivation(record)}</dd>" if record.derivation else ""
    inputs = _inputs(record, up)
    return (
        f'<section data-card="{record.id}"><h2>{escape(record.title)}</h2>'
        f'<p class="card-value num-{record.kind.value}">{escape(record.text)} {escape(record.unit)}</p><dl>{how}'
        + (f"<dt>{TEXT['card.inputs']}</dt><dd>{inputs}</dd>" if inputs else "")
        + f"<dt>{TEXT['card.kind']}</dt><dd>{badge_html(record.kind)}</dd>"
        f"<dt>{TEXT['card.code']}</dt><dd>{_code(record, up)}</dd></dl>"
        f'<p><a href="{up}{LEDGER}#{record.id}">{TEXT["card.row"]}</a></p></section>'
    )


def cards(course: Course, page: PageState) -> str:
    """Return the template with the cards of all numbers on a page."""
    names = dict.fromkeys(use.id for use in page.uses)
    if not names:
        return ""
    sections = "".join(card(course.ledger.records[name], page) for name in names)
    kinds = "".join(f'<li data-kind="{kind.value}">{kind.glyph} {kind.label}</li>' for kind in Kind)
    legend = f'<ul class="legend" data-legend>{kinds}</ul>'
    return f'<template id="course-cards">{legend}{sections}</template>'


def table(heads: tuple[str, ...], rows: str) -> str:
    """Return a table that scrolls in its own box; `heads` are keys of TEXT."""
    head = "".join(f'<th scope="col">{TEXT[key]}</th>' for key in heads)
    label = TEXT[heads[0]]
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def promises(course: Course) -> str:
    """Return the open promises by target, then the kept ones."""
    kept = {keep.id: keep for page in course.pages.values() for keep in page.keeps}
    groups: Mapping[str, list[str]] = defaultdict(list)
    for page in course.pages.values():
        for promise in page.promises:
            title = escape(course.titles.get(promise.page, promise.page))
            link = f'<a href="{promise.page}#promise-{promise.id}">{title}</a>'
            state = TEXT["keeps"] if promise.id in kept else TEXT["promise"]
            groups[promise.target].append(f"<li>{escape(promise.text)} <small>{state} · {link}</small></li>")
    return "".join(
        f'<h2 id="{target.replace("/", "-")}">{lesson_name(target)}</h2><ul class="promises">{"".join(items)}</ul>'
        for target, items in sorted(groups.items())
    )


def syntax(course: Course) -> str:
    """Return the author's blocks with their options, from their own specs."""
    from course_build.markdown.constructs import CONSTRUCTS

    rows = "".join(
        f'<tr><th scope="row"><code>{name}</code></th><td><code>{escape(", ".join(spec.options) or "—")}</code></td>'
        f"<td>{escape(' '.join(spec.doc.split()))}</td></tr>"
        for name, spec in CONSTRUCTS.items()
    )
    return table(("syntax.block", "syntax.options", "syntax.doc"), rows)
