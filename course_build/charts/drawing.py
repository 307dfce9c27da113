"""From a declared figure to its HTML: inputs resolved, the author's function called, the drawing kept in the store."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_build import diagram
from course_build.charts.render import Chart
from course_build.charts.render import render as render_chart
from course_build.errors import CourseError, Problem, nearest
from course_build.facts.evaluate import Ledger
from course_build.facts.inputs import FactInput
from course_build.facts.loading import author_problem
from course_build.figures import FigureDef, Table
from course_build.keys import canonical, digest
from course_build.keys.store import Store


@dataclass(frozen=True)
class Request:
    """A figure about to be drawn, with everything it stands on."""

    definition: FigureDef
    values: dict[str, Any]
    ids: dict[str, str]  # parameter -> fact id or file#/pointer
    key: str
    place: tuple[str, int]


class Figures:
    """The figures that the charts.py files of a course declare."""

    def __init__(self, root: Path, ledger: Ledger, store: Store) -> None:
        self.root = root
        self.ledger = ledger
        self.store = store
        self.parts: dict[str, dict[str, str]] = {}  # figure that was asked for -> what its key is made of
        self.declared: dict[str, FigureDef] = {definition.id: definition for definition in ledger.figures}

    def request(self, name: str, kind: str) -> Request:
        """Resolve a figure's inputs.

        Raises:
            CourseError: no such figure, or an input that cannot be had.
        """
        known = {i: definition for i, definition in self.declared.items() if definition.kind == kind}
        if name not in known:
            raise CourseError(Problem("", 0, f"no {kind} {name!r} in any charts.py{nearest(name, known)}"))
        definition = known[name]
        place = (self.ledger.relative(definition.filename), definition.line)
        try:
            given = self.ledger.resolve(definition)
        except CourseError as error:  # what is wrong with an input has a place of its own, or stands in the signature
            raise CourseError(
                p if p.path else Problem(*place, f"{kind} {name}: {p.text}") for p in error.problems
            ) from None
        values = {parameter: resolved.value for parameter, resolved in given.items()}
        ids = {p: r.fact or "; ".join(leaf.where for leaf in r.leaves) for p, r in given.items()}
        looks = {k: v for k, v in vars(definition).items() if k not in ("function", "filename", "line")}
        parts = {f"input {parameter}": digest(canonical(value)) for parameter, value in values.items()}
        parts |= {f"code {part}": code for part, code in self.ledger.code.parts(definition.function).items()}
        parts["declaration"] = digest(canonical(looks))
        self.parts[name] = parts
        key = digest(kind, name, canonical(parts))
        return Request(definition, values, ids, key, place)

    def call(self, request: Request) -> Any:
        """Call the author's function.

        Raises:
            CourseError: it raised; the problem stands at the author's line.
        """
        try:
            return request.definition.function(**request.values)
        except (Exception, SystemExit) as error:  # the author's own code
            raise CourseError(author_problem(error, self.root, *request.place)) from None

    def chart(self, name: str) -> tuple[FigureDef, Chart]:
        """Return a chart's declaration and its drawing; kept in the store, so that a cached build imports no plotly.

        Raises:
            CourseError: every fault of the figure.
        """
        request = self.request(name, "chart")
        key = digest(request.key, canonical(self.ledger.code.parts(render_chart)))
        stored = self.store.get(key)
        if stored is not None:
            html, script, texts = json.loads(stored)
            return request.definition, Chart(html, tuple(script) if script else None, tuple(texts))
        chart = render_chart(request.definition, self.call(request), request.values, request.ids, request.place)
        kept = [chart.html, chart.script, chart.texts]
        if not self.ledger.code.changed():
            self.store.put(key, json.dumps(kept, ensure_ascii=False).encode())
        return request.definition, chart

    def diagram(self, name: str) -> tuple[FigureDef, str]:
        """Return a diagram's declaration and its SVG panels."""
        request = self.request(name, "diagram")
        return request.definition, diagram.render(request.definition, self.call(request), request.place)

    def table(self, name: str) -> tuple[FigureDef, Table]:
        """Return a table's declaration and its rows."""
        request = self.request(name, "table")
        made = self.call(request)
        if not isinstance(made, Table):
            raise CourseError(Problem(*request.place, f"table {name} must return a Table (seen {type(made).__name__})"))
        return request.definition, made

    def numbers(self, definition: FigureDef) -> list[str]:
        """Return the ids of the ledger's numbers that a figure draws from."""
        facts = {declared.name for declared in definition.inputs.values() if isinstance(declared, FactInput)}
        return [record.id for record in self.ledger.records.values() if facts & {record.id, record.owner}]
