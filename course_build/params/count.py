"""From a config file to its inventory: find the family, read, collect every problem, count."""

from __future__ import annotations

import importlib
from typing import Any

from course_build.errors import CourseError, Problem, nearest
from course_build.files.source import Source
from course_build.params.config import Config
from course_build.params.families import MODULES
from course_build.params.inventory import Inventory
from course_build.params.plan import Plan


def inventory(source: Source, pointer: str = "") -> Inventory:
    """Return the parameter inventory of a model config.

    Args:
        source: the file.
        pointer: where in the file the config stands; "" is the whole file.

    Raises:
        CourseError: every missing or ill-typed key, or a model_type that no family file knows.
    """
    reader = source.reader(pointer)
    problems: list[Problem] = []
    config = Config(reader, problems)
    config.decides("model_type")
    family = config.word("model_type") or ""
    if not problems and not family:
        wanted = f"one of {', '.join(MODULES)} is expected"
        problems.append(source.problem(f"{pointer}/model_type", f"key is missing, {wanted}"))
    if not problems and family not in MODULES:
        what = f"unknown model_type {family!r}, nothing is counted{nearest(family, MODULES)}"
        problems.append(source.problem(f"{pointer}/model_type", what))
    if problems:
        raise CourseError(problems)
    plan = Plan(_dtype(config))
    module: Any = importlib.import_module(f"course_build.params.families.{MODULES[family]}")
    traits = module.tensors(config, plan)
    if problems:
        raise CourseError(dict.fromkeys(problems))
    tensors = tuple(tensor for tensor in plan.tensors if tensor.times.value)
    return Inventory(family, tensors, traits, reader.reads, config.flags, source.path, pointer)


def _dtype(config: Config) -> str | None:
    """Return the number type that the config names, from the text model's own object if it has one.

    None too when a quantization is announced without a word on which matrices it covers (fp8).
    """
    if config.has("quantization_config") and config.sub("quantization_config").word("quant_method") == "fp8":
        return None
    found = config.word("dtype") or config.word("torch_dtype")
    if found is None and config.has("text_config"):
        text = config.sub("text_config")
        found = text.word("dtype") or text.word("torch_dtype")
    return found
