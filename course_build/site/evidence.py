"""The evidence page: how every number is known, every claim with its check, and what would make it false."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Any

from course_build.errors import CourseError
from course_build.evidence import Kind
from course_build.expr import ExprError, plain
from course_build.facts.falsify import Step
from course_build.ledger import ClaimDef
from course_build.markdown.elements import badge_html
from course_build.site.pages import source_url, table
from course_build.strings import TEXT

if TYPE_CHECKING:
    from course_build.site.course import Course


def evidence(course: Course) -> str:
    """Return the evidence page: how many numbers are known in which way, and every claim with its check."""
    counts = Counter(record.kind for record in course.ledger.records.values())
    kinds = "".join(
        f'<tr><th scope="row">{badge_html(kind)}</th><td class="tally">{counts[kind]}</td></tr>'
        for kind in Kind
        if counts[kind]
    )
    rows = "".join(_claim_row(course, name) for name in course.ledger.claims)
    literals = "".join(
        f'<tr><th scope="row">{escape(literal.text)}</th><td>{badge_html(Kind(literal.kind))}</td>'
        f"<td>{escape(literal.why)}</td><td><code>{escape(literal.path)}:{literal.line}</code></td></tr>"
        for page in course.pages.values()
        for literal in page.literals
    )
    return (
        f'<h2 id="kinds">{TEXT["evidence.kinds"]}</h2>{table(("ledger.kind", "evidence.count"), kinds)}'
        f'<h2 id="claims">{TEXT["evidence.claims"]}</h2>'
        f"{table(('evidence.claim', 'evidence.check', 'evidence.stated'), rows, 'claims')}"
        f'<h2 id="literals">{TEXT["evidence.literals"]}</h2>'
        f"{table(('ledger.number', 'ledger.kind', 'evidence.why', 'evidence.where'), literals)}"
    )


def _claim_row(course: Course, name: str) -> str:
    claim = course.ledger.claims[name]
    verdict = course.verdict(name)
    mark = "✓" if verdict.true else "✗"
    pages = dict.fromkeys(use.page for page in course.pages.values() for use in page.claims if use.id == name)
    places = "、".join(f'<a href="{page}#claim-{name}">{escape(course.titles.get(page, page))}</a>' for page in pages)
    return (
        f'<tr id="{name}"><th scope="row">{escape(claim.title)}<code class="ledger-id">{name}</code></th>'
        f'<td><span class="check-{"true" if verdict.true else "false"}">{mark}</span> '
        f'<span class="check-filled">{escape(verdict.filled)}</span><br><code>{escape(claim.expression)}</code>'
        f"{_breaks(course, claim)}</td>"
        f"<td>{places or TEXT['ledger.unused']}</td></tr>"
    )


def _breaks(course: Course, claim: ClaimDef) -> str:
    """Return which change of an input would make the claim false; for a law, why none would."""
    if claim.law:
        return f'<p class="check-breaks">{TEXT["evidence.law"]}{escape(claim.law)}</p>'
    try:
        steps = course.falsifier.example(claim)
    except (CourseError, ExprError):
        return ""  # it cannot be evaluated, and says so
    told = "，".join(_step(step) for step in steps)
    return f'<p class="check-breaks">{TEXT["evidence.breaks"].format(told)}</p>' if told else ""


def _step(step: Step) -> str:
    path, _, pointer = step.where.partition("#")
    name = escape("/".join(path.split("/")[-2:]))  # run.json alone would not say which
    place = f'<a href="{source_url(path)}"><code>{name}</code></a> <code>{escape(pointer)}</code>'
    return f"{place} {TEXT['evidence.step'].format(*map(escape, _told(step.old, step.new)))}"


def _told(old: Any, new: Any) -> tuple[str, str]:
    """Return both values as texts; of two vectors only the element that differs, when it is one."""
    if isinstance(old, tuple) and isinstance(new, tuple) and len(old) == len(new):
        differing = [pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]]
        if len(differing) == 1:
            old, new = differing[0]
    return plain(old) or TEXT["evidence.blank"], plain(new) or TEXT["evidence.blank"]
