r"""Numbers in code spans and in LaTeX: a span or formula that is only a number hides it; typed operands show.

`only_number` sees arithmetic on numbers (`64 * 2 + 1`), vectors (`[1, 2, 3, 6]`), units (`27B`, `5 ms`) and a name that
is said to be a number (`d = 5120`, `\sigma \approx 1.871`) as only a number; 0, ±1 and 2 behind a name (`dim=-1`) are
code. `in_formula` finds operands: every number but 0, 1, 2 that is neither an index nor inside \val{}, and in Chinese
words (`\text{每层两次}`) what counts in prose. A code span that `holds_prose` is read as prose.
"""

from __future__ import annotations

import re
from dataclasses import replace

from course_build.numerals import digits, signs
from course_build.numerals.scanner import Numeral, normal, scan
from course_build.numerals.words import MEASURES, WORDS, Words

_STRUCTURE = (-1, 0, 1, 2)
_PLAIN = (
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\[dt]?frac\s*(\d)\s*(\d)"), r"\1/\2"),
    (re.compile(r"\\(?:text|mathrm|mathbf|mathit|mathsf|operatorname|mbox)\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\^ ?\{? ?\\circ ?\}?"), "°"),
    (re.compile(r"\\(?:left|right|[bB]igg?[lr]?|displaystyle|[,;:!> ])|[$~]"), " "),
    (re.compile(r"\\(?:rm|bf|it|sf|tt)(?![A-Za-z])"), " "),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"\\(?:times|cdot|ast)(?![A-Za-z])"), "×"),
    (re.compile(r"\\div(?![A-Za-z])"), "÷"),
    (re.compile(r"\\(?:approx|sim|simeq|equiv|propto|leq?|geq?|ll|gg|neq?|pm)(?![A-Za-z])"), "≈"),
    (re.compile(r"\\[lc]?dots(?![A-Za-z])"), "…"),
    (re.compile(r"\\sqrt(?![A-Za-z])(?:\[\d*\])?"), "√"),
    (re.compile(r"\\(?:quad|qquad)(?![A-Za-z])|\\\\|&"), " "),
    (re.compile(r"\\([{}])"), r"\1"),
    (re.compile(r"\\[A-Za-z]+"), "α"),
)
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_UNIT = r"[KMGTP]i?B|[KMBTGkdx]|[munμ]?s|min|h|nats?|bits?|k?Hz|[MG]Hz|FLOPS?|tokens?|°C?|个|倍|维|层|步|次|种|%"
_ONLY = re.compile(
    rf"""\s*+(?P<name>[A-Za-z_\u0370-\u03ff][\w.\u0370-\u03ff]*+(?:\^?\{{\w+\}})?+\s*+(?:==?|≈|:=?|<=?|>=?|≤|≥|≠)\s*+)?+
    (?:
        0[xXbBoO][0-9A-Fa-f_]++
      | [0-9](?:[0-9_]*+)(?:\.[0-9_]*+)*+(?:[eE][-+]?[0-9]++)?+(?:\s?(?:{_UNIT})(?![A-Za-z]))?+
      | [\s()\[\]{{}}+\-*/^×÷·,;:.=<>≈≤≥≠±–—…√|%‰°&@，；、（）{digits.SUPERSCRIPTS}{digits.SUBSCRIPTS}亿万千百]
    )++""",
    re.VERBOSE | re.ASCII,
)
_OPERAND = re.compile(
    r"""\\(?:val|term|color|class|htmlClass|label|tag|ref|href|hspace|vspace|end)\s?(?:\[[^\]]{0,40}\])?\{[^{}]*\}
    | \\begin\{[^{}]*\}(?:\{[^{}]*\})? | \\\\\[[^\]]{0,40}\] | \\[A-Za-z]++ | \\.
    | _\{[^{}]*\} | _[A-Za-z0-9]
    | \^\{?\s*-?[0-3]\s*\}?(?![0-9.])
    | (?P<number>[0-9]++(?:(?:\{,\}|,)[0-9]{3}(?![0-9]))*+(?:\.[0-9]++)?+|\.[0-9]++|["""
    + signs.ALL
    + "])",
    re.VERBOSE,
)


_HAN = re.compile("[\u3400-\u9fff]")
_TEXT = re.compile(r"\\(?:text[a-z]*|mathrm|operatorname)\s*\{([^{}]*)\}")


def holds_prose(text: str) -> bool:
    """Return whether a code span holds Chinese: then it is no code, and its numerals count."""
    return bool(_HAN.search(text))


def only_number(text: str) -> bool:
    """Return whether a code span or a formula says nothing but a number."""
    if "\\val" in text:
        return False
    bare = _untex(normal(text)).strip()
    quantities = [numeral for numeral in scan(bare) if not numeral.exempt]
    rest = bare[quantities[0].end :] if quantities and quantities[0].start == 0 else bare
    if quantities and (not rest or rest.strip() in MEASURES):
        return True
    found = _ONLY.fullmatch(bare)
    if not found or not any(char.isdigit() for char in bare[found.end("name") if found["name"] else 0 :]):
        return False
    if found["name"]:
        values = [n.value for n in quantities if n.start >= found.end("name") - 1]
        return any(value not in _STRUCTURE for value in values)
    return bool(quantities) or bare[:2].lower() in ("0x", "0b", "0o")


def in_formula(latex: str, words: Words = WORDS) -> list[Numeral]:
    r"""Return the typed operands of a formula; `\val{id}`, indices, small exponents and 0, 1, 2 are none."""
    symbols, found = normal(latex), []
    for prose in (match for match in _TEXT.finditer(latex) if _HAN.search(match[1])):
        start, end = prose.span(1)
        counted = [numeral for numeral in scan(prose[1], words) if not numeral.exempt]
        found += [replace(each, start=each.start + start, end=each.end + start) for each in counted]
        symbols = symbols[:start] + " " * (end - start) + symbols[end:]
    for match in (match for match in _OPERAND.finditer(symbols) if match["number"]):
        value = digits.value_of(match[0].replace("{,}", ","))
        if value not in _STRUCTURE:
            text = latex[match.start() : match.end()]
            found.append(Numeral(match.start(), match.end(), text, value, "operand of a formula"))
    return sorted(found, key=lambda numeral: numeral.start)


def _untex(text: str) -> str:
    """Return LaTeX as plain arithmetic; other text stays as it is, but for backslashes."""
    for form, plain in _PLAIN[:3]:
        text = form.sub(plain, text)
    for _ in range(8):  # nested fractions, from the inside
        changed = _FRACTION.sub(r"(\1)/(\2)", text)
        if changed == text:
            break
        text = changed
    for form, plain in _PLAIN[3:]:
        text = form.sub(plain, text)
    return re.sub(r"√\s*\{", "√{", text)
