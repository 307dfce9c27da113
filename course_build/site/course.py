"""One course while it is built: the ledger, what the pages have shown of it, and everything found wrong."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from course_build.charts.drawing import Figures
from course_build.errors import CourseError, Problem, nearest
from course_build.evidence import Kind
from course_build.expr import claims
from course_build.facts import lint, lock
from course_build.facts.evaluate import Ledger
from course_build.facts.falsify import Falsifier
from course_build.facts.inputs import PAPERS
from course_build.facts.loading import author_problem
from course_build.facts.moves import Moves
from course_build.files.source import load, load_text
from course_build.files.strict_json import escape
from course_build.files.textfile import is_there
from course_build.files.typed import shown
from course_build.keys.store import FOLDER, Store
from course_build.markdown.closedworld import ClosedWorld
from course_build.markdown.state import Lost, PageState
from course_build.mathml import render as formulas
from course_build.numerals import Words, course_words
from course_build.site import livecomponents
from course_build.site.pages import source_url

WORDS = "closed-world.yml"


@dataclass(frozen=True)
class Verdict:
    """A claim that was evaluated."""

    expression: str
    filled: str
    true: bool
    told: str = ""  # when it is false: both sides of what decides, and the inputs that moved since the lock


@dataclass
class Course:
    """Everything one build knows; created anew whenever an input changed."""

    root: Path
    docs: Path
    ledger: Ledger
    store: Store
    page: PageState = field(default_factory=lambda: PageState("", ""))
    pages: dict[str, PageState] = field(default_factory=dict)
    sources: set[str] = field(default_factory=set)  # code files that pages quote
    scripts: dict[str, str] = field(
        default_factory=dict
    )  # data of large charts: path beside the site's scripts -> text
    titles: dict[str, str] = field(default_factory=dict)  # page URL -> title
    live_modules: dict[str, dict[str, Any]] = field(default_factory=dict)  # docs/live/*.py, executed once
    whole: list[Problem] = field(default_factory=list)  # problems between pages (promises)

    @classmethod
    def read(cls, root: Path, docs: Path | None = None, ledger: Ledger | None = None) -> Course:
        """Load and evaluate all facts below docs; problems are collected, never raised.

        Args:
            root: the project.
            docs: its pages, `docs` when left out.
            ledger: the facts, when they were evaluated without a problem before and nothing has changed since.
        """
        root = root.resolve()
        docs = docs or root / "docs"
        if ledger is not None:
            return cls(root, docs, ledger, ledger.store)
        ledger = Ledger(root, Store(root / FOLDER))
        ledger.load(docs)
        ledger.evaluate()
        return cls(root, docs, ledger, ledger.store, whole=lint.facts(docs, root))

    # -- pages -----------------------------------------------------------------------------------

    def begin(self, path: str, url: str, offset: int) -> PageState:
        """Start the conversion of a page; what an earlier conversion of it left is dropped."""
        self.page = PageState(path, url, offset)
        self.pages[path] = self.page
        return self.page

    @property
    def problems(self) -> list[Problem]:
        """Return every problem of the facts and of the pages read so far, in order."""
        found = [
            *self.ledger.problems,
            *self.whole,
            *(p for page in self.pages.values() for p in sorted(page.problems)),
        ]
        return list(dict.fromkeys(found))

    @property
    def lost(self) -> list[Problem]:
        """Return, for each page and cause, the places that cannot be filled: what they say does not apply now."""
        found = []
        for page in self.pages.values():
            by_cause: dict[Problem, list[Lost]] = {}
            for each in page.lost:
                by_cause.setdefault(each.cause, []).append(each)
            for cause, places in by_cause.items():
                places.sort(key=lambda each: each.line)
                what = ", ".join(dict.fromkeys(each.what for each in places))
                lines = ", ".join(dict.fromkeys(str(each.line) for each in places))
                place = f"{cause.path}:{cause.line}" if cause.line else cause.path
                text = f"nothing to show for {what} (line{'s' * (',' in lines)} {lines}): {place}: {cause.text}"
                found.append(Problem(page.path, places[0].line, text))
        return found

    def state_of(self, url: str) -> PageState | None:
        """Return what the conversion of the page at `url` left behind."""
        return next((page for page in self.pages.values() if page.url == url), None)

    # -- what the author's syntax asks for ---------------------------------------------------------

    @cached_property
    def closed_world(self) -> ClosedWorld:
        """Return the rule that refuses typed numerals."""
        return ClosedWorld(self.ledger, self._words())

    def _words(self) -> Words:
        """Return the words with digits that this course exempts, each with its reason (docs/closed-world.yml)."""
        path = self.docs / WORDS
        if not is_there(path):
            return Words()
        try:
            source = load(path, self.root)
            return course_words(source.read("", dict))
        except CourseError as error:
            self.whole.extend(error.problems)
        except ValueError as error:
            self.whole.append(Problem(path.relative_to(self.root).as_posix(), 0, str(error)))
        return Words()

    @cached_property
    def papers(self) -> dict[str, Any]:
        """Return papers.json (empty when the project has none)."""
        path = self.root / PAPERS
        if not is_there(path):
            return {}
        source = load(path, self.root, Kind.REPORTED)
        papers = source.read("", dict)
        problems: list[Problem] = []
        for name in map(escape, papers):
            try:
                for key in ("label", "title", "ref"):
                    source.read(f"/{name}/{key}", str)
                url = source.read(f"/{name}/url", str, default="")
            except CourseError as error:
                problems += error.problems
                continue
            if url and not url.startswith(("https://", "http://")):
                problems.append(source.problem(f"/{name}/url", f"is {shown(url)}, an address (https://…) is expected"))
        if problems:
            raise CourseError(problems)
        return papers

    @cached_property
    def figures(self) -> Figures:
        """Return the figures that charts.py files declare."""
        return Figures(self.root, self.ledger, self.store)

    def judge(self, source: str) -> Verdict:
        """Evaluate a claim by its id, or an expression.

        Raises:
            CourseError: unknown claim or id, or an expression that does not parse.
        """
        expression = self.ledger.claims[source].expression if source in self.ledger.claims else source
        try:
            return self._judge(expression)
        except claims.ClaimError as error:
            known = nearest(source, self.ledger.claims) if expression is source else ""
            raise CourseError(Problem("", 0, f"claim {source}: {error}{known}")) from None

    def verdict(self, name: str) -> Verdict:
        """Return a declared claim's verdict; one that cannot be evaluated is not true, and says why."""
        try:
            return self.judge(name)
        except CourseError as error:
            return Verdict(self.ledger.claims[name].expression, "; ".join(map(str, error.problems)), False)

    def _judge(self, expression: str) -> Verdict:
        verdict = claims.evaluate_claim(
            expression,
            lambda name: self.ledger.record(name).value,
            lambda name: self.ledger.record(name).text,
        )
        told = "" if verdict.true else f"{verdict.told}{self._moved(verdict.values)}"
        return Verdict(expression, verdict.filled, verdict.true, told)

    def _moved(self, names: Iterable[str]) -> str:
        """Return the inputs behind `names` that moved since the lock, for the error of a false claim."""
        known = [name for name in names if name in self.ledger.records]
        moved = dict.fromkeys(str(change) for name in known for change in self.moves.causes(name))
        return f"; moved since the lock: {', '.join(moved)}" if moved else ""

    @cached_property
    def committed(self) -> dict[str, Any]:
        """Return the lock; an empty one when there is none, or when it cannot be read (check says why)."""
        return self.lock[0] or lock.EMPTY

    @cached_property
    def lock(self) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
        """Return the lock, None when there is none, or when it cannot be read: then with what is wrong."""
        try:
            return lock.read(self.root), ()
        except CourseError as error:
            return None, error.problems

    @cached_property
    def moves(self) -> Moves:
        """Return what compares the numbers with the lock."""
        return Moves(self.committed, self.ledger)

    @cached_property
    def falsifier(self) -> Falsifier:
        """Return what looks for changes that make claims false."""
        return Falsifier(self.ledger, self.committed["claims"])

    def formula(self, latex: str, name: str, shown: formulas.Show) -> formulas.Formula:
        """Return a display formula with its terms marked.

        Raises:
            CourseError: it does not compile.
        """
        try:
            return formulas.block(latex, name, shown)
        except formulas.FormulaError as error:
            raise CourseError(_formula_problem(latex, error)) from None

    def math(self, latex: str, shown: formulas.Show, *, display: bool) -> str:
        """Return MathML of a formula without terms."""
        try:
            return formulas.block(latex, "", shown).mathml if display else formulas.inline(latex, shown)
        except formulas.FormulaError as error:
            raise CourseError(_formula_problem(latex, error)) from None

    def code_line(self, source: str) -> tuple[str, str]:
        """Return `path:line` and the site URL of a function: "experiments/norms.py rms_norm".

        Raises:
            CourseError: no such file, or no such name in it.
        """
        path, _, name = source.partition(" ")
        file = self.root / path
        if not file.is_file() or file.suffix != ".py":
            raise CourseError(Problem("", 0, f"[[code {source}]]: no Python file {path!r}"))
        try:
            tree = ast.parse(load_text(file, self.root))
        except (SyntaxError, ValueError) as error:
            raise CourseError(author_problem(error, self.root, path, getattr(error, "lineno", 0) or 0)) from None
        names = {
            node.name: node.lineno
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        if name not in names:
            raise CourseError(
                Problem("", 0, f"[[code {source}]]: no function {name!r} in {path}{nearest(name, names)}")
            )
        self.sources.add(path)
        return f"{path}:{names[name]}", source_url(path, names[name])

    def live(self, name: str, options: dict[str, Any], page: PageState, line: int) -> str:
        """Return a live component with its fallback."""
        return livecomponents.render(self, name, livecomponents.Live(self, page, line, options))

    def evolution(self, name: str) -> dict[str, Any]:
        """Return one evolution table of docs/evolution.yml."""
        from course_build.site.evolution import read

        return read(load(self.docs / "evolution.yml", self.root), name)


def _formula_problem(latex: str, error: formulas.FormulaError) -> Problem:
    """Return what is wrong with a formula; the line counts from the formula's first."""
    line = (latex.split("\n") or [""])[error.line]
    near = line[max(0, error.column - 16) : error.column + 24].strip()
    return Problem("", error.line, f"formula does not compile: {error.message} (column {error.column}, near `{near}`)")
