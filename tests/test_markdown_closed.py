"""Nothing of a page escapes the closed world, and nothing of it is lost: where a number could hide, what is dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_build.site import links, texts
from course_build.site.course import Course
from course_build.site.reading import page_text
from tests.courses import FACTS, convert, course, problems

FORMULA = "/// formula | f\n$$\ny = \\term{x}{x}\n  + PART\n$$\n\nx\n:   输入\n///\n"
CHARTS = """\
from course_build.figures import Table, chart, table
from course_build.ledger import ref


@chart("toy.chart", title="TITLE", summary="SUMMARY", x="AXIS", y="值")
def drawn(v=ref("toy.pair")):
    return {"data": [{"y": v, "name": "TRACE"}], "layout": {"annotations": [{"text": "NOTE"}]}}


@table("toy.table", title="CAPTION")
def rows(v=ref("toy.sum")):
    return Table(["HEAD", "乙"], [["CELL", "[[toy.sum]]"]])
"""
PAIR = '\n\n@fact("toy.pair", title="对", by="排好")\ndef pair(a=data.at("/a"), b=data.at("/b")):\n    return [a, b]\n'
WORDS = ("TITLE", "SUMMARY", "AXIS", "TRACE", "NOTE", "CAPTION", "HEAD", "CELL")


@pytest.mark.parametrize(
    ("text", "numerals", "line"),
    [
        ("`每层 16 个头`", ["16"], 3),
        ("`两层`", ["两"], 3),
        ("`#!python 5120`", ["5120"], 3),
        ("`5120`{.plain}", ["5120"], 3),
        ("`x = norm(y, dim=-1)` 与 `int8`", [], 3),
        ("```python\n# 每层 16 个头\nx = 5120\n```", [], 3),
        ("1<b>2</b> 个", ["12"], 3),
        ("1**2** 个", ["12"], 3),
        ("&#54;&#54; 个", ["66"], 3),
        (r"\(77\) 个", ["77"], 3),
        (r"前\*\*后\[\[", [], 3),
        ("<p>\n<input placeholder='65536'>\n</p>", ["65536"], 4),
        ("<p>好。</p>\n\n<section>\n好\n第 64 层\n</section>", ["64"], 7),
        ("<input value='64'>", ["64"], 3),
        ('好。\n\n段落\n{: title="第 7 层"}', ["7"], 5),
        ('![第 7 层](a.png "好")', ["7"], 3),
        ("[[= 4; constructed: 因为有 9 个]]", ["9"], 3),
        ("- 甲[^a]\n\n[^a]: 脚注里\n    有 64 层。", ["64"], 6),
        ("甲[^2026] 乙[^b]。\n\n[^2026]: 好的 [[toy.sum]]。\n[^b]: 也好。", [], 3),
        (r"$\text{每层十六个头}$", ["十六"], 3),
        ("$$\nx\n+ 65536\n$$", ["65536"], 5),
        (FORMULA.replace("PART", "65536"), ["65536"], 6),
        (FORMULA.replace("PART", r"\term{w}{37}").replace("x\n:", "w\n:   权重\n\nx\n:"), ["37"], 6),
        (FORMULA.replace("PART", r"\val{toy.sum}").replace("输入", "输入 64 维"), ["64"], 10),
        ('/// tab | 第 64 层\n内容\n///', ["64"], 3),
        ('/// details | 第 64 层\n内容\n///', ["64"], 3),
        ("/// myth | 有 64 层\n内容\n///", ["64"], 3),
    ],
)  # fmt: skip
def test_where_a_number_could_hide(tmp_path: Path, text: str, numerals: list[str], line: int) -> None:
    """Each numeral is found once, whole, at its own line; what is code, an identifier or escaped is none."""
    built = course(tmp_path)
    convert(built, f"好的。\n\n{text}\n")
    assert [told.split("'")[1] for _, told in problems(built)] == numerals, problems(built)
    assert {number for number, _ in problems(built)} <= {line}
    assert not [told for _, told in problems(built) if "\x02" in told or "x02" in told or "near '…'" in told]


def test_a_number_of_a_formula_is_a_val(tmp_path: Path) -> None:
    r"""In a formula neither [[id]] nor a declaration works: the error names \val."""
    built = course(tmp_path, a=5000)
    convert(built, "$x + 5003$")
    [(_, told)] = problems(built)
    assert r"\val{id}" in told
    assert r"prints this as \val{toy.sum}" in told
    assert "[[" not in told


@pytest.mark.parametrize("word", WORDS)
def test_a_numeral_of_a_figure_stands_in_charts(tmp_path: Path, word: str) -> None:
    """Words of a chart or a table are told where the author wrote them."""
    charts = CHARTS.replace(word, "共 64 个")
    for other in WORDS:
        charts = charts.replace(other, "好")
    built = course(tmp_path, {"docs/facts.py": FACTS + PAIR, "docs/charts.py": charts})
    convert(built, "好。\n\n/// chart | toy.chart\n///\n\n/// table | toy.table\n///\n")
    found = {(each.path, each.line) for each in built.page.problems}
    assert found == {("docs/charts.py", 10 if word in ("CAPTION", "HEAD", "CELL") else 5)}, built.page.problems


def test_an_unknown_input_of_a_figure_stands_in_charts(tmp_path: Path) -> None:
    """An id in a signature, or a parameter without an input, is told at the figure."""
    charts = CHARTS.replace('v=ref("toy.sum")', "v").replace("toy.pair", "toy.pear")
    built = course(tmp_path, {"docs/charts.py": charts})
    convert(built, "/// chart | toy.chart\n///\n\n/// table | toy.table\n///\n")
    found = [(each.path, each.line, each.text) for each in built.page.problems]
    assert [place[:2] for place in found] == [("docs/charts.py", 5), ("docs/charts.py", 10)]
    assert "unknown id toy.pear" in found[0][2]
    assert "it has no default" in found[1][2]


EVOLUTION = """\
toy:
  title: TITLE
  corner: 零件
  generations:
    - {id: old, title: 旧, who: WHO}
  parts:
    - id: norm
      title: 归一化
      cells:
        old:
          did: CELL
"""


@pytest.mark.parametrize(("word", "line"), [("TITLE", 2), ("WHO", 5), ("CELL", 11)])
def test_a_numeral_of_the_evolution_table_stands_there(tmp_path: Path, word: str, line: int) -> None:
    """A cell is told by its own line in evolution.yml."""
    built = course(tmp_path, {"docs/evolution.yml": EVOLUTION.replace(word, "共 64 个")})
    convert(built, "/// evolution | toy\n///\n")
    assert {(each.path, each.line) for each in built.page.problems} == {("docs/evolution.yml", line)}


FILES = {
    "mkdocs.yml": "site_name: 小课\nnav:\n  - 首页: index.md\n  - 一组:\n      - 第 2 课: two.md\n",
    "docs/index.md": "---\ntitle: 首页\ndescription: 好\n---\n\n# 首页 {#top}\n",
    "docs/facts.py": FACTS + '\n\nclaim("toy.c", "toy.sum > 0", title="为正", law="由定义")\n',
    "docs/terms.yml": "terms:\n  - {term: 层, also: [layer], gloss: 一组运算。}\n",
    "experiments/configs/papers.json": '{"ba2016":\n {"label": "Ba 等 2016",\n "title": "Layer Normalization",\n'
    ' "ref": "arXiv:1607.06450"}}',
}


@pytest.mark.parametrize(
    ("path", "old", "new", "line"),
    [
        ("mkdocs.yml", "小课", "999 课", 1),
        ("mkdocs.yml", "一组", "共 64 个", 4),
        ("mkdocs.yml", "第 2 课", "第 2 层", 5),
        ("docs/index.md", "title: 首页", "title: 共 64 个", 2),
        ("docs/index.md", "description: 好", "description: 两层", 3),
        ("docs/facts.py", 'title="a 与 b 之和"', 'title="共 64 个"', 7),
        ("docs/facts.py", 'how="{a} + {b}"', 'by="共 64 个"', 7),
        ("docs/facts.py", 'how="{a} + {b}"', 'how="{a} + {b}", unit="64 个"', 7),
        ("docs/facts.py", 'how="{s} × 2"', 'how="{s} × 2 + 64 - 64"', 12),
        ("docs/facts.py", 'title="为正"', 'title="超过 64"', 17),
        ("docs/facts.py", 'law="由定义"', 'law="由 64 得出"', 17),
        ("docs/terms.yml", "一组运算", "64 组运算", 2),
        ("docs/terms.yml", "[layer]", "[64 层]", 2),
        ("experiments/configs/papers.json", "Ba 等 2016", "Ba 等 64", 2),
        ("experiments/configs/papers.json", "Layer Norm", "64 Layer Norm", 3),
        ("experiments/configs/papers.json", '"arXiv:1607.06450"', '"第 64 页"', 4),
    ],
)
def test_texts_outside_of_the_flow(tmp_path: Path, path: str, old: str, new: str, line: int) -> None:
    """Titles, menus, cards, terms and citations are in the closed world, each told at its place."""
    assert texts.check(_read(tmp_path / "good", FILES)) == []
    built = _read(tmp_path / "bad", FILES | {path: FILES[path].replace(old, new)})
    assert {(each.path, each.line) for each in texts.check(built)} == {(path, line)}


def _read(root: Path, files: dict[str, str]) -> Course:
    built = course(root, files)
    built.begin("docs/index.md", "index.html", 0)
    return built


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("| 打分 |q·k| 不变 | 丁 |", r"write \|"),
        ("| 丙 |", "write every cell"),
        (r"| 打分 \|q·k\| | 丁 |", ""),
        ("| `a|b` | 丁 |", ""),
    ],
)
def test_a_table_row_loses_nothing(tmp_path: Path, row: str, said: str) -> None:
    """Cells beyond the head would be dropped: the row is an error at its line."""
    built = course(tmp_path)
    convert(built, f"好。\n\n| 甲 | 乙 |\n|---|---|\n| 丙 | 丁 |\n{row}\n")
    assert [(line, said in told) for line, told in problems(built)] == ([(6, True)] if said else [])


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        ("## 归一化", "has no id; write `## … {#name}`"),
        ("## 从已有 {#从已有}", "has the id '从已有'; write `## … {#name}`"),
        ("### 二 {#2}", "has the id '2'; write `### … {#name}`"),
        ("## 又一节 {#top}", "stands twice (first in line 1)"),
        ("## 归一化 {#norm}", ""),
    ],
)
def test_a_heading_has_an_id_of_its_own(tmp_path: Path, heading: str, said: str) -> None:
    """Links outlive a heading's words: its id is written, in ASCII, and stands once."""
    built = course(tmp_path)
    convert(built, f"# 题 {{#top}}\n\n好。\n\n{heading}\n\n好。\n")
    assert [(line, said in told) for line, told in problems(built)] == ([(5, True)] if said else [])


def test_everything_that_a_page_leads_to_is_there(tmp_path: Path) -> None:
    """Images, their srcset, files and links in raw HTML are looked for, each at its line."""
    built = course(tmp_path)
    text = (
        "好 [甲](b.md) ![乙](a.png)\n\n![丙](gone.png)\n[丁](gone\\_file.pdf)\n\n<p>\n<a href='b.html'>甲</a>\n"
        "<img src='a.png' srcset='a.png 1x, lost.png 2x' alt='图'>\n<video poster='lost.jpg'></video>\n</p>\n\n"
        "文中 <a href='lost.md'>丁</a>\n"
    )
    convert(built, text)
    found = links.check(built.page, "docs", {"b.md": frozenset()}, frozenset({"a.png"}))
    assert [(each.line, each.text.split("'")[1]) for each in sorted(found)] == [
        (3, "gone.png"), (4, "gone_file.pdf"), (8, "lost.png"), (9, "lost.jpg"), (12, "lost.md"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("/// promise | p\n  to: c8\n内容\n///\n", 2, "found '  to: c8' indented by 2, options are indented by 4"),
        ("/// promise | p\nto: c8\n内容\n///\n", 2, "found 'to: c8' not indented, options are indented by 4"),
        ("/// promise | p\n    too: c8\n内容\n///\n", 2, "unknown option 'too'; nearest: to"),
        ("/// claim | toy.sum\n内容\n///\n", 1, "no claim 'toy.sum' in any facts.py; nearest: toy.c.sum"),
        ("甲[^a]\n", 1, "footnote [^a] has no text; add a line `[^a]: …`"),
        ("甲[^a]\n\n[^a]: 乙\n[^a]: 丙\n", 4, "footnote [^a] stands twice (first in line 3)"),
        ("[@calculated]\n", 1, "badges: proved, computed, simulated"),
        (FORMULA.replace("PART", r"\term{L}{L}"), 4, r"\term{L}{L}: an id is lower-case ASCII"),
        (FORMULA.replace("PART", r"\frac{1}"), 4, r"near `+ \frac{1}`"),
        ("| 甲 | 乙 |\n|---|\n| 丙 | 丁 |\n", 2, "was left as text"),
    ],
)
def test_one_message_says_what_to_mend(tmp_path: Path, text: str, line: int, said: str) -> None:
    """The first and only problem names the place, what was seen and what is right."""
    claims = FACTS + '\n\nclaim("toy.c.sum", "toy.sum > 0", title="为正", law="由定义")\n'
    built = course(tmp_path, {"docs/facts.py": claims})
    convert(built, text)
    [(number, told)] = problems(built)
    assert number == line
    assert said in told


def test_footnotes_are_shown(tmp_path: Path) -> None:
    """A footnote's text is set below, with its numbers from the ledger."""
    html = convert(course(tmp_path), "甲[^a]。\n\n[^a]: 和是 [[toy.sum]]。\n")
    assert 'class="footnote-ref"' in html
    assert '<data value="5">5</data></a>。' in html
    assert "\ue000" not in html


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\ntitle: 甲\n---\n\n# 题 {#t}\n", ""),
        ("# 题 {#t}\n\n---\n", ""),
        ("--\ntitle: 甲\n--\n\n# 题 {#t}\n", "begins with '--', it must be `---`"),
        ("----\ntitle: 甲\n----\n\n# 题 {#t}\n", "begins with '----', it must be `---`"),
        ("——\ntitle: 甲\n——\n\n# 题 {#t}\n", "begins with '——', it must be `---`"),
        ("\n---\ntitle: 甲\n---\n\n# 题 {#t}\n", "must begin in the first line"),
        ("---\ntitle: 甲\n\n# 题 {#t}\n", "never ends, add a line `---`"),
        ("Transformer: 一种网络\n\n# 题 {#t}\n", "would be taken for front matter and dropped"),
    ],
)
def test_front_matter_is_opened_as_it_must_be(tmp_path: Path, text: str, said: str) -> None:
    """What MkDocs would print, or drop, is an error in the first line; the page keeps its lines from the heading on."""
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    found, shown = page_text(str(tmp_path / "page.md"), tmp_path)
    assert [(each.line, said in each.text) for each in found] == ([(1, True)] if said else [])
    assert not said or shown.splitlines()[text.splitlines().index("# 题 {#t}")] == "# 题 {#t}"


def test_a_numeral_of_a_live_component_stands_in_its_twin(tmp_path: Path) -> None:
    """What Python draws into a page is told where it is drawn."""
    twin = 'def data(live):\n    return {}\n\n\ndef fallback(live):\n    return "<p>共 64 层</p>"\n'
    built = course(tmp_path, {"docs/live/toy.py": twin})
    convert(built, "/// live | toy\n///\n")
    [found] = built.page.problems
    assert str(found).startswith("docs/live/toy.py: typed numeral '64'")
