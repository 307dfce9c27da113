"""Derived facts and reports on top of the inventory."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from course_build.errors import CourseError
from course_build.files.source import load
from course_build.params import Inventory, Sym, derived, inventory
from course_build.params.layers import Group, interval, partition, without
from course_build.params.primes import is_prime, primes_from
from course_build.params.report import BY, as_json, report
from course_build.params.words import GATES, OMITTED, PLACES, REASONS, SCOPES

ROOT = Path(__file__).parents[1]
FRONTIER = ROOT / "experiments/configs/frontier-models.json"
ANCHOR = ROOT / "experiments/configs/anchor-model.json"
NAMES = (*json.loads(FRONTIER.read_text()), "qwen3.8-27b")


def model(name: str) -> Inventory:
    """Return the inventory of one committed model; the anchor has a file of its own."""
    return inventory(load(ANCHOR, ROOT)) if name == "qwen3.8-27b" else inventory(load(FRONTIER, ROOT), f"/{name}")


@pytest.mark.parametrize("name", NAMES)
def test_rows_add_up(name: str) -> None:
    """However it is divided, the rows add up to the total."""
    inv = model(name)
    for by in BY:
        assert sum(row["parameters"] for row in report(inv, by)) == inv.total
    shown = as_json(inv)
    assert shown["total"] == sum(shown["parts"].values()) == sum(shown["scopes"].values()) == inv.total
    assert json.loads(json.dumps(shown)) == shown


@pytest.mark.parametrize("name", NAMES)
def test_every_id_has_a_chinese_word(name: str) -> None:
    """Places, scopes, gates, reasons and what is left out can all be said on a page."""
    inv = model(name)
    assert {row.place for row in derived.norm_rows(inv)} <= set(PLACES)
    assert set(inv.scopes()) <= set(SCOPES)
    assert set(inv.traits.gates) <= set(GATES)
    assert set(inv.traits.omitted) <= set(OMITTED)
    assert inv.traits.q_reason in REASONS


def test_norm_places_of_the_anchor() -> None:
    """The lesson's table: place, shape, how many, and whether the gain is stored as w for 1 + w."""
    rows = [row for row in derived.norm_rows(model("qwen3.8-27b")) if row.scope == "text"]
    assert [(row.place, row.width, row.copies, row.params, row.zero_centered, row.eps) for row in rows] == [
        ("input", 5120, 64, 327_680, True, 1e-6),
        ("post_attention", 5120, 64, 327_680, True, 1e-6),
        ("final", 5120, 1, 5120, True, 1e-6),
        ("q", 256, 16, 4096, True, 1e-6),
        ("k", 256, 16, 4096, True, 1e-6),
        ("delta", 128, 48, 6144, False, 1e-6),
    ]


def test_layer_norms_count_once_with_their_bias() -> None:
    """A LayerNorm is one norm with two vectors."""
    rows = derived.norm_rows(model("gpt2"))
    assert [(row.place, row.kind, row.copies, row.params) for row in rows] == [
        ("input", "LayerNorm", 12, 12 * 2 * 768),
        ("post_attention", "LayerNorm", 12, 12 * 2 * 768),
        ("final", "LayerNorm", 1, 2 * 768),
    ]


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("kimi-k3", 100.0),
        ("deepseek-v4-flash", 10 * 10 / (1 + math.exp(-10))),
        ("gpt-oss-20b", 8 * 7 / (1 + math.exp(-1.702 * 7))),
        ("qwen3.8-27b", None),
    ],
)
def test_activation_bounds(name: str, bound: float | None) -> None:
    """SiTU 4 × 25, SwiGLU clamped at 10, gpt-oss clamped at 7 with its + 1; plain SwiGLU has none."""
    assert derived.activation_bound(model(name)).value == bound


@pytest.mark.parametrize(
    ("name", "growing", "numbers"),
    [
        ("qwen3.8-27b", 65_536, "16 × 2 × 4 × 256 × 2"),
        ("llama-7b", 524_288, "32 × 2 × 32 × (4,096 ÷ 32) × 2"),
        ("deepseek-v3", 70_272, "61 × (512 + 64) × 2"),
        ("gpt-oss-20b", 24_576, "12 × 2 × 8 × 64 × 2"),
        ("deepseek-v4-flash", 6880, "(21 × (512 ÷ 4) + 20 × (512 ÷ 128) + 21 × (128 ÷ 4)) × 2"),
        ("kimi-k3", 27_648, "24 × (512 + 64) × 2"),
    ],
)
def test_cache_per_token(name: str, growing: int, numbers: str) -> None:
    """Only layers that keep every token make the cache grow."""
    found = derived.kv_bytes_per_token(model(name))
    assert (found.value, found.numbers) == (growing, numbers)


def test_cache_that_does_not_grow() -> None:
    """DeltaNet keeps one matrix per value head; gpt-oss a window in half of its layers."""
    assert derived.kv_bytes_fixed(model("qwen3.8-27b")).numbers == "48 × 48 × 128 × 128 × 2"
    assert derived.kv_bytes_fixed(model("gpt-oss-20b")).numbers == "12 × 2 × 8 × 64 × 128 × 2"


def test_ratios_and_query_width() -> None:
    """q_proj of the anchor is twice heads × width because of the gate; 22,016 is 2.6875 d."""
    anchor = model("qwen3.8-27b")
    assert derived.query_rows(anchor).numbers == "2 × 24 × 256"
    assert anchor.traits.q_reason == "gate"
    assert derived.ffn_ratio(model("deepseek-llm-67b")).value == 2.6875
    assert derived.expert_ratio(model("deepseek-v4-flash")).numbers == "6 × 2,048 ÷ 4,096"
    assert derived.ffn_ratio(model("deepseek-v4-flash")).value is None


def test_active_parameters_of_a_mixture() -> None:
    """Of 256 experts 8 are used; without the embedding table the count falls by exactly that table."""
    inv = model("deepseek-v3")
    active, bare = derived.active_params(inv), derived.active_params(inv, tables=False)
    assert active.value == 37_552_282_624
    assert active.value - bare.value == 129280 * 7168  # type: ignore[operator]
    dense = model("qwen3-0.6b")
    assert derived.active_params(dense, tables=False).value == dense.total  # its table is the head too


def test_variants_of_the_anchor() -> None:
    """The totals that people quote, all from one list of tensors."""
    assert derived.variants(model("qwen3.8-27b")) == {
        "text_only": 26_895_998_464,
        "without_vision": 26_895_998_464,
        "text_plus_vision": 27_356_728_560,
        "text_plus_mtp": 27_320_697_856,
        "checkpoint_total": 27_781_427_952,
        "untied": 27_356_728_560,
        "tied": 26_085_330_160,
        "text_only_tied_hypothetical": 25_624_600_064,
        "checkpoint_tied_hypothetical": 26_510_029_552,
    }


def test_shared_variants() -> None:
    """Every variant of truth.json that is a count of the config (one is a census of a stored shape)."""
    path = Path(__file__).parents[2] / "shared" / "configs" / "truth.json"
    if not path.exists():
        pytest.skip("NOT RUN: ../shared is not there")
    for name, expected in json.loads(path.read_text()).items():
        for variant, size in expected.get("variants", {}).items():
            if not variant.startswith("header_census"):
                assert derived.variants(model(name))[variant] == size, (name, variant)


def test_kinds_of_layer_without_a_loop_over_layers() -> None:
    """10**12 layers in three overlapping groups: kinds, counts and places in a moment."""
    L = Sym.of(10**12)
    mixers = interval(L, Sym.of(4), ("linear", "full"), "layers")
    ffns = {"moe": Group("moe", L, (range(L.value),), "layers")}
    ffns = without(ffns, "moe", "dense", [0, 7], "mlp_only_layers", "/mlp_only_layers")
    kinds = partition([*mixers.values(), *ffns.values()])
    counted = {tuple(sorted(group.label for group in kind.groups)): kind.count for kind in kinds}
    assert counted == {
        ("dense", "linear"): 1,
        ("dense", "full"): 1,
        ("linear", "moe"): 3 * 10**12 // 4 - 1,
        ("full", "moe"): 10**12 // 4 - 1,
    }


def test_symbols_keep_their_parentheses() -> None:
    """A formula read as arithmetic gives its value, whatever was combined."""
    a, b, c = (Sym.key(name, value, f"/{name}") for name, value in (("a", 7), ("b", 3), ("c", 2)))
    assert ((a + b) * c).numbers == "(7 + 3) × 2"
    assert (a - (b + c)).numbers == "7 − (3 + 2)"
    assert (a - b - c).symbol == "a − b − c"
    assert (c * (a // b)).numbers == "2 × ⌊7 ÷ 3⌋"
    assert a.round_up(b).numbers == "⌈7 ÷ 3⌉ × 3"
    assert (a.round_up(b).value, (a // b).value) == (9, 2)
    assert (a * 1, a + 0, 0 + a) == (a, a, a)


def test_primes() -> None:
    """The hash tables' sizes: checked by trial division, and against known pseudoprimes."""
    assert primes_from(20_000_000, 3) == [20_000_003, 20_000_023, 20_000_033]
    assert [n for n in range(200) if is_prime(n)] == [n for n in range(2, 200) if all(n % d for d in range(2, n))]
    assert not any(is_prime(n) for n in (561, 1_373_653, 25_326_001, 3_215_031_751, 3_474_749_660_383))


def test_report_refuses_an_unknown_division() -> None:
    """A wrong word names the right ones."""
    with pytest.raises(ValueError, match="by is 'head', one of part, layer, tensor is expected"):
        report(model("gpt2"), "head")


def test_layers_by_kind() -> None:
    """Kimi K3: one dense delta layer, 68 delta layers with experts, 24 MLA layers with experts."""
    rows = [row for row in report(model("kimi-k3"), "layer") if row["where"] == "language_model.model.layers"]
    assert [(row["kind"], row["layers"], row["count"]) for row in rows] == [
        ("linear_attention + dense", "0", 1),
        ("linear_attention + moe", "1–2, 4–6 … 88–90", 68),
        ("full_attention + moe", "3, 7 … 91–92", 24),
    ]


def test_number_types_where_the_config_says() -> None:
    """A_log has its own key; gpt-oss quantizes its experts only; fp8 does not say which matrices it covers."""
    types = {tensor.name.rpartition(".")[2]: tensor.dtype for tensor in model("qwen3.8-27b").tensors}
    assert (types["A_log"], types["dt_bias"]) == ("float32", "bfloat16")
    oss = {tensor.name.rpartition(".")[2]: tensor.dtype for tensor in model("gpt-oss-20b").tensors}
    assert (oss["gate_up_proj"], oss["gate_up_proj_bias"]) == ("mxfp4", None)
    assert {tensor.dtype for tensor in model("deepseek-v3").tensors} == {None}
    v4 = {tensor.part: tensor.dtype for tensor in model("deepseek-v4-flash").tensors}
    assert (v4["ffn_experts"], v4["ffn_shared_expert"]) == ("fp4", None)


def test_multi_token_prediction_tensor_by_tensor() -> None:
    """The anchor's MTP module: fifteen tensors, as truth.json lists them."""
    mtp = {tensor.name: tensor.shape for tensor in model("qwen3.8-27b").tensors if tensor.scope == "mtp"}
    assert mtp == {
        "mtp.fc.weight": (5120, 10240),
        "mtp.pre_fc_norm_embedding.weight": (5120,),
        "mtp.pre_fc_norm_hidden.weight": (5120,),
        "mtp.norm.weight": (5120,),
        "mtp.layers.{i}.input_layernorm.weight": (5120,),
        "mtp.layers.{i}.post_attention_layernorm.weight": (5120,),
        "mtp.layers.{i}.self_attn.q_proj.weight": (12288, 5120),
        "mtp.layers.{i}.self_attn.k_proj.weight": (1024, 5120),
        "mtp.layers.{i}.self_attn.v_proj.weight": (1024, 5120),
        "mtp.layers.{i}.self_attn.o_proj.weight": (5120, 6144),
        "mtp.layers.{i}.self_attn.q_norm.weight": (256,),
        "mtp.layers.{i}.self_attn.k_norm.weight": (256,),
        "mtp.layers.{i}.mlp.gate_proj.weight": (17408, 5120),
        "mtp.layers.{i}.mlp.up_proj.weight": (17408, 5120),
        "mtp.layers.{i}.mlp.down_proj.weight": (5120, 17408),
    }


def test_norm_breakdown_of_the_anchor() -> None:
    """Main path, q and k, DeltaNet, MTP, vision: what truth.json calls the norm breakdown."""
    inv = model("qwen3.8-27b")
    sizes = [inv.select(part=f"norm.{part}").count for part in ("main", "qk", "gdn", "mtp", "vision")]
    assert sizes == [660_480, 8192, 6144, 26_112, 126_720]
    assert sum(sizes) == inv.select(part="norm").count == 827_648
    assert inv.select(part="norm.vision").numbers == "(27 × 4 + 2) × 1,152"


def counted(tmp_path: Path, name: str, **changes: object) -> Inventory:
    """Return the inventory of a committed model with some keys changed (those of the text model, when it has one)."""
    config = json.loads(FRONTIER.read_text())[name]
    config.get("text_config", config).update(changes)
    (tmp_path / "config.json").write_text(json.dumps(config))
    return inventory(load("config.json", tmp_path))


def test_window_layers_do_not_make_the_cache_grow(tmp_path: Path) -> None:
    """Qwen 2 with windows: above max_window_layers, or where layer_types says so, even in every layer."""
    windows = {"use_sliding_window": True, "sliding_window": 64}
    upper = counted(tmp_path, "qwen2.5-7b-instruct", **windows, max_window_layers=20)
    assert derived.kv_bytes_per_token(upper).numbers == "20 × 2 × 4 × (3,584 ÷ 28) × 2"
    assert derived.kv_bytes_fixed(upper).numbers == "(28 − 20) × 2 × 4 × (3,584 ÷ 28) × 64 × 2"
    everywhere = counted(tmp_path, "qwen2.5-7b-instruct", **windows, layer_types=["sliding_attention"] * 28)
    assert derived.kv_bytes_per_token(everywhere).value == 0


def test_a_hash_table_in_a_layer_that_does_not_exist(tmp_path: Path) -> None:
    """Layer numbers of ple_layer_ids run from 1 to the last layer."""
    with pytest.raises(CourseError, match="/text_config/ple_layer_ids: names layer 49, numbers from 1"):
        counted(tmp_path, "qwen3.8-flash-next", ple_layer_ids=[2, 49])


def test_a_very_long_list_of_dense_layers() -> None:
    """100,000 single layers are moved in one pass."""
    L = Sym.of(10**6)
    kinds = interval(L, Sym.of(1), ("dense", "moe"), "layers")
    moved = without(kinds, "moe", "dense", range(0, 200_000, 2), "mlp_only_layers", "/mlp_only_layers")
    assert (moved["dense"].times.value, moved["moe"].times.value) == (100_000, 900_000)
    assert sum(map(len, moved["moe"].spans)) == 900_000
