r"""The LaTeX an author writes, made ready for math-core: `\term`, `\val` and what may not be lost in silence.

One pass over the characters; every character written remembers where it came from, so that an error of the
compiler is reported in the author's own text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

Show = Callable[[str, str], str]  # (fact id, display rule or "") -> text; else KeyError or ValueError

_COMMAND = re.compile(r"\\([A-Za-z]+|.)", re.DOTALL)
_TERM = re.compile(r"\\term\s*\{([a-z][a-z0-9_-]*)\}\s*(?=\{)")
_VAL = re.compile(r"\\val\s*\{([^{}:]+)(?::([^{}]*))?\}")
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([A-Za-z]+\*?)\}")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?")
_NUMBERED = ("align", "equation", "gather", "multline", "eqnarray", "alignat", "flalign")
_TEXT = ("text", "textbf", "textit", "textrm", "textsf", "texttt")
_REFUSED = {
    "newcommand renewcommand providecommand def let": "macros are not used here; write it out",
    "color textcolor colorbox": r"colours belong to the palette; mark a part with \term{id}{…}",
    "boxed cancel bcancel xcancel sout": "browsers do not draw it; leave it out",
    "tag label": "numbered formulas are not used here; give the block an id",
    "mbox": r"unknown; write \text{…}",
}
_REASON = {name: reason for names, reason in _REFUSED.items() for name in names.split()}


class FormulaError(ValueError):
    """A formula that does not compile: what is wrong, and where in it."""

    def __init__(self, message: str, column: int, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.column = column  # 1-based, in its line
        self.line = line  # lines below the formula's first


@dataclass
class Prepared:
    """LaTeX for math-core and what its colours stand for."""

    source: str
    written: list[str] = field(default_factory=list)
    origin: list[int] = field(default_factory=list)  # for each character written: its index in source
    terms: list[tuple[str, str]] = field(default_factory=list)  # colour -> term
    values: list[tuple[str, tuple[str, str]]] = field(default_factory=list)  # colour -> (fact id or "", text)
    bodies: dict[str, str] = field(default_factory=dict)  # term -> its LaTeX, without inner \term

    @property
    def latex(self) -> str:
        """Return what math-core compiles."""
        return "".join(self.written)

    def write(self, text: str, origin: int) -> None:
        """Append `text`, all of which stands for the character at `origin`."""
        self.written.append(text)
        self.origin.extend([origin] * len(text))

    def error(self, message: str, position: int) -> FormulaError:
        """Return the error at a position of the LaTeX that math-core saw."""
        place = self.origin[position] if position < len(self.origin) else len(self.source)
        return _error(self.source, message, place)


def prepare(latex: str, show: Show | None = None) -> Prepared:
    r"""Replace `\term` and `\val` by coloured groups; refuse what would be lost.

    Raises:
        FormulaError: with the place in `latex`.
    """
    if not latex.strip():
        raise FormulaError("empty formula: nothing would be shown", 1)
    return _Scanner(latex, show).run()


def _error(source: str, message: str, place: int) -> FormulaError:
    before = source[:place]
    return FormulaError(message, place - (before.rfind("\n") + 1) + 1, before.count("\n"))


class _Scanner:
    """One pass from left to right."""

    def __init__(self, latex: str, show: Show | None) -> None:
        self.latex, self.show = latex, show
        self.out = Prepared(latex)
        self.at = 0
        self.braces: list[bool] = []  # for each open brace: is its inside text?
        self.text_next = False  # the next brace opens text
        self.depth = 0  # open environments

    def run(self) -> Prepared:
        while self.at < len(self.latex):
            char = self.latex[self.at]
            if char == "\\":
                self.command()
            elif char.isdigit():
                self.digits()
            else:
                self.character(char)
        return self.out

    def fail(self, message: str) -> FormulaError:
        return _error(self.latex, message, self.at)

    def copy(self, length: int) -> None:
        for char in self.latex[self.at : self.at + length]:
            self.out.write(char, self.at)
            self.at += 1

    @property
    def in_text(self) -> bool:
        return bool(self.braces) and self.braces[-1]

    def character(self, char: str) -> None:
        if char == "%":
            raise self.fail(r"a bare % would hide the rest of the line; write \%")
        if unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs") and char not in "\n\t\r":
            raise self.fail(f"invisible character U+{ord(char):04X} in a formula")
        if char == "#":
            self.out.write(r"\#", self.at)
            self.at += 1
            return
        if char == "{":
            self.braces.append(self.text_next or self.in_text)
        elif char == "}" and self.braces:
            self.braces.pop()
        self.text_next = self.text_next and char.isspace()
        self.copy(1)

    def digits(self) -> None:
        """A typed thousands comma is part of the number."""
        found = _THOUSANDS.match(self.latex, self.at)
        if found and not self.in_text:
            self.place("", found[0])
            self.at = found.end()
            return
        while self.at < len(self.latex) and (self.latex[self.at].isdigit() or self.latex[self.at] == "."):
            self.copy(1)

    def command(self) -> None:
        found = _COMMAND.match(self.latex, self.at)
        if not found:
            raise self.fail("a formula cannot end in a backslash")
        name = found[1]
        if name in _REASON:
            raise self.fail(f"\\{name}: {_REASON[name]}")
        if name in ("term", "val"):
            getattr(self, name)()
        elif name in ("begin", "end"):
            self.environment()
        elif name == "\\" and not self.depth:
            raise self.fail(r"\\ outside of an environment would be dropped; use \begin{aligned}")
        else:
            self.text_next = name in _TEXT
            self.copy(len(found[0]))

    def environment(self) -> None:
        found = _ENVIRONMENT.match(self.latex, self.at)
        if found and found[2] in _NUMBERED:
            raise self.fail(f"environment {found[2]} numbers its lines by itself; use aligned or {found[2]}*")
        self.depth += 1 if self.latex.startswith(r"\begin", self.at) else -1
        self.copy(len(found[0]) if found else 1)

    def term(self) -> None:
        found = _TERM.match(self.latex, self.at)
        if not found:
            seen = re.compile(r"\\term\s*(?:\{[^{}]*\}){0,2}").match(self.latex, self.at)
            said = "an id is lower-case ASCII and the part stands behind it"
            raise self.fail(rf"{seen[0] if seen else 'term'}: {said}, such as \term{{layers}}{{L}}")
        if self.in_text:
            raise self.fail(r"\term cannot stand inside \text{…}")
        name, start = found[1], found.end()
        if name not in self.out.bodies:
            self.out.bodies[name] = _without_terms(_group(self.latex, start))
        color = f"{0xABC001 + len(self.out.terms):06X}"
        self.out.terms.append((color, name))
        self.out.write(rf"{{\color[HTML]{{{color}}}", self.at)
        self.at = start + 1
        self.braces.append(False)

    def val(self) -> None:
        found = _VAL.match(self.latex, self.at)
        if not found:
            raise self.fail(r"\val wants the id of a fact, with or without display rule: \val{a.b:,d}")
        if self.show is None:
            raise self.fail(rf"\val{{{found[1]}}}: no ledger at hand here")
        try:
            text = self.show(found[1].strip(), (found[2] or "").strip())
        except (KeyError, ValueError) as error:
            raise self.fail(rf"\val{{{found[1]}}}: {error.args[0] if error.args else error}") from None
        if self.in_text:
            self.out.write(re.sub(r"([%#&_$])", r"\\\1", text), self.at)
        else:
            self.place(found[1].strip(), text)
        self.at = found.end()

    def place(self, name: str, text: str) -> None:
        """Write a coloured zero that becomes the number after compiling."""
        color = f"{0xABD001 + len(self.out.values):06X}"
        self.out.values.append((color, (name, text)))
        self.out.write(rf"{{\color[HTML]{{{color}}}0}}", self.at)


def _group(latex: str, start: int) -> str:
    """Return the inside of the braces that open at `start`; to the end if they never close."""
    depth, at = 0, start
    while at < len(latex):
        if latex[at] == "\\":
            at += 2
            continue
        depth += {"{": 1, "}": -1}.get(latex[at], 0)
        if depth == 0:
            return latex[start + 1 : at]
        at += 1
    return latex[start + 1 :]


def _without_terms(latex: str) -> str:
    r"""Return `latex` with every `\term{id}{part}` replaced by `{part}`."""
    return _TERM.sub("", latex)
