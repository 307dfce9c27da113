"""Every link of the author leads somewhere: to a page that exists and an anchor that stands on it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from course_build.errors import Problem, nearest
from course_build.markdown.state import PageState

_ID = re.compile(r'\sid="([^"]+)"')


def anchors(html: str) -> frozenset[str]:
    """Return the ids that stand in a page's HTML."""
    return frozenset(_ID.findall(html))


def check(page: PageState, docs: str, contents: Mapping[str, frozenset[str]], files: frozenset[str]) -> list[Problem]:
    """Return the dead links of a page.

    Args:
        page: the page; its links are as the author wrote them, relative to its Markdown file.
        docs: the docs folder relative to the project, e.g. "docs".
        contents: Markdown source path below docs -> the ids on that page.
        files: all other published files below docs.
    """
    found = []
    source = posixpath.relpath(page.path, docs)
    for line, href in page.links:
        parts = urlsplit(href)
        if parts.scheme or parts.netloc:
            continue
        target = source
        if parts.path:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(source), unquote(parts.path)))
        page_of = target.removesuffix(".html") + ".md"  # raw HTML leads to the page as it is published
        if target.endswith(".html") and page_of in contents:
            target = page_of
        if target not in contents and target not in files:
            near = nearest(target, [*contents, *files])
            found.append(Problem(page.path, line, f"dead link {href!r}: no page or file {target}{near}"))
        elif parts.fragment and target in contents and unquote(parts.fragment) not in contents[target]:
            known = contents[target]
            text = f"dead link {href!r}: no anchor #{parts.fragment} on {target}{nearest(parts.fragment, known)}"
            found.append(Problem(page.path, line, text))
    return found
