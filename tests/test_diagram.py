"""Block diagrams: one description, deterministic SVG, words for those who cannot see it."""

import itertools
import re
import xml.etree.ElementTree as ET

import pytest

from course_build.diagram import BOX, WIDTH, Box, Branch, Diagram, End, Repeat, Stack, render, texts
from course_build.errors import CourseError
from course_build.figures import FigureDef, diagram
from course_build.ledger import collecting

PRE = Stack(
    "Pre-Norm",
    [End("x"), Branch([Box("RMSNorm", ink="rmsnorm"), Box("注意力")], label="主路"), End("y")],
    ink="pre",
    note="主路不断。",
)
POST = Stack(
    "Post-LN", [End("x"), Branch([Box("注意力")]), Box("LayerNorm", "压在主路上", "layernorm"), End("y")], "post"
)


def define() -> FigureDef:
    """Return the declaration of a diagram."""
    with collecting() as registry:
        diagram("t.dia", title="放法", summary="说")(lambda: None)
    found: FigureDef = registry.figures[0]
    return found


def draw(*stacks: Stack) -> ET.Element:
    """Return the drawn HTML, which is well-formed XML."""
    return ET.fromstring(render(define(), Diagram(*stacks)))


def main_lines(svg: ET.Element) -> list[tuple[float, float]]:
    """Return where the main path is drawn, from top to bottom."""
    paths = [path.get("d", "") for path in svg.iter("path") if path.get("class") == "diagram-main"]
    ends = [tuple(map(float, re.findall(r"[\d.]+", d)[1:])) for d in paths]
    return sorted((start, end) for start, end in ends)


def test_the_same_description_gives_the_same_bytes() -> None:
    """No ids by chance, no floats that differ."""
    assert render(define(), Diagram(PRE, POST)) == render(define(), Diagram(PRE, POST))


def test_each_stack_is_a_named_picture() -> None:
    """A picture has a title and a description that name each other, unique on the page."""
    html = draw(PRE, POST)
    pictures = list(html.iter("svg"))
    assert [picture.get("role") for picture in pictures] == ["img", "img"]
    for picture in pictures:
        title, description = picture.find("title"), picture.find("desc")
        assert title is not None
        assert description is not None
        assert picture.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    ids = [element.get("id") for element in html.iter() if element.get("id")]
    assert len(ids) == len(set(ids)) == 4


def test_a_box_on_the_main_path_breaks_it() -> None:
    """Post-LN's norm stands where the main path would be; Pre-Norm's path has no box on it."""
    pre, post = draw(PRE, POST).iter("svg")
    for svg, broken in ((pre, False), (post, True)):
        lines = main_lines(svg)
        boxes = [
            (float(r.get("y", "")), float(r.get("x", "")) < 92 < float(r.get("x", "")) + BOX) for r in svg.iter("rect")
        ]
        assert any(on for _, on in boxes) is broken
        gaps = [(a[1], b[0]) for a, b in itertools.pairwise(lines) if b[0] - a[1] > 30]
        assert bool(gaps) is broken


def test_everything_lies_within_the_picture() -> None:
    """No box, text or line leaves the view box, whose width a phone can show."""
    long = Stack("全", [Box("嵌入"), Repeat("× 64", [Branch([Box("甲"), Box("乙")]), Branch([Box("丙")])]), Box("头")])
    for svg in draw(PRE, POST, long).iter("svg"):
        _, _, width, height = map(float, (svg.get("viewBox") or "").split())
        assert width == WIDTH <= 375 - 2 * 16
        for rect in svg.iter("rect"):
            assert 0 <= float(rect.get("x", "")) <= width - BOX
            assert float(rect.get("y", "")) + float(rect.get("height", "")) <= height
        for text in svg.iter("text"):
            assert 0 <= float(text.get("x", "")) <= width
            assert 0 <= float(text.get("y", "")) <= height


def test_the_path_is_told_in_words() -> None:
    """Without `told`, the description follows the path."""
    (svg, _) = draw(PRE, POST).iter("svg")
    assert svg.findtext("desc") == "x，支路经过 RMSNorm、注意力，加回主路，y"
    (svg,) = draw(Stack("全", [Repeat("× 2", [Box("甲"), Box("乙")])])).iter("svg")
    assert svg.findtext("desc") == "以下重复 × 2：甲，乙"


def test_colours_are_variables() -> None:
    """Inks come from the palette: no colour is written into the picture."""
    html = render(define(), Diagram(PRE))
    assert "--path:var(--ink-pre)" in html
    assert "--ink:var(--ink-rmsnorm)" in html
    assert not re.search(r"#[0-9a-f]{3,6}|rgb", html)


def test_text_is_escaped_and_handed_out() -> None:
    """Tags in a text stay text; every word can be checked for typed numerals."""
    stack = Stack("<a>", [Box("<b>", "&c"), Repeat("× 3", [Branch([Box("d")], label="e")])], note="f", told="g")
    html = render(define(), Diagram(stack))
    assert "<b>" not in html
    assert texts(Diagram(stack)) == ["<a>", "f", "g", "<b>", "&c", "× 3", "e", "d"]


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "must return Diagram"),
        (Diagram(), "must return Diagram"),
        (Diagram(Stack("a", [Box("x", ink="pree")])), "unknown ink 'pree'; nearest: pre"),
        (Diagram(Stack("a", [End("x")], ink="red")), "unknown ink 'red'"),
        (Diagram(Stack("a", [Box("这一个方框里的字实在太多了")])), "13 letters wide"),
        (Diagram(Stack("a", [Branch([Box("甲")], label="主路从头到尾没有归一化")])), "6 fit"),
    ],
)
def test_what_cannot_be_drawn_is_a_problem(returned: object, said: str) -> None:
    """Wrong type, unknown ink, text that does not fit: at the place of the declaration."""
    with pytest.raises(CourseError, match=said) as caught:
        render(define(), returned, ("docs/charts.py", 9))
    assert str(caught.value).startswith("docs/charts.py:9: diagram t.dia: ")
