"""What a run would be made of now: recipe values, seed, corpus, code, library versions.

    plan(root, name)        the plan of one run, or a CourseError that names the nearest
    all_plans(root)         every run that the project's recipes and lab pages ask for

A run of recipe R with seed 3 is called R-s3; a recipe without seeds gives one run of its own name; a lab page
docs/c1/02-topic/lab.py gives lab-topic.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from course_build.errors import CourseError, Problem, nearest
from course_build.evidence import Kind
from course_build.files.source import Reader, Source, load, load_text
from course_build.files.textfile import is_there
from course_build.recording.code import data_digest, distributions, module_digests, strings, text_digest, version

RECIPES = "experiments/configs/recipes"
PRESETS = "experiments/configs/presets.json"
CORPUS = "experiments/configs/corpus.json"
OUTCOMES = "experiments/configs/outcomes.json"
EXPECTATIONS = ("trains", "stuck", "diverged", "varies")


@dataclass(frozen=True)
class KindOfRun:
    """What the runs of one kind have in common."""

    module: str  # run as `python -m`, a job on stdin, records on stdout
    schema: str  # dataclass in experiments.recipe; "" = no values
    evidence: Kind
    corpus: bool = False


KINDS = {
    "training": KindOfRun("experiments.train", "Recipe", Kind.MEASURED, corpus=True),
    "bands": KindOfRun("experiments.seeds", "Bands", Kind.SIMULATED),
    "bench": KindOfRun("experiments.bench", "Bench", Kind.MEASURED),
    "lab": KindOfRun("course_build.recording.notebook", "", Kind.MEASURED),
}


@dataclass(frozen=True)
class Plan:
    """One run as it would be made now."""

    name: str
    kind: str
    path: str  # the recipe or lab page, POSIX, relative to the project
    recipe: str
    values: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    depends: dict[str, str | None] = field(default_factory=dict)  # what else: digest or version; None: not here
    expect: str | None = None
    preset: str | None = None

    @property
    def parts(self) -> dict[str, Any]:
        """Return everything the key is made of, flat: one entry per thing that can change."""
        return {**self.values, **self.own_parts}

    @property
    def own_parts(self) -> dict[str, Any]:
        """Return the key's parts beside the recipe's values."""
        return {**({} if self.seed is None else {"seed": self.seed}), **self.depends}


Depends = dict[str, dict[str, str | None]]  # kind of run -> what its code and data depend on


def plan(root: Path, name: str, preset: str | None = None) -> Plan:
    """Return the plan of run `name`."""
    stem, _, seed = name.rpartition("-s")
    if stem and seed.isdigit() and (root / RECIPES / f"{stem}.json").is_file():
        found = {each.name: each for each in recipe_plans(root, f"{RECIPES}/{stem}.json", preset)}
    elif (root / RECIPES / f"{name}.json").is_file():
        found = {each.name: each for each in recipe_plans(root, f"{RECIPES}/{name}.json", preset)}
    else:
        found = {each.name: each for each in lab_plans(root)}
    if name not in found:
        known = sorted({*found, *(each.name for each in all_plans(root))})
        raise CourseError(Problem(RECIPES, 0, f"no recipe gives a run {name!r}{nearest(name, known)}"))
    return found[name]


def all_plans(root: Path, preset: str | None = None) -> list[Plan]:
    """Return all plans, ordered by name; recipes that are not well-formed are reported together."""
    plans: list[Plan] = []
    problems: list[Problem] = []
    depends: Depends = {}
    for path in sorted((root / RECIPES).glob("*.json")):
        try:
            plans += recipe_plans(root, path.relative_to(root).as_posix(), preset, depends)
        except CourseError as error:
            problems += error.problems
    if problems:
        raise CourseError(problems)
    return plans + lab_plans(root)


def recipe_plans(root: Path, path: str, preset: str | None = None, known: Depends | None = None) -> list[Plan]:
    """Return the plans of one recipe file, one per seed; `known` keeps what all recipes of a kind depend on."""
    source = load(path, root)
    reader = source.reader()
    _refuse_unknown(source, "", {"kind", "title", "why", "expect", "seeds", "values"})
    kind = reader.read("/kind", str, choices=[k for k in KINDS if k != "lab"], default="training")
    for key in ("/title", "/why"):
        reader.read(key, str)
    expect = None
    if kind == "training":
        expect = reader.read("/expect", str, choices=EXPECTATIONS)
    seeds = reader.read("/seeds", list[int], minimum=0, maximum=2**31) if kind == "training" else [None]
    values = _values(root, source, KINDS[kind].schema, preset, kind)
    known = {} if known is None else known
    depends = known[kind] if kind in known else known.setdefault(kind, _depends(root, KINDS[kind]))
    recipe = Path(path).stem
    return [
        Plan(
            name=recipe if seed is None else f"{recipe}-s{seed}",
            kind=kind, path=path, recipe=recipe, values=values, seed=seed, depends=depends, expect=expect,
            preset=preset,
        )
        for seed in seeds
    ]  # fmt: skip


def lab_plans(root: Path) -> list[Plan]:
    """Return one plan per docs/**/lab.py: its text as it stands, for comments are shown, and the data it names."""
    plans = []
    for path in sorted((root / "docs").rglob("lab.py")):
        entry = path.relative_to(root).as_posix()
        modules = module_digests(root, entry)
        text = load_text(entry, root)
        read = {name: data_digest(root, name) for name in strings(text) if (root / name).is_file()}
        libraries = distributions(root, modules) | {"mkdocs_jupyter": version("mkdocs_jupyter")}
        depends = modules | libraries | {entry: text_digest(text)} | read
        name = lab_name(path.parent.name)
        plans.append(Plan(name=name, kind="lab", path=entry, recipe=name, depends=depends))
    return plans


def lab_name(folder: str) -> str:
    """Return the run's name for a lesson's folder: 02-topic gives lab-topic."""
    return f"lab-{re.sub(r'^[0-9]+-', '', folder)}"


def _depends(root: Path, kind: KindOfRun) -> dict[str, str | None]:
    modules = module_digests(root, f"{kind.module.replace('.', '/')}.py")
    corpus = {"corpus": load(CORPUS, root).read("/file_sha256", str)} if kind.corpus else {}
    return corpus | modules | distributions(root, modules)


def _values(root: Path, source: Source, schema: str, preset: str | None, kind: str) -> dict[str, Any]:
    """Return /values with the preset's in their place, checked against a dataclass of experiments.recipe."""
    from experiments import recipe as schemas

    hints = _hints(schema)
    values = _checked(source, "/values", hints)
    if preset is not None:
        values |= _sizes(load(PRESETS, root), preset, kind, hints)
    try:
        getattr(schemas, schema)(**values)
    except ValueError as error:
        raise CourseError(source.problem("/values", str(error))) from None
    return values


def check_presets(root: Path) -> list[Problem]:
    """Return what is wrong with presets.json: no build reads it, and a recording would stop at it."""
    if not is_there(root / PRESETS):
        return []
    try:
        presets = load(PRESETS, root)
        names = list(presets.read("", dict))
    except CourseError as error:
        return list(error.problems)
    problems: list[Problem] = []
    for preset in names:
        try:
            _refuse_unknown(presets, f"/{preset}", {name for name, kind in KINDS.items() if kind.schema})
            for kind in presets.read(f"/{preset}", dict):
                _sizes(presets, preset, kind, _hints(KINDS[kind].schema))
        except CourseError as error:
            problems += error.problems
    return problems


def _hints(schema: str) -> dict[str, Any]:
    """Return the types of a recipe's values, with their limits."""
    from experiments import recipe as schemas

    return _hints_of(getattr(schemas, schema))


@cache
def _hints_of(schema: type) -> dict[str, Any]:
    return get_type_hints(schema, include_extras=True)


def _sizes(presets: Source, preset: str, kind: str, hints: dict[str, Any]) -> dict[str, Any]:
    """Return the values that a preset has for one kind of run."""
    if kind not in presets.read(f"/{preset}", dict):
        return {}
    pointer = f"/{preset}/{kind}"
    members = presets.read(pointer, dict)
    _refuse_unknown(presets, pointer, set(hints))
    return _checked(presets, pointer, {name: hint for name, hint in hints.items() if name in members})


def _checked(source: Source, pointer: str, hints: dict[str, Any]) -> dict[str, Any]:
    """Return the object at `pointer`, every member typed and in range; all faults at once."""
    _refuse_unknown(source, pointer, set(hints))
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    reader = source.reader(pointer)
    for name, hint in hints.items():
        try:
            values[name] = _read(reader, f"/{name}", hint)
        except CourseError as error:
            problems += error.problems
    if problems:
        raise CourseError(problems)
    return values


def _read(reader: Reader, pointer: str, hint: Any) -> Any:
    if get_origin(hint) is Annotated:
        kind, limits = get_args(hint)
        return reader.read(pointer, kind, minimum=limits.minimum, maximum=limits.maximum)
    if get_origin(hint) is Literal:
        return reader.read(pointer, str, choices=get_args(hint))
    return reader.read(pointer, hint)


def _refuse_unknown(source: Source, pointer: str, known: set[str]) -> None:
    """Raise unless the object at `pointer` has only known keys: a misspelt one must not be ignored."""
    unknown = [key for key in source.read(pointer, dict) if key not in known]
    if unknown:
        raise CourseError(source.problem(f"{pointer}/{key}", f"unknown key{nearest(key, known)}") for key in unknown)
