"""Nothing in a built site may ask another machine for anything: no page, no style, no script of ours.

Counted is what a browser loads by itself: scripts, styles, images, fonts, frames, workers, hints to connect.  A link
that a reader follows is free.  Material's own bundle holds two addresses for features that this site does not use
(mermaid, an old-browser shim); a page that would make it use one is a problem here.
"""

from __future__ import annotations

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
_CSS = re.compile(r"(?:url\(|@import)\s*[\"']?\s*((?:[a-z]+:)?//[^\"')\s;]+)", re.IGNORECASE)
_STYLE = re.compile(r"<style\b[^>]*>(.*?)</style>|\bstyle=\"([^\"]*)\"", re.IGNORECASE | re.DOTALL)
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.IGNORECASE | re.DOTALL)
_CALL = re.compile(
    r"(?:\bimport\s*\(?|\bfrom|\bfetch\s*\(|\bimportScripts\s*\(|\bnew\s+(?:Worker|WebSocket|EventSource)\s*\(|"
    r"\bsendBeacon\s*\(|\.open\s*\(\s*[\"'][A-Z]+[\"']\s*,|\.(?:src|href)\s*=)\s*[\"'`]\s*((?:[a-z]+:)?//[^\"'`\s]+)",
    re.IGNORECASE,
)
_MERMAID = re.compile(r"class=\"[^\"]*\bmermaid\b")
_THEME = ("assets/javascripts/", "assets/stylesheets/", "assets/course/plotly.js")  # packages, checked by their version


def check(site: Path) -> list[Problem]:
    """Return one problem for every request that a page, style or script of the site would send elsewhere."""
    problems = []
    for path in sorted(site.rglob("*")):
        name = path.relative_to(site).as_posix()
        if path.suffix not in READERS or name.startswith(_THEME) or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if "//" in text or path.suffix == ".html":
            for place, what in READERS[path.suffix](text):
                problems.append(Problem(name, text.count("\n", 0, place) + 1, what))
    return problems


def _page(text: str) -> Iterator[tuple[int, str]]:
    for tag in _TAG.finditer(text):
        attributes = {
            found[1].lower(): unescape(found[2] or found[3] or found[4] or "") for found in _ATTRIBUTE.finditer(tag[2])
        }
        for name, value in attributes.items():
            if _loads(tag[1].lower(), name, attributes) and _leaves(name, value):
                yield tag.start(), _said(f"<{tag[1].lower()} {name}>", value)
    for style in _STYLE.finditer(text):
        yield from ((style.start(), what) for _, what in _css(unescape(style[1] or style[2] or "")))
    for script in _SCRIPT.finditer(text):
        if "src=" not in script[1]:
            yield from ((script.start(), what) for _, what in _script(script[2]))
    mermaid = _MERMAID.search(text)
    if mermaid:
        yield mermaid.start(), "a mermaid diagram makes the theme load a script from unpkg.com; use /// diagram"


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
    for found in _CSS.finditer(text):
        yield found.start(), _said("style", found[1])


def _script(text: str) -> Iterator[tuple[int, str]]:
    for found in _CALL.finditer(text):
        yield found.start(), _said("script", found[1])


def _said(where: str, address: str) -> str:
    return f"{where} asks {address.strip()[:80]!r}; a page of this site loads nothing from elsewhere"


READERS = {".html": _page, ".css": _css, ".js": _script, ".svg": _page}
