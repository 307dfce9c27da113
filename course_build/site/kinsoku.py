"""What may not begin or end a line (kinsoku): the few cases that browsers get wrong, bound in a page's HTML.

A browser breaks freely on both sides of a box in the line, such as a formula or a button, whatever stands beside it.
So stops and brackets move into the formula's own span, which does not wrap; a tick or a badge loses the space before
it (the style sets the distance); and an interpunct stays with the word before it.
"""

from __future__ import annotations

import re

_MARK = re.compile(r'\s+(?=<span class="(?:check check-|evidence"><span class="badge ))')
_STOP = re.compile(r"</math></span>([，。、；：！？）」』》％]+)")
_OPEN = re.compile(r'([（「『《]+)<span class="math-inline">')
_INTERPUNCT = re.compile(r" ·(?= [^<>]*<)")  # in text: no tag ends before the next one begins


def bind(html: str) -> str:
    """Return the page's HTML with its marks bound."""
    html = _MARK.sub("", html)
    html = _STOP.sub(r"</math>\1</span>", html)
    html = _OPEN.sub(r'<span class="math-inline">\1', html)
    return _INTERPUNCT.sub("\u00a0·", html)
