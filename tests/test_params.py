"""The parameter inventory: totals, parts, formulas, errors."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from course_build.errors import CourseError
from course_build.files.source import MISSING, load
from course_build.params import Inventory, inventory
from course_build.params.families import MODULES

ROOT = Path(__file__).parents[1]
SHARED = Path(__file__).parents[2] / "shared" / "configs"
ANCHOR = ROOT / "experiments/configs/anchor-model.json"
FRONTIER = ROOT / "experiments/configs/frontier-models.json"
TOTALS = {  # our own expectations, for when ../shared is not there
    "transformer-2017": 63_045_632,
    "gpt2": 124_439_808,
    "llama-7b": 6_738_415_616,
    "llama-3-8b": 8_030_261_248,
    "deepseek-llm-67b": 67_425_001_472,
    "qwen2.5-7b-instruct": 7_615_616_512,
    "olmo-2-1124-7b": 7_298_617_344,
    "deepseek-v3": 671_026_404_352,
    "qwen3-0.6b": 596_049_920,
    "gpt-oss-20b": 20_914_757_184,
    "deepseek-v4-flash": 284_332_230_231,
    "kimi-k3": 2_779_931_834_976,
    "qwen3.8-27b": 27_781_427_952,
    "qwen3.8-flash-next": 177_392_830_576,
}
FINE = {("gpt2", "norm"): "norm.main", ("deepseek-v3", "norm"): "norm.mla"}  # our name of a part in truth.json


def anchor() -> dict[str, Any]:
    """Return the anchor config as data."""
    data: dict[str, Any] = json.loads(ANCHOR.read_text())
    return data


def count(tmp_path: Path, config: dict[str, Any]) -> Inventory:
    """Return the inventory of a config given as data."""
    (tmp_path / "config.json").write_text(json.dumps(config, indent=1))
    return inventory(load("config.json", tmp_path))


def frontier(name: str) -> Inventory:
    """Return the inventory of one committed model; the anchor has a file of its own."""
    return inventory(load(ANCHOR, ROOT)) if name == "qwen3.8-27b" else inventory(load(FRONTIER, ROOT), f"/{name}")


def truth() -> dict[str, Any]:
    """Return truth.json, empty when ../shared is not there."""
    path = SHARED / "truth.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def test_anchor_total_and_parts() -> None:
    """The anchor has 27,781,427,952 parameters, and its parts add up to them."""
    inv = inventory(load(ANCHOR, ROOT))
    assert inv.total == 27_781_427_952
    assert inv.scopes() == {"text": 26_895_998_464, "vision": 460_730_096, "mtp": 424_699_392}
    assert sum(inv.parts().values()) == sum(inv.components().values()) == inv.total


def test_anchor_norms_with_their_formula() -> None:
    """Main-path norms: two per layer and a final one, each as wide as the stream."""
    chosen = inventory(load(ANCHOR, ROOT)).select(part="norm.main")
    assert chosen.count == 660_480
    assert chosen.symbol == "(num_hidden_layers × 2 + 1) × hidden_size"
    assert chosen.numbers == "(64 × 2 + 1) × 5,120"
    assert set(chosen.reads) == {"/text_config/num_hidden_layers", "/text_config/hidden_size", "/model_type"}


def test_all_text_norms_by_prefix() -> None:
    """`norm` selects every part below it; the scope keeps MTP and vision out."""
    inv = inventory(load(ANCHOR, ROOT))
    assert inv.select(part="norm", scope="text").count == 674_816
    assert inv.select(part="norm").count == 827_648
    assert inv.select(scope="text+mtp").count == inv.total - inv.select(scope="vision").count


@pytest.mark.parametrize("name", TOTALS)
def test_total_of_each_committed_model(name: str) -> None:
    """The committed configs hold enough keys for the exact total."""
    assert frontier(name).total == TOTALS[name]


@pytest.mark.parametrize("name", TOTALS)
def test_formulas_evaluate_to_their_counts(name: str) -> None:
    """Read as arithmetic, every part's formula with numbers gives its count."""
    inv = frontier(name)
    for part, expected in inv.parts().items():
        chosen = inv.select(part=part)
        assert arithmetic(chosen.numbers) == chosen.count >= expected


def arithmetic(text: str) -> int:
    """Evaluate a printed formula."""
    plain = text.replace(",", "").replace("×", "*").replace("÷", "//").replace("−", "-")
    plain = plain.replace("⌈", "-((-1)*").replace("⌉", ")").replace("⌊", "(").replace("⌋", ")")
    value = eval(compile(ast.parse(plain, mode="eval"), "formula", "eval"), {"__builtins__": {}})
    assert isinstance(value, int)
    return value


@pytest.mark.parametrize("name", sorted(set(truth()) - {"vaswani-2017-base"}))
def test_shared_truth(name: str) -> None:
    """The received configs give truth.json's totals and parts, and the committed keys give the same."""
    inv, expected = inventory(load(SHARED / f"{name}.json", SHARED)), truth()[name]
    assert inv.total == frontier(name).total == expected["total"]
    assert inv.parts() == frontier(name).parts()
    if name != "qwen3.8-flash-next":  # its "norm" leaves out the main-path norms, says truth.json
        assert inv.components() == expected["by_component"]
    for part, size in expected.get("by_component_fine", {}).items():
        assert inv.parts()[FINE.get((name, part), part)] == size


def test_shared_truth_of_flash_next() -> None:
    """Here truth.json counts the main-path norms with the hyper-connections: so do our coarse parts."""
    expected = truth().get("qwen3.8-flash-next")
    if not expected:
        pytest.skip("NOT RUN: ../shared is not there")
    assert frontier("qwen3.8-flash-next").components() == expected["by_component"]
    assert frontier("qwen3.8-flash-next").parts()["norm.main"] == (48 * 2 + 1) * 4 * 2560


def test_verbatim_config_equals_the_committed_anchor() -> None:
    """The received anchor config, put in the anchor's place, counts the same tensors."""
    if not SHARED.is_dir():
        pytest.skip("NOT RUN: ../shared is not there")
    whole = inventory(load(SHARED / "qwen3.8-27b.json", SHARED))
    assert whole.tensors == inventory(load(ANCHOR, ROOT)).tensors


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("hidden_size", None, "/text_config/hidden_size: is null, an integer is expected"),
        ("hidden_size", "5120", '/text_config/hidden_size: is "5120", an integer is expected'),
        ("hidden_size", 5120.0, "/text_config/hidden_size: is 5120.0, an integer is expected"),
        ("hidden_size", -5120, "/text_config/hidden_size: is -5120, at least 1 is expected"),
        ("num_hidden_layers", 10**30, "at most 1000000000000 is expected"),
        ("layer_types", ["full_attention"], "has 1 entries, one per layer is expected (64)"),
        ("layer_types", ["full_atention"] * 64, "nearest: full_attention"),
        ("attention_bias", 1, "/text_config/attention_bias: is 1, true or false is expected"),
        ("mtp_use_dedicated_embeddings", True, "its tensors are unknown"),
    ],
)
def test_faults_of_a_config_name_file_line_and_key(tmp_path: Path, key: str, value: object, says: str) -> None:
    """A wrong value is one line with file, line, key, what was seen and what would be right."""
    config = anchor()
    config["text_config"][key] = value
    with pytest.raises(CourseError) as caught:
        count(tmp_path, config)
    first = str(caught.value.problems[0])
    assert first.startswith("config.json:")
    assert int(first.split(":")[1]) > 1
    assert says in first


def test_all_missing_keys_are_said_at_once(tmp_path: Path) -> None:
    """Two missing keys make two problems."""
    config = anchor()
    del config["text_config"]["hidden_size"], config["vision_config"]["depth"]
    with pytest.raises(CourseError) as caught:
        count(tmp_path, config)
    assert [str(p).partition(": ")[2].partition(":")[0] for p in caught.value.problems] == [
        "/text_config/hidden_size",
        "/vision_config/depth",
    ]


def required(config: dict[str, Any], prefix: str = "") -> list[str]:
    """Return the pointers of all keys that are numbers or objects."""
    found = []
    for key, value in config.items():
        if isinstance(value, dict):
            found += [f"{prefix}/{key}", *required(value, f"{prefix}/{key}")]
        elif isinstance(value, int) and not isinstance(value, bool):
            found.append(f"{prefix}/{key}")
    return found


def outcome(tmp_path: Path, config: dict[str, Any]) -> tuple[set[str], list[str]]:
    """Return the keys that were read, and the problems."""
    try:
        return set(count(tmp_path, config).reads), []
    except CourseError as error:
        return set(), list(map(str, error.problems))


@pytest.mark.parametrize("name", TOTALS)
def test_a_broken_size_is_a_problem_or_was_never_read(tmp_path: Path, name: str) -> None:
    """A string, a list, 10**30, a negative or broken number at a size that is read: a problem naming it."""
    whole: dict[str, Any] = anchor() if name == "qwen3.8-27b" else json.loads(FRONTIER.read_text())[name]
    for pointer in required({key: value for key, value in whole.items() if key != "_source"}):
        for value in ("12", [12], 10**30, -1, 0.5):
            config = json.loads(json.dumps(whole))
            *path, last = pointer[1:].split("/")
            at = config
            for step in path:
                at = at[step]
            at[last] = value
            read, problems = outcome(tmp_path, config)
            assert pointer not in read
            assert all(problem.startswith("config.json:") for problem in problems)
            assert not problems or any(pointer in problem for problem in problems)


def test_unknown_model_type_counts_nothing(tmp_path: Path) -> None:
    """An unknown family is refused, and the nearest known one is named."""
    with pytest.raises(CourseError, match=r"unknown model_type 'qwen3_6', nothing is counted; nearest: qwen3"):
        count(tmp_path, anchor() | {"model_type": "qwen3_6"})
    with pytest.raises(CourseError, match="/model_type: key is missing, one of transformer_2017, gpt2"):
        count(tmp_path, {"hidden_size": 4})


def test_reads_are_absolute_and_remember_absence() -> None:
    """A key is read once under its place in the file; an absent optional key is remembered."""
    inv = frontier("llama-7b")
    assert inv.reads["/llama-7b/hidden_size"] == 4096
    assert inv.reads["/llama-7b/num_key_value_heads"] is MISSING
    assert all(pointer.startswith("/llama-7b/") for pointer in inv.reads)


def test_reads_say_what_a_count_depends_on(tmp_path: Path) -> None:
    """Changing a key that a selection did not read does not change its count."""
    chosen = inventory(load(ANCHOR, ROOT)).select(part="attention")
    for key, value in anchor()["text_config"].items():
        if isinstance(value, int) and not isinstance(value, bool) and f"/text_config/{key}" not in chosen.reads:
            config = anchor()
            config["text_config"][key] = value + (0 if key == "num_hidden_layers" else 3)
            assert count(tmp_path, config).select(part="attention").count == chosen.count


def test_depth_costs_nothing(tmp_path: Path) -> None:
    """10**12 layers and experts are counted like ten: the inventory has no entry per layer."""
    config = json.loads(FRONTIER.read_text())["deepseek-v3"] | {"num_hidden_layers": 10**12, "n_routed_experts": 10**9}
    inv = count(tmp_path, config)
    assert len(inv.tensors) == len(frontier("deepseek-v3").tensors)
    assert inv.select(part="router").count == (10**12 - 3) * 10**9 * 7168


def test_every_family_has_a_test() -> None:
    """Each family file is reached by a committed model or by a public config in test_params_public."""
    from tests.test_params_public import PUBLIC

    seen = {frontier(name).family for name in TOTALS} | {config["model_type"] for config, _ in PUBLIC.values()}
    assert {MODULES[family] for family in seen} == set(MODULES.values())
