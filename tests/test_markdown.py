"""The author's syntax: what is written becomes what is meant, or a problem with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_build.markdown.lines import scan, strip, tagged
from tests.courses import convert, course, problems


def test_number_becomes_a_link_to_its_row(tmp_path: Path) -> None:
    """`[[id]]` is a link around a <data> with the machine value."""
    html = convert(course(tmp_path), "和是 [[toy.sum]]。", url="c4/03/index.html")
    expected = (
        '<a class="num num-computed" data-id="toy.sum" href="../../ledger.html#toy.sum"><data value="5">5</data></a>'
    )
    assert expected in html


def test_number_in_another_format_and_its_work(tmp_path: Path) -> None:
    """`:format` changes the digits, `:work` prints the filled formula with its result."""
    html = convert(course(tmp_path), "[[toy.sum:.2f]] 与 [[toy.sum:work]]")
    assert '<data value="5">5.00</data>' in html
    assert "2 + 3 = 5" in html


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[toy.sun]]", "unknown id toy.sun; nearest: toy.sum"),
        ("[[toy.sum:.9q]]", "display rule"),
        ("[[= 4 without a reason]]", "write [[= 4; constructed: why it is typed]]"),
        ("[[= 4; because: no such kind]]", "kinds: proved"),
        ("[@nobody1999]", "no such paper; badges: proved, computed"),
        ("[[? toy.sum > ]]", "toy.sum >"),
        ("[[code nowhere.py f]]", "no Python file"),
        ("$\\frac{1}$", "formula does not compile"),
        ("费用$甲和$乙", "holds Chinese"),
    ],
)
def test_bad_reference_is_reported_with_its_line(tmp_path: Path, text: str, expected: str) -> None:
    """A reference that means nothing is a problem at its own line and a mark in the page."""
    built = course(tmp_path)
    html = convert(built, f"第一段。\n\n好的一行，\n坏的一行：{text}\n", offset=10)
    [(line, message)] = problems(built)
    assert line == 14
    assert expected in message
    assert 'class="problem"' in html


def test_all_problems_of_a_page_are_reported_at_once(tmp_path: Path) -> None:
    """Three faults in a table, a heading and a list give three problems, in order."""
    built = course(tmp_path)
    convert(built, "# [[no.a]] {#a}\n\n| 甲 | 乙 |\n|---|---|\n| 丙 | [[no.b]] |\n\n- 丁\n- [[no.c]]\n")
    assert [line for line, _ in problems(built)] == [1, 5, 8]


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("/// claimm | toy.c\n内容\n///\n", 1, "unknown block 'claimm'; nearest: claim"),
        ("好。\n\n/// aside\n没有结束\n", 3, "block 'aside' is never closed"),
        ("/// promise | p\n    too: c8\n内容\n///\n", 2, "unknown option 'too'; nearest: to"),
        ("/// promise | p\n    to: 第八课\n内容\n///\n", 2, "it must be a lesson such as c8/02"),
        ("/// claim\n内容\n///\n", 1, "needs an argument"),
        ("/// aside | 多余\n内容\n///\n", 1, "takes no argument"),
        ("内容\n\n///\n", 3, "closes no block"),
        ("//// aside\n内容\n///\n////\n", 3, "needs ////"),
        ("$$\nx = y\n", 1, "display formula is never closed"),
    ],
)
def test_bad_block_is_reported_with_its_line(tmp_path: Path, text: str, line: int, expected: str) -> None:
    """Blocks fail closed: what pymdownx would show as text is an error."""
    built = course(tmp_path)
    convert(built, text)
    assert (line, True) in [(number, expected in message) for number, message in problems(built)]


def test_code_and_math_stay_untouched(tmp_path: Path) -> None:
    """References inside code are text; dollars that are no formula are text."""
    built = course(tmp_path)
    html = convert(built, "`[[toy.sum]]` 与\n\n```python\nx = [[1]]  # $a$\n```\n\n单价$a。\n")
    assert "<code>[[toy.sum]]</code>" in html
    assert "单价$a。" in html
    assert "\ue000" not in html
    assert problems(built) == []


def test_prices_are_no_formula(tmp_path: Path) -> None:
    """`价格$5和$6` is shown as written, and its numerals are reported."""
    built = course(tmp_path)
    assert "价格$5和$6" in convert(built, "价格$5和$6")
    assert [message.split()[2] for _, message in problems(built)] == ["'5'", "'6'"]


def test_display_math_keeps_its_backslashes(tmp_path: Path) -> None:
    """A formula over several lines, with a blank one, is one <math>; `|` in a table cell stays inside the formula."""
    built = course(tmp_path)
    html = convert(built, "$$\n\\left\\{ x_{i}\n\n\\right\\} + |x|\n$$\n")
    assert html.count("<math") == 1
    assert problems(built) == []


def test_numbers_in_formulas_come_from_the_ledger(tmp_path: Path) -> None:
    r"""`\val{id}` prints the ledger's text."""
    built = course(tmp_path, big=None, a=5000)
    html = convert(built, "$N = \\val{toy.sum}$")
    assert "<mn>5,003</mn>" in html
    assert [use.id for use in built.page.uses] == ["toy.sum"]


def test_line_breaks_beside_chinese_are_joined(tmp_path: Path) -> None:
    """A source line break between Han characters leaves no gap, also beside numbers and emphasis."""
    html = convert(course(tmp_path), "前一句。\n**后**一句\n接着\n[[toy.sum]]\n个。\nand\nLatin")
    assert "前一句。<strong>后</strong>一句接着<a" in html
    assert "</a>个。and\nLatin" in html


@pytest.mark.parametrize("text", ["共有 5120 维", "大约 √5 倍", "`5,120`", "$5120$", "十一倍", '<b title="7%">甲</b>'])
def test_typed_numeral_is_refused(tmp_path: Path, text: str) -> None:
    """The closed world: a numeral that is no reference is an error where it stands."""
    built = course(tmp_path)
    convert(built, f"好的。\n\n{text}\n")
    assert [line for line, _ in problems(built)] == [3]
    assert "typed numeral" in problems(built)[0][1]


def test_typed_numeral_names_the_id_that_prints_the_same(tmp_path: Path) -> None:
    """The error tells which ledger number the author probably meant."""
    built = course(tmp_path, a=5000)
    convert(built, "一共 5003 个")
    assert "[[toy.sum]]" in problems(built)[0][1]


def test_literal_is_declared_with_kind_and_reason(tmp_path: Path) -> None:
    """`[[= 4; kind: why]]` is shown and remembered."""
    built = course(tmp_path)
    html = convert(built, "只有 [[= 4; constructed: 便于心算]] 维")
    assert '<span class="num num-literal" title="便于心算">4</span>' in html
    assert [(item.text, item.kind) for item in built.page.literals] == [("4", "constructed")]
    assert problems(built) == []


def test_inline_check_shows_its_values(tmp_path: Path) -> None:
    """A true check is a mark; a false one is a draft problem with the values put in."""
    built = course(tmp_path)
    html = convert(built, "大于。[[? toy.double > toy.sum]]\n\n小于。[[? toy.double < toy.sum]]")
    assert 'class="check check-true"' in html
    assert 'class="check check-false"' in html
    [(line, message)] = problems(built)
    assert line == 3
    assert "toy.double < toy.sum with 10 and 5" in message


def test_bold_that_markdown_does_not_see_is_reported(tmp_path: Path) -> None:
    """`__x__` between Han characters is never bold: say so instead of showing underscores."""
    built = course(tmp_path)
    convert(built, "这是__重点__内容")
    assert "left as text" in problems(built)[0][1]


def test_scanner_never_tags_code_options_or_math() -> None:
    """Tags stand only in prose and block headers, and stripping them gives the source back."""
    lines = [
        "# 题 {#t}",
        "```py",
        "x = 1",
        "```",
        "/// promise | p",
        "    to: c8",
        "",
        "| 甲 |",
        "|---|",
        "$$",
        "x",
        "$$",
    ]
    roles = [line.role for line in scan(lines)]
    assert roles == [
        "prose",
        "fence",
        "fence",
        "fence",
        "open",
        "option",
        "prose",
        "prose",
        "prose",
        "math",
        "math",
        "math",
    ]
    for line in scan(lines):
        if line.role in ("fence", "prose", "option", "math"):
            assert strip(tagged(line, line.number, own=False)) == line.text
