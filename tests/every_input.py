"""A small course that reads every kind of input file that there is, whole and in order."""

from __future__ import annotations

import json
from pathlib import Path

from course_build.recording.keep import Made, keep
from course_build.recording.plans import plan
from tests.courses import FACTS, write
from tests.science import project, small_recipe
from tests.small import CONFIG

GPT2 = {"model_type": "gpt2", "vocab_size": 9, "n_positions": 4, "n_embd": 4, "n_layer": 2, "n_head": 1}
PAPER = {"label": "Someone 2020", "title": "On things", "ref": "arXiv:2000.00000", "figures": {"d": {"value": 512}}}
MORE_FACTS = """
from course_build.ledger import model, paper, run


@fact("all.params", title="参数", how="{n}")
def params(n=model("experiments/configs/anchor-model.json").params()):
    return n


@fact("all.frontier", title="别家的参数", how="{n}")
def frontier(n=model("experiments/configs/frontier-models.json", "/small").params()):
    return n


@fact("all.width", title="论文里的宽度", how="{d}")
def width(d=paper("someone", "d")):
    return d


@fact("all.threshold", title="门槛", how="{t}")
def threshold(t=source("experiments/configs/outcomes.json").at("/trains")):
    return t


@fact("all.loss", title="第一步的损失", by="日志的第一行")
def loss(losses=run("one-s1", "/series/loss"), end=run("one-s1", "/summary/final_loss")):
    return losses[0] + 0 * end
"""
TWIN = '''"""一个活动部件。"""

from pathlib import Path

from course_build.files.source import load

DEFAULTS = load("docs/live/defaults.json", Path(__file__).parents[2]).reader("/knob")


def data(live):
    """Return the limit."""
    return {"max": DEFAULTS.read("/max", float)}


def fallback(live):
    """Return the text without JavaScript."""
    return "<p>旋钮</p>"
'''
PAGE = """# 小课 {#top}

和是 [[toy.sum]]，参数 [[all.params]]、[[all.frontier]]，宽度 [[all.width]] [@someone]，损失 [[all.loss]]，
门槛 [[all.threshold]]，用 Mamba2 也行。

/// live | knob
///

/// evolution | parts
///
"""
EVOLUTION = """parts:
  title: 演进
  corner: 零件
  generations:
    - {id: old, title: 原版, who: 某人}
  parts:
    - id: norm
      title: 归一化
      cells:
        old: {did: 有, stuck: 没有}
"""
FILES = {
    "mkdocs.yml": CONFIG.replace('*.json"', r'*.json\n*.yml"'),
    "docs/facts.py": FACTS + MORE_FACTS,
    "docs/data.json": '{\n "a": 2,\n "b": 3\n}\n',
    "docs/index.md": PAGE,
    "docs/c4/03-norm/index.md": "---\ntitle: 归一化\n---\n# 归一化 {#norm}\n\n也是 [[toy.double]]。\n",
    "docs/evolution.yml": EVOLUTION,
    "docs/terms.yml": "terms:\n  - {term: 残差流, also: [主路], gloss: 一行向量。}\n",
    "docs/closed-world.yml": "names:\n  Mamba: 模型的名字\n",
    "docs/live/knob.py": TWIN,
    "docs/live/defaults.json": '{\n "knob": {\n  "max": 9\n }\n}\n',
    "experiments/configs/anchor-model.json": json.dumps(GPT2, indent=1),
    "experiments/configs/frontier-models.json": json.dumps({"small": GPT2}, indent=1),
    "experiments/configs/papers.json": json.dumps({"someone": PAPER}, indent=1),
}
STEP = {"loss": 2.0, "floor": 3.0, "lr": 0.1, "grad": 1.0, "validation": 1.0, "rms": [1.0]}
LOG = [{"step": 0, **STEP}, {"step": 1, **STEP}]


def course(folder: Path) -> Path:
    """Write the course with one recorded run; return its folder."""
    root = project(folder, {"one": small_recipe([1])})
    write(root, FILES)
    keep(root, plan(root, "one-s1"), Made([*LOG, {"end": {"floor_validation": 3.0}}], "2026-01-02T03:04:05", 1.0, {}))
    return root
