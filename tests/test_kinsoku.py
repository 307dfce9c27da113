"""What may not begin or end a line is bound in the HTML; a number's inputs are named shortly."""

from __future__ import annotations

import pytest

from course_build.evidence import Kind
from course_build.facts.inputs import Leaf
from course_build.site.kinsoku import bind
from course_build.site.numbers import by_file

MATH = '<span class="math-inline">{}<math><mi>d</mi></math>{}</span>'


@pytest.mark.parametrize(
    ("html", "bound"),
    [
        (MATH.format("", "") + "，然后", MATH.format("", "，") + "然后"),
        ("之后（" + MATH.format("", "") + "）。", "之后" + MATH.format("（", "）。")),
        ('对了 <span class="check check-true">', '对了<span class="check check-true">'),
        (
            '对了 <span class="evidence"><span class="badge badge-proved">',
            '对了<span class="evidence"><span class="badge badge-proved">',
        ),
        ("<a>第 3 课 · 归一化</a>", "<a>第 3 课\u00a0· 归一化</a>"),
        ('<a title="A · B">', '<a title="A · B">'),
        ('说 <span class="evidence"><a class="cite">', '说 <span class="evidence"><a class="cite">'),
        ("什么也不动", "什么也不动"),
    ],
)
def test_marks_are_bound(html: str, bound: str) -> None:
    """Stops and brackets move into the formula's span, ticks and badges lose the space before them."""
    assert bind(html) == bound
    assert bind(bound) == bound


def test_pointers_below_one_parent_are_joined() -> None:
    """As a programmer writes a set of paths; one alone stays as it is."""
    pointers = ("/text/a", "/text/b", "/vision/depth", "/a", "")
    leaves = [Leaf("x.json", pointer, 1, Kind.COMPUTED) for pointer in pointers]
    assert by_file(leaves) == [("x.json", "/text/{a, b}、/vision/depth、/a、")]
    assert by_file([Leaf("run", "loss", 1, Kind.MEASURED)]) == [("run", "loss")]
