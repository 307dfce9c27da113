"""What facts stand on: files, models and runs, each opened once a build."""

from __future__ import annotations

from pathlib import Path

from course_build.errors import Problem
from course_build.evidence import Kind
from course_build.files.source import Source, load
from course_build.params import Inventory, Selection, inventory
from course_build.recording.runs import Run, load_run


class Ground:
    """Opens what inputs ask for; remembers what was opened, and every problem found on the way."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.sources: dict[str, Source] = {}
        self.runs: dict[str, Run] = {}
        self.problems: list[Problem] = []
        self._models: dict[tuple[str, str], Inventory] = {}

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

    def select(self, path: str, pointer: str, kind: Kind, **filters: str | None) -> Selection:
        """Return a part of a model's parameters."""
        return self.open_model(path, pointer, kind).select(**filters)

    def open_run(self, name: str) -> Run:
        """Return a recorded run; a stale one is a problem, said once."""
        if name not in self.runs:
            recorded = load_run(self.root, name)
            if recorded.problem:
                self.problems.append(recorded.problem)
            self.runs[name] = recorded
        return self.runs[name]
