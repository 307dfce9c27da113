"""The course's own words for the search: jieba cuts 残差流 in two unless it is told that this is one word.

    terms:
      - {term: 残差流, also: [residual stream, 主路], gloss: 贯穿所有层、只做加法的那一行向量。}
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from pathlib import Path

from course_build.facts.record import Record
from course_build.files.source import load
from course_build.files.textfile import is_there

FILE = "terms.yml"
LEDGER = "<!--course:ledger-->"  # where the ledger's table will stand
_HAN = re.compile("[\u3400-\u9fff]+")


def words(docs: Path, root: Path) -> list[str]:
    """Return the Chinese words of a course's term list, aliases too, in order; none when it has no list.

    Raises:
        CourseError: the file is damaged, or a term is not as above.
    """
    if not is_there(docs / FILE):
        return []
    source = load(docs / FILE, root)
    found: list[str] = []
    for index in range(len(source.read("/terms", list))):
        found.append(source.read(f"/terms/{index}/term", str))
        found += source.read(f"/terms/{index}/also", list[str], default=[])
    return [word for word in dict.fromkeys(found) if _HAN.fullmatch(word)]


def teach(words: list[str]) -> None:
    """Tell jieba the words; without jieba the index holds single characters, and they are found all the same."""
    try:
        import jieba
    except ImportError:
        return
    for word in words:
        jieba.add_word(word)


def found(records: Iterable[Record]) -> str:
    """Return what the search reads of the ledger: each number, its unit, what it is and its id.

    The table itself is a million characters: indexing it takes longer than all other pages, loading it too.
    """
    return "".join(
        f"<p>{escape(f'{each.text} {each.unit}'.strip())} {escape(each.title)} <code>{each.id}</code></p>\n"
        for each in records
    )
