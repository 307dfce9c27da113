"""Optional: the inventory against models that transformers builds on the meta device, tensor by tensor.

Runs only where the extra [verify] is installed; otherwise pytest reports it as skipped, that is, not run.
Every name in the inventory is renamed by transformers' own rules for loading checkpoints, so that names, layer
indices, shapes and counts are all compared, for the shared configs and for small configs made at random.
"""

from __future__ import annotations

import importlib.util
import json
import math
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from course_build.files.source import load
from course_build.params import Inventory, inventory
from course_build.params.tensor import Tensor
from tests.params_random import FAMILIES, Json

if importlib.util.find_spec("transformers") is None:
    pytest.skip("NOT RUN: transformers is not installed (pip install -e '.[verify]')", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")
SHARED = Path(__file__).parents[2] / "shared" / "configs"
NOT_BUILT = {"mtp"}  # scopes that only checkpoints hold
TRIALS = 12  # random configs per family
Shape = tuple[int, ...]


def meta_model(config: Json) -> Any:
    """Return the model that transformers builds from a config, without memory for its weights."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText

    kind = "deepseek_v3" if config["model_type"] == "kimi_k2" else config["model_type"]
    plain = {key: value for key, value in config.items() if key != "quantization_config"}
    made = type(AutoConfig.for_model(kind)).from_dict(plain | {"model_type": kind})
    auto = AutoModelForImageTextToText if "text_config" in config else AutoModelForCausalLM
    with torch.device("meta"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return auto.from_config(made)


def listed(inv: Inventory, model: Any) -> dict[str, tuple[int, set[Shape]]]:
    """Return parameter name in transformers -> (numbers, shapes that were merged into it)."""
    from transformers.conversion_mapping import get_model_conversion_mapping
    from transformers.core_model_loading import WeightConverter, rename_source_key

    rules = get_model_conversion_mapping(model)
    renamings = [rule for rule in rules if not isinstance(rule, WeightConverter)]
    converters = [rule for rule in rules if isinstance(rule, WeightConverter)]
    state, prefix = model.state_dict(), model.base_model_prefix
    found: dict[str, tuple[int, set[Shape]]] = {}
    for tensor in inv.tensors:
        if tensor.scope in NOT_BUILT or tensor.part == "router_bias_buffer":
            continue
        for name in names(tensor):
            new, _ = rename_source_key(name, renamings, converters, prefix, state)
            count, shapes = found.get(new, (0, set()))
            per_layer = tensor.times.value // (tensor.group.times.value if tensor.group else 1)
            shape = tensor.shape if per_layer == 1 or "{e}" in tensor.name else (per_layer, *tensor.shape)
            found[new] = (count + per_layer * math.prod(tensor.shape), shapes | {shape})
    return found


def names(tensor: Tensor) -> list[str]:
    """Return the tensor's name in every layer that holds it; the first expert stands for all."""
    name = tensor.name.replace("{e}", "0")
    if tensor.group is None:
        return [name]
    return [name.replace("{i}", str(i)) for span in tensor.group.spans for i in span]


def compare(tmp_path: Path, config: Json) -> None:
    """Assert that the inventory lists exactly the parameters of the built model."""
    (tmp_path / "config.json").write_text(json.dumps(config))
    inv = inventory(load("config.json", tmp_path))
    model = meta_model(config)
    built = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    ours = listed(inv, model)
    assert set(ours) == set(built)
    for name, (count, shapes) in ours.items():
        assert count == math.prod(built[name]), (name, shapes, built[name])
        if len(shapes) == 1 and "experts" not in name and "conv1d" not in name and "A_log" not in name:
            assert shapes == {built[name]}, name


SHARED_NAMES = (
    sorted(path.stem for path in SHARED.glob("*.json") if path.stem not in ("truth", "kimi-k3"))
    if SHARED.is_dir()
    else []
)


@pytest.mark.parametrize("name", SHARED_NAMES)
def test_shared_config(tmp_path: Path, name: str) -> None:
    """The full-size models, as published."""
    compare(tmp_path, json.loads((SHARED / f"{name}.json").read_text()))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("seed", range(TRIALS))
def test_random_config(tmp_path: Path, family: Callable[[random.Random], Json], seed: int) -> None:
    """Small configs with other widths, heads, experts, tying, biases and kinds of layer."""
    compare(tmp_path, family(random.Random(f"{family.__name__} {seed}")))
