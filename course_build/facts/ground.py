"""What facts stand on: files, models and runs, each opened once a build."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from course_build.errors import CourseError, Problem
from course_build.evidence import Kind
from course_build.files.source import Source, load
from course_build.params import Inventory, Selection, inventory
from course_build.recording.plans import Plan, all_plans
from course_build.recording.runs import Run, load_run

Opened = TypeVar("Opened", Source, Run)


class Ground:
    """Opens what inputs ask for; remembers what was opened, and every problem found on the way."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.sources: dict[str, Source] = {}
        self.runs: dict[str, Run] = {}
        self.problems: list[Problem] = []
        self._models: dict[tuple[str, str], Inventory] = {}

    def supposing(self, changes: Mapping[str, Mapping[str, Any]]) -> Ground:
        """Return the ground as it would be with other values: path -> pointer -> value."""
        other = Ground(self.root)
        other.sources = {path: self._supposed(source, changes) for path, source in self.sources.items()}
        other.runs = {name: self._supposed(run, changes) for name, run in self.runs.items()}
        other._models = {where: model for where, model in self._models.items() if where[0] not in changes}
        return other

    @staticmethod
    def _supposed(opened: Opened, changes: Mapping[str, Mapping[str, Any]]) -> Opened:
        values = changes.get(opened.path)
        return opened.supposing(values) if values else opened

    def open_source(self, path: str, kind: Kind) -> Source:
        """Return a data file."""
        if path not in self.sources:
            self.sources[path] = load(self.root / path, self.root, kind)
        return self.sources[path]

    def open_model(self, path: str, pointer: str, kind: Kind) -> Inventory:
        """Return a model's inventory; `pointer` says where in the file its config stands."""
        if (path, pointer) not in self._models:
            self._models[path, pointer] = inventory(self.open_source(path, kind), pointer)
        return self._models[path, pointer]

    @cached_property
    def plans(self) -> dict[str, Plan]:
        """Return all planned runs by name; none when a recipe is broken, which then only its own runs report."""
        try:
            return {each.name: each for each in all_plans(self.root)}
        except CourseError:
            return {}

    def select(self, path: str, pointer: str, kind: Kind, **filters: str | None) -> Selection:
        """Return a part of a model's parameters."""
        return self.open_model(path, pointer, kind).select(**filters)

    def open_run(self, name: str) -> Run:
        """Return a recorded run; a stale one is a problem, said once."""
        if name not in self.runs:
            recorded = load_run(self.root, name, self.plans.get(name))
            if recorded.problem:
                self.problems.append(recorded.problem)
            self.runs[name] = recorded
        return self.runs[name]
