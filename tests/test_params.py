"""The parameter inventory: totals, parts, formulas and errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from course_build.errors import CourseError
from course_build.params import inventory
from course_build.source import load

ROOT = Path(__file__).parents[1]
ANCHOR = ROOT / "experiments/configs/anchor-model.json"


def anchor() -> dict[str, Any]:
    """Return the anchor config as data."""
    data: dict[str, Any] = json.loads(ANCHOR.read_text())
    return data


def count(tmp_path: Path, config: dict[str, Any]) -> Any:
    """Return the inventory of a config given as data."""
    (tmp_path / "config.json").write_text(json.dumps(config, indent=1))
    return inventory(load("config.json", tmp_path))


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


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("hidden_size", None, "/text_config/hidden_size: is null, an integer is expected"),
        ("hidden_size", "5120", '/text_config/hidden_size: is "5120", an integer is expected'),
        ("hidden_size", -5120, "/text_config/hidden_size: is -5120, at least 1 is expected"),
        ("num_hidden_layers", 10**30, "at most 1000000000000 is expected"),
        ("layer_types", ["full_attention"], "has 1 entries, one per layer is expected (64)"),
        ("layer_types", ["full_atention"] * 64, "nearest: full_attention"),
        ("attention_bias", 1, "/text_config/attention_bias: is 1, true or false is expected"),
    ],
)
def test_faults_of_a_config_name_file_line_and_key(
    tmp_path: Path, key: str, value: object, says: str
) -> None:
    """A wrong value is one line with file, line, key, what was seen and what would be right."""
    config = anchor()
    config["text_config"][key] = value
    with pytest.raises(CourseError) as caught:
        count(tmp_path, config)
    first = str(caught.value.problems[0])
    assert first.startswith("config.json:")
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


def test_unknown_model_type_counts_nothing(tmp_path: Path) -> None:
    """An unknown family is refused, and the nearest known one is named."""
    with pytest.raises(
        CourseError, match=r"unknown model_type 'qwen3_6', nothing is counted; nearest: qwen3"
    ):
        count(tmp_path, anchor() | {"model_type": "qwen3_6"})
