"""Change every input value by one step: each number moves as an independent recount says, or does not depend on it.

Three judges who know nothing of each other: the generator (tests/recount.py shares no line with it), the recount, and
the values followed while they are read (tests/traced.py). What a fact declares is believed by none of them.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from course_build.errors import CourseError
from course_build.expr.claims import evaluate_claim
from course_build.facts.evaluate import Ledger
from course_build.facts.record import Record
from course_build.facts.suppose import Suppose, reread
from course_build.files.typed import put, walk
from course_build.keys.store import Store
from tests import recount
from tests.traced import Tracer

ROOT = Path(__file__).parents[1]
ANCHOR = "experiments/configs/anchor-model.json"
TOY = "docs/c4/03-normalization/toy.json"
PAPERS = "experiments/configs/papers.json"
RECIPE = "experiments/configs/recipes/pre-rms.json"
RUN = "experiments/runs/pre-rms-s1/run.json"
OTHER = {"linear_attention": "full_attention", "full_attention": "linear_attention"}


def read(path: str) -> Any:
    """Return a data file of the project."""
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def evaluated(root: Path, store: Path) -> Ledger:
    """Return the ledger of a project."""
    ledger = Ledger(root, Store(store))
    ledger.load(root / "docs")
    ledger.evaluate()
    return ledger


def scalars(data: Any, pointer: str = "") -> Iterator[str]:
    """Yield the pointer of every number, text and truth."""
    if isinstance(data, dict | list):
        for key, member in data.items() if isinstance(data, dict) else enumerate(data):
            yield from scalars(member, f"{pointer}/{key}")
    elif data is not None:
        yield pointer


def step(value: Any) -> Any:
    """Return the next value: one up, a percent up, the other truth, the other kind of layer, another text."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return OTHER.get(value, value + "′")
    return value + 1 if isinstance(value, int) else value * 1.01


def mutations(path: str) -> Iterator[dict[str, Any]]:
    """Yield pointer -> new value, for every scalar of a file; a further layer comes with its kind."""
    data = read(path)
    for pointer in scalars(data):
        yield {pointer: step(walk(data, pointer))}
    if path == ANCHOR:
        kinds = data["text_config"]["layer_types"]
        for kind in OTHER:
            yield {"/text_config/num_hidden_layers": len(kinds) + 1, "/text_config/layer_types": [*kinds, kind]}


def same(a: Any, b: Any) -> bool:
    """Tell whether two values are equal up to the rounding of a different order of operations."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return bool(abs(a - b) <= 1e-11 * max(1, abs(a)))
    return bool(a == b)


@dataclass
class Judged:
    """The project with all that judges it."""

    ledger: Ledger

    @cached_property
    def suppose(self) -> Suppose:
        """Return what gives ledgers over other values."""
        return Suppose(self.ledger)

    @cached_property
    def tracer(self) -> Tracer:
        """Return the ledger's facts over values that are followed."""
        return Tracer(self.ledger, [ANCHOR, TOY])

    def standing_on(self, path: str) -> list[str]:
        """Return the numbers that stand on a file."""
        records = self.ledger.records.values()
        return [record.id for record in records if any(leaf.path == path for leaf in record.leaves)]

    def counted(self, path: str, change: dict[str, Any]) -> dict[str, Any]:
        """Return the recount after a change."""
        data = read(path)
        for pointer, value in change.items():
            data = put(data, pointer, value)
        return recount.anchor(data) if path == ANCHOR else recount.toy(data, read(RECIPE)["values"])


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Return the project, evaluated once; nothing is written into it."""
    return Judged(evaluated(ROOT, tmp_path_factory.mktemp("store")))


@pytest.mark.parametrize("path", [ANCHOR, TOY])
def test_the_recount_knows_every_number(judged: Judged, path: str) -> None:
    """None that stands on the file is left out, none is invented, and all agree as the files are."""
    counted = judged.counted(path, {})
    assert set(counted) == set(judged.standing_on(path))
    assert [name for name, value in counted.items() if not same(judged.ledger.records[name].value, value)] == []


@pytest.mark.parametrize("path", [ANCHOR, TOY])
def test_following_values_changes_none(judged: Judged, path: str) -> None:
    """A traced computation gives what the ledger says."""
    names = judged.standing_on(path)
    assert [name for name in names if judged.tracer.value(name) != judged.ledger.records[name].value] == []


@pytest.mark.parametrize("path", [ANCHOR, TOY])
def test_every_step_moves_what_depends_on_it_and_nothing_else(judged: Judged, path: str) -> None:
    """For each value of the file: the numbers are what the recount says, and only those that read it move."""
    names = judged.standing_on(path)
    wrong, moved, refused = [], set(), 0
    for change in mutations(path):
        other = judged.suppose({f"{path}#{pointer}": value for pointer, value in change.items()})
        try:
            expected = judged.counted(path, change)
        except recount.RefusedError:
            refused += 1
            expected = {}  # nothing is left out: what refuses a model decides of numbers that read other keys
            other = judged.ledger.supposing({path: change}, {judged.ledger.records[name].owner for name in names})
        for name in {*names, *expected}:
            verdict = judge(judged, other, name, path, change, expected)
            wrong += [f"{change}: {name} {verdict}"] if verdict else []
            moved |= {name} if moves(judged, other, name) else set()
        if not expected:
            assert any(key.rpartition("/")[2] in str(p) or path in str(p) for p in other.problems for key in change)
    assert wrong == []
    assert refused <= 5  # the model's kind, two flags with unknown tensors, a layer without a kind, the token's name
    unmoved = {name for name in names if name not in moved and not still(judged.ledger.records[name])}
    assert not unmoved, "a number that no step moves stands on nothing"


def still(record: Record) -> bool:
    """Tell whether a number is the architecture's or a law's, which no step of a value moves."""
    single = ".copies." in record.id and record.value == 1
    return single or ".zero_centered." in record.id or record.id in STILL


STILL = {
    "anchor.writes", "anchor.ffn.matrices",  # two sublayers a layer, three matrices a SwiGLU
    "anchor.layer_kinds", "params.rank.first", "params.rank.second", "params.rank.last",  # not by a single step
    *(f"model.qwen.{word}" for word in ("norm", "qk", "delta", "latent", "vision", "stream", "clamp")),
    "norm.batch.one_largest", "norm.batch.rms_moved", "norm.batch.ln_moved", "norm.batch.one.bn",  # laws
    "norm.scaled.moved.rms", "norm.scaled.moved.ln", "norm.shifted.moved.ln",  # zero whatever the vector
    "norm.toy.n", "norm.toy.radius", "norm.batch.own.tokens", "norm.batch.one.tokens",  # lengths of lists
    "norm.batch.a_padded.tokens", "norm.batch.b_padded.tokens",
}  # fmt: skip


def moves(judged: Judged, other: Ledger, name: str) -> bool:
    """Tell whether a number is another than before, and both can be evaluated."""
    if name not in judged.ledger.records or name not in other.records:
        return False
    return not same(judged.ledger.records[name].value, other.records[name].value)


def judge(judged: Judged, other: Ledger, name: str, path: str, change: dict[str, Any], expected: dict[str, Any]) -> str:
    """Return what is wrong with one number after a change, "" when all judges agree."""
    try:
        value = other.record(name).value
    except CourseError:
        return "cannot be evaluated" if name in expected else ""
    if expected and name not in expected:
        return "is gone by the recount"
    if expected and not same(value, expected[name]):
        return f"is {value!r}, the recount says {expected[name]!r}"
    if name not in judged.ledger.records:
        return ""
    origins = judged.tracer.origins(name)
    reads = any(f"{place}/".startswith(f"{path}#{pointer}/") for place in origins for pointer in change)
    if moves(judged, other, name) and not reads:
        return "moves, and was not seen to read it"
    if not expected and reads and not moves(judged, other, name):
        return "stands, though it reads what cannot be counted"
    return ""


def test_every_claim_is_made_false_by_a_change_of_an_input(judged: Judged) -> None:
    """The changes that the lock holds, applied to the files' values, give the opposite; laws have none."""
    committed = read("docs/ledger.json")["claims"]
    for name, claim in judged.ledger.claims.items():
        assert (name in committed) != bool(claim.law), name
        if not claim.law:
            other = judged.suppose(committed[name]["changes"][0])
            assert not evaluate_claim(claim.expression, lambda id, other=other: other.record(id).value).true, name  # type: ignore[misc]


def test_a_law_survives_every_step(judged: Judged) -> None:
    """No step of a constructed value makes a law false."""
    laws = [claim for claim in judged.ledger.claims.values() if claim.law]
    for change in mutations(TOY):
        other = judged.suppose({f"{TOY}#{pointer}": value for pointer, value in change.items()})
        for law in laws:
            try:
                verdict = evaluate_claim(law.expression, lambda id, other=other: other.record(id).value)  # type: ignore[misc]
            except CourseError:
                continue  # refused: a token that is not in its sentence
            assert verdict.true, (law.id, change)


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of what facts are made of."""
    root = tmp_path_factory.mktemp("copy") / "main"
    for folder in ("docs", "experiments", "course_build"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.mark.parametrize(
    ("path", "pointer"),
    [
        (ANCHOR, "/text_config/hidden_size"),
        (TOY, "/batch/sentence/vectors/2/3"),
        (RECIPE, "/values/lr"),
        (PAPERS, "/shazeer2020/figures/gelu/value"),
        (RUN, "/summary/final_loss"),
    ],
)
def test_supposing_is_editing(judged: Judged, copied: Path, path: str, pointer: str) -> None:
    """What is computed for a supposed value is what a build finds after the edit, with the cache of the time before."""
    store = copied / ".cache/course"
    old = evaluated(copied, store)
    file = copied / path
    before = file.read_bytes()
    data = json.loads(before)
    value = step(walk(data, pointer))
    try:
        file.write_text(json.dumps(put(data, pointer, value), ensure_ascii=False), encoding="utf-8")
        edited = evaluated(copied, store)
        again = reread(old, [path])
    finally:
        file.write_bytes(before)
    supposed = judged.suppose({f"{path}#{pointer}": value})
    for name, record in edited.records.items():
        assert (supposed.record(name).value, supposed.record(name).text) == (record.value, record.text), name
    if path in (RECIPE, RUN):  # read from the beginning: a run may be stale now
        assert again is None
    else:
        assert again is not None
        assert again.records == edited.records
