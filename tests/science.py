"""Help for tests of the experiments: a tiny corpus, small recipes, a copy of the project's science."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RECIPES = ROOT / "experiments/configs/recipes"


def recipe_values(name: str, **changes: Any) -> dict[str, Any]:
    """Return the values of a recipe of the project, changed where the test says so."""
    return {**json.loads((RECIPES / f"{name}.json").read_text())["values"], **changes}


def training_recipes() -> list[str]:
    """Return the names of all training recipes."""
    found = {path.stem: json.loads(path.read_text()) for path in sorted(RECIPES.glob("*.json"))}
    return [name for name, recipe in found.items() if recipe.get("kind", "training") == "training"]


def smoke() -> dict[str, Any]:
    """Return what the smoke preset puts in place of a training recipe's values."""
    presets = json.loads((ROOT / "experiments/configs/presets.json").read_text())
    return dict(presets["smoke"]["training"])


def tiny_text(length: int = 6000) -> str:
    """Return characters with unequal frequencies and some structure, always the same."""
    draw = random.Random(7)
    return "".join(draw.choice("天地玄黄宇宙洪荒") + draw.choice("日月") for _ in range(length // 2))


def tiny_wheel(folder: Path) -> dict[str, str]:
    """Write a wheel with the tiny text; return what a training job needs to read it."""
    member = "novel/chapters.json"
    data = json.dumps([tiny_text(), tiny_text(2000)]).encode()
    wheel = folder / "novel-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(member, data)
    return {"wheel": str(wheel), "member": member, "sha256": hashlib.sha256(data).hexdigest()}


def project(folder: Path, recipes: dict[str, dict[str, Any]] | None = None) -> Path:
    """Copy the science into `folder`, with the tiny corpus in its cache; `recipes` replace the project's."""
    copied = folder / "project"
    ignored = shutil.ignore_patterns("runs", "__pycache__")
    shutil.copytree(ROOT / "experiments", copied / "experiments", ignore=ignored)
    (copied / "docs").mkdir()
    cache = copied / ".cache/corpus"
    cache.mkdir(parents=True)
    corpus = tiny_wheel(cache)
    wheel = Path(corpus["wheel"])
    spec = {
        "package": "novel", "version": "1.0", "wheel": wheel.name, "file": corpus["member"],
        "wheel_sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(), "file_sha256": corpus["sha256"],
    }  # fmt: skip
    (copied / "experiments/configs/corpus.json").write_text(json.dumps(spec))
    if recipes is not None:
        for path in (copied / "experiments/configs/recipes").glob("*.json"):
            path.unlink()
        for name, recipe in recipes.items():
            write_recipe(copied, name, recipe)
    return copied


def write_recipe(root: Path, name: str, recipe: dict[str, Any]) -> None:
    """Write a recipe file of a copied project."""
    path = root / f"experiments/configs/recipes/{name}.json"
    path.write_text(json.dumps(recipe, ensure_ascii=False, indent=2))


def small_recipe(seeds: list[int], expect: str = "varies", **changes: Any) -> dict[str, Any]:
    """Return a training recipe that takes a second on the tiny corpus."""
    values = recipe_values("pre-rms") | smoke() | {"validation": 0.1} | changes
    return {"title": "小", "why": "测试", "expect": expect, "seeds": seeds, "values": values}
