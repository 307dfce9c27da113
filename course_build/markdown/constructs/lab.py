"""`/// lab | c1/02-topic`: the recorded output of that lesson's lab.py; a build executes nothing."""

from __future__ import annotations

from course_build.errors import CourseError, Problem
from course_build.markdown.construct import Block, Construct
from course_build.markdown.elements import put
from course_build.recording.runs import lab_page


def expand(block: Block) -> None:
    """Place the recorded page; its prose is checked like any other, its code and outputs are quoted."""
    block.take_body()
    put(block.element, "div", class_="lab")
    try:
        recorded = lab_page(block.course.root, block.argument)
    except CourseError as error:
        block.fail_with(error)
        return
    if isinstance(recorded, Problem):
        block.fail(recorded.text, recorded.gravity)
        return
    block.course.closed_world.html(recorded, block.page, block.line)
    block.element.text = block.stash(recorded)


CONSTRUCT = Construct("lab", __doc__, expand)
