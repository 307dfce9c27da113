"""The sentences of the course are bound: another model, a changed value, and the sentences that no longer hold say so.

Nothing is written: every change is supposed (facts.suppose) and judged in this process.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from course_build.errors import CourseError
from course_build.expr.claims import ClaimError, evaluate_claim
from course_build.facts.evaluate import Ledger
from course_build.facts.suppose import Suppose
from course_build.keys.store import Store
from course_build.site.course import Course
from tests.courses import convert

ROOT = Path(__file__).resolve().parents[1]
LESSON = "docs/c4/03-normalization"
ANCHOR = "experiments/configs/anchor-model.json"
FRONTIER = "experiments/configs/frontier-models.json"
PAPERS = "experiments/configs/papers.json"
RUNS = "experiments/runs"


@pytest.fixture(scope="module")
def suppose(tmp_path_factory: pytest.TempPathFactory) -> Suppose:
    """Return what gives the course's ledger over other values."""
    ledger = Ledger(ROOT, Store(tmp_path_factory.mktemp("store")))
    ledger.load(ROOT / "docs")
    ledger.evaluate()
    return Suppose(ledger)


def model(name: str) -> dict[str, Any]:
    """Return a config of frontier-models.json."""
    found: dict[str, Any] = json.loads((ROOT / FRONTIER).read_text(encoding="utf-8"))[name]
    return found


def judged(ledger: Ledger, names: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return the claims that are false, and those that have nothing to speak of."""
    false, lost = set(), set()
    for name in names:
        try:
            verdict = evaluate_claim(ledger.claims[name].expression, lambda id: ledger.record(id).value)
        except (CourseError, ClaimError):
            lost.add(name)
            continue
        if not verdict.true:
            false.add(name)
    return false, lost


def false_after(suppose: Suppose, changes: dict[str, Any]) -> set[str]:
    """Return the claims that a change makes false; none may be lost."""
    false, lost = judged(suppose(changes), suppose.ledger.claims)
    assert lost == set()
    return false


# -- another model in the anchor's place ---------------------------------------------------------------

SWAPS: dict[str, tuple[str, str]] = {  # false; nothing to speak of
    "llama-3-8b": (
        "anchor.c.named anchor.c.norm anchor.c.query_gate model.c.history norm.c.same_share params.c.rank",
        "anchor.c.elsewhere anchor.c.silu anchor.c.two_kinds norm.c.eps_differ",
    ),
    "qwen3-0.6b": (
        "anchor.c.ffn_most anchor.c.named anchor.c.norm anchor.c.query_gate anchor.c.untied model.c.history"
        " norm.c.negligible norm.c.same_share params.c.rank",
        "anchor.c.elsewhere anchor.c.silu anchor.c.two_kinds norm.c.eps_differ",
    ),
    "gpt2": (
        "anchor.c.block anchor.c.ffn_most anchor.c.named anchor.c.norm anchor.c.untied model.c.history"
        " norm.c.negligible norm.c.same_share params.c.rank",
        "anchor.c.elsewhere anchor.c.query_gate anchor.c.silu anchor.c.two_kinds norm.c.eps_differ",
    ),
    "kimi-k3": (
        "anchor.c.block anchor.c.ffn_most anchor.c.named anchor.c.norm anchor.c.query_gate anchor.c.silu"
        " model.c.history norm.c.eps_differ norm.c.same_share params.c.rank",
        "anchor.c.elsewhere anchor.c.two_kinds",
    ),
    "qwen3.8-flash-next": (
        "anchor.c.ffn_most anchor.c.named norm.c.same_share params.c.rank",
        "anchor.c.block",
    ),
}


@pytest.mark.parametrize("name", SWAPS)
def test_another_model_makes_the_sentences_on_the_anchor_false(suppose: Suppose, name: str) -> None:
    """Each claim on the anchor that is not so of the other model is false, or has nothing to speak of."""
    other = suppose({f"{ANCHOR}#": model(name)})
    false, lost = SWAPS[name]
    assert judged(other, suppose.ledger.claims) == (set(false.split()), set(lost.split()))


@pytest.mark.parametrize("name", json.loads((ROOT / FRONTIER).read_text(encoding="utf-8")))
def test_what_a_model_lacks_is_said_in_words(suppose: Suppose, name: str) -> None:
    """No fact ends with an index, a division or an attribute of Python's, and none says only `no such thing`."""
    other = suppose({f"{ANCHOR}#": model(name)})
    other.evaluate()
    said = [str(problem) for problem in other.problems]
    raw = (
        "IndexError",
        "ZeroDivisionError",
        "AttributeError",
        "KeyError",
        "TypeError",
        "StopIteration",
        "does not hold",
    )
    assert [text for text in said if any(word in text for word in (*raw, "no such thing"))] == []


def test_a_model_without_the_trait_is_told_which(suppose: Suppose) -> None:
    """`derived` names what it looked for and did not find."""
    other = suppose({f"{ANCHOR}#": model("gpt-oss-20b")})
    other.evaluate()
    assert "a gpt_oss model has no traits.d_ff" in " ".join(problem.text for problem in other.problems)


def test_the_page_marks_the_sentences_that_name_the_anchor(suppose: Suppose) -> None:
    """With a Llama in its place, the lines that say what Qwen3.8 is are marked where they stand."""
    path = f"{LESSON}/index.md"
    source = (ROOT / path).read_text(encoding="utf-8")
    front, _, text = source.removeprefix("---\n").partition("\n---\n")
    course = Course.read(ROOT, ledger=suppose({f"{ANCHOR}#": model("llama-3-8b")}))
    convert(course, text, path=path, url="c4/03-normalization/index.html", offset=front.count("\n") + 3)
    page = course.pages[path]
    marked = {problem.line for problem in page.problems} | {each.line for each in page.lost}
    lines = source.splitlines()
    for said in (
        "Qwen3.8 用的是零中心 RMSNorm",
        "层用 Gated DeltaNet",
        "Qwen3.8 在增益上多了一个小改动",
        "加上 q、k 归一化的",
        "/// diagram | norm.diagram.placement",
        "视觉塔用的是带 $\\beta$ 的 LayerNorm",
        "/// evolution | norm",
        "注意力的 q_proj 输出",
        "各家取值不同",
    ):
        at = [number for number, line in enumerate(lines, 1) if said in line]
        assert at, said
        near = {number + more for number in at for more in range(6 if said.startswith("///") else 1)}
        assert near & marked, said


# -- one value at a time -------------------------------------------------------------------------------

RUN = f"{RUNS}/{{}}/run.json#/summary/{{}}"
VALUES: dict[str, tuple[dict[str, Any], str]] = {
    "no gate beside the query": (
        {f"{ANCHOR}#/text_config/attn_output_gate": False},
        "anchor.c.named anchor.c.query_gate norm.c.same_share",
    ),
    "head and embedding shared": (
        {f"{ANCHOR}#/tie_word_embeddings": True, f"{ANCHOR}#/text_config/tie_word_embeddings": True},
        "anchor.c.named anchor.c.untied",
    ),
    "attention in every layer": (
        {f"{ANCHOR}#/text_config/layer_types": ["full_attention"] * 64},
        "anchor.c.elsewhere anchor.c.named anchor.c.two_kinds norm.c.same_share params.c.rank",
    ),
    "another activation": ({f"{ANCHOR}#/text_config/hidden_act": "gelu"}, "anchor.c.silu"),
    "no MTP module": ({f"{ANCHOR}#/text_config/mtp_num_hidden_layers": 0}, "norm.c.same_share"),
    "the same ε in gpt-oss": ({f"{FRONTIER}#/gpt-oss-20b/rms_norm_eps": 1e-6}, "norm.c.eps_differ"),
    "a sigmoid no more": (
        {f"{FRONTIER}#/qwen3.8-flash-next/text_config/output_gate_type": "swish"},
        "block.c.output_gates",
    ),
    "one stream": ({f"{FRONTIER}#/deepseek-v4-flash/hc_mult": 1}, "block.c.streams"),
    "a paper's speed-up the wrong way": ({f"{PAPERS}#/zhang2019/figures/speedup_low/value": -0.1}, "norm.c.speedup"),
    "a gate that helps nothing": ({f"{PAPERS}#/qiu2025/figures/sink_after/value": 0.5}, "block.c.sink"),
    "the source's norms apart": ({f"{PAPERS}#/source2026/figures/loss_ln/value": 5.6}, "norm.c.source_agrees"),
    "one seed of Post-Norm learns": (
        {RUN.format("post-rms-s2", "gain"): 0.9},
        "norm.c.bars norm.c.post_stuck",
    ),
    "one seed of Post-Norm diverges": (
        {RUN.format("post-ln-s1", "gain"): -3.0},
        "norm.c.bars norm.c.post_stuck",
    ),
    "a hot Pre-Norm as good as the baseline": (
        {RUN.format("pre-hot-s1", "final_loss"): 4.9},
        "norm.c.hot_costs",
    ),
    "the first seed shown does not learn": (
        {RUN.format("post-low-s1", "gain"): 0.0},
        "norm.c.low norm.c.shown_curves",
    ),
    "a stream that falls": (
        {RUN.format("pre-rms-s1", "start/rms"): [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]},
        "norm.c.stream",
    ),
    "a recipe that trains longer": (
        {"experiments/configs/recipes/pre-ln.json#/values/steps": 800},
        "norm.c.changed",
    ),
    "a seed that the page leaves out": (
        {"experiments/configs/recipes/post-rms.json#/seeds": [1, 2, 3, 4]},
        "norm.c.seeds",
    ),
    "another schedule": (
        {"experiments/configs/recipes/pre-rms.json#/values/schedule": "constant"},
        "norm.c.changed",
    ),
    "compiling helps little": (
        {f"{RUNS}/bench-norms/run.json#/summary/cpu/by_hand_compiled/median": 10.0},
        "norm.c.compiling",
    ),
    "a fast RMSNorm": ({f"{RUNS}/bench-norms/run.json#/summary/cpu/rmsnorm/median": 3.0}, "norm.c.bench"),
    "a wider typical ratio": (
        {f"{RUNS}/residual-bands/run.json#/summary/settings/2/ratio/p50": 1.9},
        "norm.c.depth norm.c.luck",
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_changed_value_makes_exactly_its_sentences_false(suppose: Suppose, name: str) -> None:
    """The sentences that depend on the value are false, and no others."""
    changes, expected = VALUES[name]
    assert false_after(suppose, changes) == set(expected.split())


# -- one source ----------------------------------------------------------------------------------------


def test_the_anchor_stands_once(suppose: Suppose) -> None:
    """The table of models reads the anchor's own file: it cannot contradict the text."""
    committed = json.loads((ROOT / FRONTIER).read_text(encoding="utf-8"))
    anchor = json.loads((ROOT / ANCHOR).read_text(encoding="utf-8"))
    repositories = [config["_source"]["repository"] for config in committed.values()]
    assert anchor["_source"]["repository"] not in repositories
    for name in ("d", "layers", "total", "eps"):
        ledger = suppose({f"{ANCHOR}#": model("llama-3-8b")})
        assert suppose.ledger.record(f"model.qwen.{name}").value == suppose.ledger.record(f"anchor.{name}").value
        assert ledger.record(f"model.qwen.{name}").value == ledger.record(f"model.llama.{name}").value


def test_every_claim_is_stated_on_a_page() -> None:
    """A claim that no sentence states protects none."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    texts += [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("charts.py")]
    texts.append((ROOT / "docs/evolution.yml").read_text(encoding="utf-8"))
    stated = " ".join(texts)
    ledger = Ledger(ROOT, Store(ROOT / ".cache/none"))
    ledger.load(ROOT / "docs")
    assert [name for name in ledger.claims if f"[[? {name}]]" not in stated and f"claim | {name}\n" not in stated] == []
