"""The HTML of the small things: numbers, literals, badges, citations, checks, problem marks."""

from __future__ import annotations

import xml.etree.ElementTree as etree
from html import escape
from typing import Any

from course_build.evidence import Kind
from course_build.facts.record import Record
from course_build.strings import TEXT

LEDGER = "ledger.html"
EVIDENCE = "evidence.html"
STANDS = "data-stands"  # "path:line" of the file that an element's text comes from, when it is not the page
LINK = "x-link"  # a link of ours; becomes <a> after the host (MkDocs) has looked at the author's links


def put(element: etree.Element, tag: str, text: str = "", /, **attributes: str) -> etree.Element:
    """Turn an element into another, keeping its tail; `class_` stands for class, `data_id` for data-id."""
    tail = element.tail
    element.clear()
    element.tag, element.text, element.tail = tag, text, tail
    for name, value in attributes.items():
        element.set(name.rstrip("_").replace("_", "-"), value)
    return element


def child(parent: etree.Element, tag: str, text: str = "", /, **attributes: str) -> etree.Element:
    """Append a new element."""
    return put(etree.SubElement(parent, tag), tag, text, **attributes)


def plain(value: Any) -> str:
    """Return a value for machines (the `value` attribute): no display rule."""
    return str(value).replace(" ", "") if isinstance(value, list) else str(value)


def number(element: etree.Element, record: Record, text: str, href: str) -> None:
    """Fill in a ledger number: a link to its row around a <data>."""
    put(element, LINK, class_=f"num num-{record.kind.value}", data_id=record.id, href=href)
    child(element, "data", text, value=plain(record.value))


def number_html(record: Record, text: str, href: str) -> str:
    """Return a ledger number as an HTML string (for what components draw themselves)."""
    return (
        f'<a class="num num-{record.kind.value}" href="{escape(href)}" data-id="{record.id}">'
        f'<data value="{escape(plain(record.value))}">{escape(text)}</data></a>'
    )


def literal(element: etree.Element, text: str, why: str) -> None:
    """Fill in a declared literal."""
    put(element, "span", text, class_="num num-literal", title=why)


def literal_html(text: str, why: str) -> str:
    """Return a declared literal as an HTML string."""
    return f'<span class="num num-literal" title="{escape(why)}">{escape(text)}</span>'


def badge(element: etree.Element, kind: Kind) -> None:
    """Fill in an evidence badge: glyph and word in the ink of the kind."""
    put(element, "span", class_=f"badge badge-{kind.value}")
    glyph = child(element, "span", kind.glyph, aria_hidden="true")
    glyph.tail = f" {kind.label}"


def badge_html(kind: Kind) -> str:
    """Return an evidence badge as an HTML string."""
    return f'<span class="badge badge-{kind.value}"><span aria-hidden="true">{kind.glyph}</span> {kind.label}</span>'


def check(element: etree.Element, true: bool, filled: str, expression: str) -> None:
    """Fill in an inline check: a mark that opens the check with the values put in."""
    put(element, "span", class_=f"check check-{'true' if true else 'false'}", data_check="")
    child(
        element, "button", "✓" if true else "✗", type="button", aria_expanded="false",
        aria_label=TEXT["check.true" if true else "check.false"],
    )  # fmt: skip
    body = child(element, "span", class_="check-body", hidden="hidden")
    child(body, "span", filled, class_="check-filled")
    child(body, "code", expression)


def problem(element: etree.Element, text: str) -> None:
    """Fill in a problem mark."""
    put(element, "span", f"⚠ {text}", class_="problem", role="note")


def problem_html(text: str) -> str:
    """Return a problem mark as an HTML string."""
    return f'<span class="problem" role="note">⚠ {escape(text)}</span>'
