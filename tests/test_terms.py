"""The course's words are words for the search."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_build.errors import CourseError
from course_build.site import terms

ROOT = Path(__file__).parents[1]


def test_the_course_s_words_are_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """残差流 and 零中心 are one word each in the index, once they are taught."""
    jieba = pytest.importorskip("jieba")
    fresh = jieba.Tokenizer()
    assert "残差流" not in fresh.lcut("残差流越写越大")
    monkeypatch.setattr(jieba, "add_word", fresh.add_word)
    terms.teach(terms.words(ROOT / "docs", ROOT))
    assert fresh.lcut("残差流越写越大")[0] == "残差流"
    assert "零中心" in fresh.lcut("用零中心的写法")


def test_latin_terms_and_repeats_are_left_out(tmp_path: Path) -> None:
    """Only words that need cutting are taught, each once."""
    (tmp_path / "terms.yml").write_text("terms:\n  - {term: 残差流, also: [residual stream, 主路, 残差流]}\n")
    assert terms.words(tmp_path, tmp_path) == ["残差流", "主路"]


def test_bad_list_is_one_line_with_its_place(tmp_path: Path) -> None:
    """A term that is a number names file, line and key."""
    (tmp_path / "terms.yml").write_text("terms:\n  - {term: 7}\n")
    with pytest.raises(CourseError, match=r"terms\.yml:2: .*/terms/0/term"):
        terms.words(tmp_path, tmp_path)
