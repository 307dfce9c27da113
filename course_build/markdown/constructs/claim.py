"""`/// claim | id`: the body states what the claim's expression says; the build checks that it holds."""

from __future__ import annotations

from course_build.errors import CourseError, Gravity, nearest
from course_build.markdown.construct import Block, Construct
from course_build.markdown.elements import EVIDENCE, LINK, child, put
from course_build.markdown.state import ClaimUse
from course_build.strings import TEXT


def expand(block: Block) -> None:
    """Set the sentence, and below it the check with the values put in."""
    body = block.take_body()
    put(block.element, "div", class_="claim", id=f"claim-{block.argument}")
    block.element.extend(body)
    claims = block.course.ledger.claims
    if block.argument not in claims and not block.course.ledger.is_unknown(block.argument):
        block.fail(f"no claim {block.argument!r} in any facts.py{nearest(block.argument, claims)}")
        return
    try:
        verdict = block.course.judge(block.argument)
    except CourseError as error:
        block.fail_with(error)
        return
    word = "true" if verdict.true else "false"
    block.element.set("class", f"claim claim-{word}")
    fold = child(block.element, "details", class_="claim-check")
    child(fold, "summary", TEXT[f"claim.{word}"])
    child(fold, "p", class_="check-filled").text = block.stash(verdict.filled)
    child(child(fold, "p"), "code", verdict.expression, class_="course-expression")
    page = block.page
    row = page.relative(f"{EVIDENCE}#{block.argument}")
    child(child(fold, "p"), LINK, TEXT["claim.breaks"], href=row)
    page.claims.append(
        ClaimUse(block.argument, verdict.expression, verdict.filled, verdict.true, page.url, page.path, block.line)
    )
    if not verdict.true:
        block.fail(f"claim {block.argument} is false: {verdict.told}", Gravity.DRAFT)


CONSTRUCT = Construct("claim", __doc__, expand)
