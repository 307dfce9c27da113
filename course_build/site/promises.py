"""Promises are kept: one to a lesson that exists must be kept there; a kept one must have been made."""

from __future__ import annotations

from collections.abc import Iterable

from course_build.errors import Gravity, Problem, nearest
from course_build.markdown.state import PageState


def check(pages: Iterable[PageState]) -> list[Problem]:
    """Return broken promises, duplicate ids, and promises kept that nobody made."""
    pages = list(pages)
    lessons = {page.lesson for page in pages if page.lesson}
    made = [promise for page in pages for promise in page.promises]
    kept = [keep for page in pages for keep in page.keeps]
    ids = {promise.id: promise for promise in reversed(made)}
    found = []
    for promise in made:
        first = ids[promise.id]
        if first is not promise:
            text = f"promise id {promise.id!r} stands twice (first in {first.path}:{first.line}), rename one"
            found.append(Problem(promise.path, promise.line, text))
        keepers = [keep.lesson for keep in kept if keep.id == promise.id]
        if promise.target in lessons and promise.target not in keepers:
            text = f"promise {promise.id!r} is broken: lesson {promise.target} exists and does not keep it"
            found.append(Problem(promise.path, promise.line, text, Gravity.DRAFT))
    for keep in kept:
        if keep.id not in ids:
            text = f"keeps {keep.id!r}: nobody made this promise{nearest(keep.id, ids)}"
            found.append(Problem(keep.path, keep.line, text))
    return found
