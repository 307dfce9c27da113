"""The lesson on normalization: its figures recounted by other means, its sections, its claims, its promises."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from course_build.evidence import Kind
from course_build.site.course import Course
from tests.courses import convert

ROOT = Path(__file__).resolve().parents[1]
LESSON = ROOT / "docs/c4/03-normalization"
URL = "c4/03-normalization/index.html"
SECTIONS = ["①", "②", "③", "④", "⑤", "⑥", "⑦", "⑧", "⑨", "⑩"]
MOST_LITERALS = 25


@pytest.fixture(scope="module")
def course() -> Course:
    """Return the project's own course, read once."""
    return Course.read(ROOT)


@pytest.fixture(scope="module")
def html(course: Course) -> str:
    """Return the lesson as the extension converts it."""
    source = (LESSON / "index.md").read_text(encoding="utf-8")
    front, _, text = source.removeprefix("---\n").partition("\n---\n")
    return convert(course, text, path="docs/c4/03-normalization/index.md", url=URL, offset=front.count("\n") + 3)


def shown(course: Course, name: str) -> str:
    """Return a ledger number as the page prints it."""
    return str(course.ledger.record(name).text)


FIGURES = {
    "anchor.norm.main": "660,480",
    "anchor.norm.main_share": "0.0024%",
    "anchor.norm.main_share_text": "0.0025%",
    "anchor.norm.text": "674,816",
    "anchor.norm.text_share": "0.0024%",
    "anchor.norm.all": "827,648",
    "anchor.norm.all_share": "0.0030%",
    "anchor.total": "27,781,427,952",
    "anchor.text": "26,895,998,464",
    "anchor.ffn_share": "61.6%",
    "anchor.ffn_share_text": "63.6%",
    "anchor.q_proj": "12,288",
    "norm.radius": "71.55",
    "norm.stream.std": "11.36",
    "norm.stream.writes_std": "11.31",
    "norm.sim.residual.ratio": "20.4",
    "norm.sim.residual.rms": "6.3",
    "norm.sim.norm.ratio": "3.5",
    "norm.sim.norm.rms": "4.3",
    "norm.sim.scaled.ratio": "0.97",
    "norm.sim.scaled.rms": "1.1",
    "norm.decay.standard": "0.335",
    "norm.decay.zero_centered": "1.112",
    "norm.rms.rms": "3.536",
    "norm.rms.out": "[0.283, 0.566, 0.849, 1.697]",
    "norm.shifted.rms": "5.339",
    "norm.shifted.out": "[0.562, 0.749, 0.937, 1.499]",
    "norm.scaled.rms": "10.607",
    "frontier.deepseek67b.ffn": "22,016",
    "frontier.deepseek67b.ratio": "2.6875",
    "block.swiglu_out": "99.995",
    "recipe.init_out": "0.00707",
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_of_the_source_is_printed(course: Course, html: str, name: str) -> None:
    """What the lesson's source got right stands in the page, from the ledger, in the same digits."""
    assert shown(course, name) == FIGURES[name]
    assert f'data-id="{name}"' in html


def test_the_page_converts_without_an_error_of_its_own(course: Course, html: str) -> None:
    """No unknown id, typed numeral, bad block or false claim stands in the lesson."""
    assert [str(problem) for problem in course.pages["docs/c4/03-normalization/index.md"].problems] == []
    words = re.sub(r"<[^>]*>", "", html)
    assert "[[" not in words
    assert "**" not in words


def test_ten_sections_in_order(html: str) -> None:
    """The sections ① to ⑩ follow each other, each with an ASCII id."""
    headings = re.findall(r'<h2 id="([a-z-]+)">(.)', html)
    assert [mark for _, mark in headings] == SECTIONS
    assert len({name for name, _ in headings}) == len(SECTIONS)


def test_few_literals(course: Course, html: str) -> None:
    """The lesson declares at most 25 typed numbers, each with its reason."""
    literals = course.pages["docs/c4/03-normalization/index.md"].literals
    assert len(literals) <= MOST_LITERALS
    assert all(literal.why for literal in literals)


def test_promises_name_their_lessons(course: Course, html: str) -> None:
    """Every deferred question has a target, and the ones that the source defers are there."""
    page = course.pages["docs/c4/03-normalization/index.md"]
    found = {promise.id: promise.target for promise in page.promises}
    assert found["norm.p.warmup"] == "c8/02"
    assert {"c4/04", "c8", "c9", "c11"} <= set(found.values())


def test_the_evolution_map_marks_this_lesson(html: str) -> None:
    """Four parts by five generations; the row of normalization is marked, once."""
    table = html[html.index('<table class="evolution-table"') :]
    table = table[: table.index("</table>")]
    assert len(re.findall("<tr", table)) == 1 + 4
    assert len(re.findall('<th scope="col"', table)) == 1 + 5
    assert re.findall('<tr class="here">.*?<th scope="row">([^<]+)<', table, re.DOTALL) == ["归一化"]


# -- recounted by other means ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def anchor() -> dict[str, Any]:
    """Return the anchor's config."""
    found: dict[str, Any] = json.loads((ROOT / "experiments/configs/anchor-model.json").read_text(encoding="utf-8"))
    return found


def test_norm_parameters_by_hand(course: Course, anchor: dict[str, Any]) -> None:
    """Main path, q and k, DeltaNet: counted from the config's keys alone."""
    text = anchor["text_config"]
    full = sum(kind == "full_attention" for kind in text["layer_types"])
    main = (text["num_hidden_layers"] * 2 + 1) * text["hidden_size"]
    qk = full * 2 * text["head_dim"]
    delta = (text["num_hidden_layers"] - full) * text["linear_value_head_dim"]
    values = [course.ledger.record(f"anchor.norm.{part}").value for part in ("main", "qk", "gdn", "text")]
    assert values == [main, qk, delta, main + qk + delta]


def test_zero_centered_places(course: Course) -> None:
    """Input, post-attention, final, q and k are stored as w; the DeltaNet's norm is not."""
    found = {
        r.id.rpartition(".")[2]: r.value
        for r in course.ledger.records.values()
        if r.id.startswith("anchor.norms.zero_centered.")
    }
    assert found == {"input": True, "post_attention": True, "final": True, "q": True, "k": True, "delta": False}


def test_batch_norm_by_numpy(course: Course) -> None:
    """The batch-mate example, recounted by numpy column by column."""
    batch = json.loads((LESSON / "toy.json").read_text(encoding="utf-8"))["batch"]
    own = np.array(batch["sentence"]["vectors"], float)
    apple = own[batch["sentence"]["words"].index(batch["token"])]
    mates = {mate["id"]: np.array(mate["vectors"], float) for mate in batch["mates"]}
    cases = {"own": own, "a": np.vstack([own, mates["a"]]), "b": np.vstack([own, mates["b"]])}
    for name, rows in cases.items():
        expected = (apple - rows.mean(0)) / np.sqrt(rows.var(0) + batch["eps"])
        assert course.ledger.record(f"norm.batch.{name}.bn").value == pytest.approx(expected.tolist())
    assert course.ledger.record("norm.batch.one.bn").value == [0, 0, 0, 0]


def test_decay_step_by_step(course: Course) -> None:
    """Two gains decayed one step after the other end where the page says."""
    lr, decay = (course.ledger.record(f"norm.decay.{key}").value for key in ("lr", "wd"))
    gain = stored = course.ledger.record("norm.decay.gain").value
    distance = gain - 1
    for _ in range(course.ledger.record("norm.decay.steps").value):
        stored -= lr * decay * stored
        distance -= lr * decay * distance
    assert stored == pytest.approx(course.ledger.record("norm.decay.standard").value)
    assert 1 + distance == pytest.approx(course.ledger.record("norm.decay.zero_centered").value)


def test_layer_norm_is_rms_norm_of_the_centred_vector(course: Course) -> None:
    """The identity that the lesson calls proved, on its own example."""
    x = np.array(course.ledger.record("norm.toy.x").value, float)
    centred = x - x.mean()
    expected = centred / math.sqrt((centred**2).mean())
    assert course.ledger.record("norm.ln.out").value == pytest.approx(expected.tolist())


# -- evidence ------------------------------------------------------------------------------------------

KINDS = {
    "anchor.norm.main": Kind.COMPUTED,
    "norm.sim.norm.ratio": Kind.SIMULATED,
    "norm.seeds.norm.ratio_p50": Kind.SIMULATED,
    "norm.rms.out": Kind.CONSTRUCTED,
    "norm.decay.standard": Kind.CONSTRUCTED,
    "paper.zhang2019.speedup_low": Kind.REPORTED,
}


@pytest.mark.parametrize("name", KINDS)
def test_a_number_says_how_it_is_known(course: Course, name: str) -> None:
    """The kind shown is the weakest of the number's inputs."""
    assert course.ledger.record(name).kind is KINDS[name]


def test_every_reported_figure_has_a_place() -> None:
    """Each figure of papers.json names value, unit, place and note; each paper a title and where to find it."""
    papers = json.loads((ROOT / "experiments/configs/papers.json").read_text(encoding="utf-8"))
    for name, paper in papers.items():
        assert paper["title"], name
        assert paper["ref"], name
        assert paper["url"].startswith("https://") or name == "source2026"
        for figure in paper["figures"].values():
            assert set(figure) == {"value", "unit", "where", "note"}
            assert figure["where"], name


def test_all_claims_hold(course: Course) -> None:
    """Each claim of the course is true of the committed data."""
    assert [name for name in course.ledger.claims if not course.judge(name).true] == []
