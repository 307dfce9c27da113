"""A course's own list of names and words, read so that a number can never become a word."""

from __future__ import annotations

import re
from collections.abc import Mapping

from course_build.numerals.formula import only_number
from course_build.numerals.words import NAMES, WITH_DIGITS, Words

LONGEST = 24
PHRASE = 4  # from here on a word of Chinese characters is a title or a saying, whatever it begins with


def course_words(data: Mapping[str, object]) -> Words:
    """Return the words with a course's own: `{names: {Mamba: why}, words: {Llama 3: why}}`.

    Raises:
        ValueError: an entry is unknown, has no reason, or would exempt a number instead of a word.
    """
    for section in data:
        if section not in ("names", "words"):
            raise ValueError(f"unknown section {section!r}; names and words are known")
    names, fixed = _section(data, "names"), _section(data, "words")
    for name in names:
        if not re.fullmatch(r"[A-Za-z][A-Za-z_-]*", name):
            raise ValueError(f"names: {name!r} is written in Latin letters and - or _, without its version")
    for word in fixed:
        phrase = len(word) >= PHRASE and not any(char.isascii() or char.isdecimal() for char in word)
        if all(char.isnumeric() for char in word) or (only_number(word) and not phrase):
            raise ValueError(f"words: {word!r} is only a number; declare it in the text: [[= {word}; kind: why]]")
    return Words(NAMES | frozenset(names), WITH_DIGITS | frozenset(fixed))


def _section(data: Mapping[str, object], name: str) -> list[str]:
    entries = data.get(name) or {}
    if not isinstance(entries, Mapping):
        raise ValueError(f"{name} is a mapping from each entry to the reason why it stands there")
    for entry, why in entries.items():
        if not isinstance(why, str) or not why.strip():
            raise ValueError(f"{name}: {entry!r} has no reason; write one behind the colon")
        if not isinstance(entry, str) or not 1 < len(entry) <= LONGEST:
            raise ValueError(f"{name}: {entry!r} is not a word of 2 to {LONGEST} characters")
    return [str(entry) for entry in entries]
