"""Nothing in a built site may ask another machine for anything: no page, no style, no script of ours.

Counted is what a browser loads by itself: scripts, styles, images, fonts, frames, workers, hints to connect.  A link
that a reader follows is free.  Material's own bundle holds two addresses for features that this site does not use
(mermaid, an old-browser shim); a page that would make it use one is a problem here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from course_build.errors import Problem

_OUTSIDE = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
_TAG = re.compile(
    r"<(script|link|img|source|iframe|embed|object|video|audio|track|input|image|use|feimage|base|meta|portal|frame|body|a)\b"
    r"((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"([a-z][a-z:-]*)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_LOADING = {"src", "srcset", "poster", "data", "background", "ping", "imagesrcset", "xlink:href", "manifest"}
_HINTS = re.compile(r"\b(stylesheet|icon|preload|prefetch|preconnect|dns-prefetch|modulepreload|manifest|prerender)\b")
_CSS = re.compile(r"(?:url\(|@import)\s*[\"']?\s*(?:[a-z]+:)?$", re.IGNORECASE)
_CALL = re.compile(
    r"(?:\bimport\s*\(?|\bfrom|\bfetch\s*\(|\bimportScripts\s*\(|\bnew\s+(?:Worker|WebSocket|EventSource)\s*\(|"
    r"\bsendBeacon\s*\(|\.open\s*\(\s*[\"'][A-Z]+[\"']\s*,|\.(?:src|href)\s*=)\s*[\"'`]\s*(?:[a-z]+:)?$",
    re.IGNORECASE,
)
_BEFORE = 80  # characters in which the construct before an address stands
_MERMAID = re.compile(r"class=\"[^\"]*\bmermaid\b")
_THEME = ("assets/javascripts/", "assets/stylesheets/", "assets/course/plotly.js")  # packages, checked by their version


def check(site: Path) -> list[Problem]:
    """Return one problem for every request that a page, style or script of the site would send elsewhere."""
    problems = []
    for folder, _, files in os.walk(site):
        for file in files:
            look = READERS.get(file[file.rfind(".") :])
            name = Path(folder, file).relative_to(site).as_posix() if look else ""
            if look is None or name.startswith(_THEME):
                continue
            text = (site / name).read_text(encoding="utf-8", errors="replace")
            for place, what in look(text):
                problems.append(Problem(name, text.count("\n", 0, place) + 1, what))
    return sorted(problems)


def _page(text: str) -> Iterator[tuple[int, str]]:
    """Look only where two slashes stand: pages are long, addresses are few."""
    seen = -1
    for place in _slashes(text):
        start = text.rfind("<", 0, place)
        tag = _TAG.match(text, start) if start > seen else None
        if tag and tag.end() > place:
            seen = start
            yield from ((start, what) for what in _tag(tag[1].lower(), tag[2]))
        if _before(_CSS, text, place) and (_inside(text, place, "style") or start > text.rfind(">", 0, place)):
            yield place, _said("style", text[place : place + 60])
        if _before(_CALL, text, place) and _inside(text, place, "script"):
            yield place, _said("script", text[place : place + 60])
    mermaid = _MERMAID.search(text) if "mermaid" in text else None
    if mermaid:
        yield mermaid.start(), "a mermaid diagram makes the theme load a script from unpkg.com; use /// diagram"


def _slashes(text: str) -> Iterator[int]:
    place = text.find("//")
    while place >= 0:
        yield place
        place = text.find("//", place + 2)


def _before(pattern: re.Pattern[str], text: str, place: int) -> bool:
    return bool(pattern.search(text[max(0, place - _BEFORE) : place]))


def _inside(text: str, place: int, element: str) -> bool:
    return text.rfind(f"<{element}", 0, place) > text.rfind(f"</{element}", 0, place)


def _tag(name: str, text: str) -> Iterator[str]:
    attributes = {
        found[1].lower(): unescape(found[2] or found[3] or found[4] or "") for found in _ATTRIBUTE.finditer(text)
    }
    for key, value in attributes.items():
        if _loads(name, key, attributes) and _leaves(key, value):
            yield _said(f"<{name} {key}>", value)


def _loads(tag: str, name: str, attributes: dict[str, str]) -> bool:
    """Return whether the browser follows this attribute without being asked."""
    if tag == "a":
        return name == "ping"
    if tag == "link" and name == "href":
        return bool(_HINTS.search(attributes.get("rel", "").lower()))
    if tag == "meta":
        return name == "content" and attributes.get("http-equiv", "").lower() == "refresh"
    if tag in ("use", "image", "feimage", "base") and name == "href":
        return True
    return name in _LOADING and not (tag == "input" and attributes.get("type") != "image")


def _leaves(name: str, value: str) -> bool:
    if name == "content":
        return "//" in value
    if name.endswith("srcset"):
        return any(_OUTSIDE.match(part) for part in value.split(","))
    return bool(_OUTSIDE.match(value))


def _css(text: str) -> Iterator[tuple[int, str]]:
    return ((p, _said("style", text[p : p + 60])) for p in _slashes(text) if _before(_CSS, text, p))


def _script(text: str) -> Iterator[tuple[int, str]]:
    return ((p, _said("script", text[p : p + 60])) for p in _slashes(text) if _before(_CALL, text, p))


def _said(where: str, address: str) -> str:
    address = re.split(r"[\"'\s)]", address.strip())[0]
    return f"{where} asks {address!r}; a page of this site loads nothing from elsewhere"


READERS = {".html": _page, ".css": _css, ".js": _script, ".svg": _page}
