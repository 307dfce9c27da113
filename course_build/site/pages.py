"""What the generator writes itself: the ledger, evidence and promises tables (the cards of numbers: numbers.py)."""

from __future__ import annotations

import re
from collections import defaultdict
from html import escape
from typing import TYPE_CHECKING

from course_build.markdown.elements import problem_html
from course_build.site.kinsoku import bind
from course_build.site.numbers import SOURCES as SOURCES
from course_build.site.numbers import cards as cards
from course_build.site.numbers import ledger
from course_build.site.numbers import source_url as source_url
from course_build.strings import TEXT, lesson_name

if TYPE_CHECKING:
    from course_build.site.course import Course

DEFAULT_PAGES = {
    f"{name}.md": f"# {TEXT[name]} {{#top}}\n\n/// generated | {name}\n///\n"
    for name in ("ledger", "evidence", "promises")
}  # what stands there when the author has not written the page


def fill(html: str, course: Course) -> str:
    """Put the whole-course tables into a page that asked for them; bind what may not begin a line."""
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
    return bind(html)


def banner(course: Course) -> str:
    """Return what is wrong with the facts themselves, for the top of every page (a draft's, or under `serve`)."""
    problems = "".join(f"<li>{problem_html(str(problem))}</li>" for problem in course.ledger.problems)
    return f'<ul class="problem-banner">{problems}</ul>' if problems else ""


def table(heads: tuple[str, ...], rows: str, look: str = "") -> str:
    """Return a table that scrolls in its own box; `heads` are keys of TEXT."""
    head = "".join(f'<th scope="col">{TEXT[key]}</th>' for key in heads)
    label = TEXT[heads[0]]
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f'<table{f" class={look}" if look else ""}>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def promises(course: Course) -> str:
    """Return the open promises by target, then the kept ones."""
    kept = {keep.id: keep for page in course.pages.values() for keep in page.keeps}
    groups: dict[str, list[str]] = defaultdict(list)
    for page in course.pages.values():
        for promise in page.promises:
            title = escape(course.titles.get(promise.page, promise.page))
            link = f'<a href="{promise.page}#promise-{promise.id}">{title}</a>'
            state = TEXT["keeps"] if promise.id in kept else TEXT["promise"]
            groups[promise.target].append(f"<li>{escape(promise.text)} <small>{state} · {link}</small></li>")
    return "".join(
        f'<h2 id="{target.replace("/", "-")}">{lesson_name(target)}</h2><ul class="promises">{"".join(items)}</ul>'
        for target, items in sorted(groups.items(), key=lambda group: [int(n) for n in re.findall(r"\d+", group[0])])
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
