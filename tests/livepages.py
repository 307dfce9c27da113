"""Pages with live components and a made-up ledger, so that they can be tested without the generator."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from course_build.value import format_number, format_vector
from experiments import bands, decay, meanfield, norms
from experiments.residual import Setting, simulate

ROOT = Path(__file__).resolve().parent.parent
STYLES = [f"course_build/web/{name}.css" for name in ("tokens", "course", "parts", "print")] + ["docs/live/live.css"]
WEB = [f"course_build/web/{name}.js" for name in ("mount", "format", "plot", "live")]
KERNELS = [f"docs/live/kernel/{name}.js" for name in ("prng", "norms", "residual", "meanfield", "decay")]
PARTS = ["residual-sim", "norm-lab", "batch-mates", "decay-chart", "data-flow"]
SCRIPTS = [*WEB, *KERNELS, *(f"docs/live/{name}.js" for name in PARTS)]
SCENARIOS = {"residual": (True, False, False), "norm": (True, True, False), "scaled": (True, True, True)}


@dataclass
class FakeLive:
    """What the generator hands to a component's Python twin, over a dict of values."""

    values: dict[str, Any]
    specs: dict[str, str]
    options: dict[str, Any] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def value(self, name: str) -> Any:
        """Return a value; KeyError for an unknown id."""
        self.used.add(name)
        return self.values[name]

    def text(self, name: str, spec: str | None = None) -> str:
        """Return the value as text."""
        value, spec = self.value(name), spec or self.specs.get(name)
        return format_vector(value, spec) if isinstance(value, list) else format_number(value, spec)

    def number(self, name: str, spec: str | None = None) -> str:
        """Return the value as the generator's HTML."""
        text = escape(self.text(name, spec))
        return f'<a class="num num-computed" href="ledger.html#{name}" data-id="{name}"><data>{text}</data></a>'

    def literal(self, text: str, why: str) -> str:
        """Return a declared literal."""
        return f'<span class="num num-literal" title="{escape(why)}">{escape(text)}</span>'


@lru_cache(maxsize=1)
def ledger() -> tuple[dict[str, Any], dict[str, str]]:
    """Return values and display rules of every id that the components ask for."""
    values: dict[str, Any] = {
        "norm.sim.n": 32,
        "norm.sim.gain": 1,
        "norm.sim.seed": 7,
        "norm.sim.band.low": 0.05,
        "norm.sim.band.high": 0.95,
        "norm.seeds.count": 40,
    }
    specs: dict[str, str] = {"norm.sim.band.low": ".0%", "norm.sim.band.high": ".0%"}
    recorded = bands.seed_bands(32, 1.0, range(1, 41), list(SCENARIOS.values()))["settings"]
    for (name, boxes), band in zip(SCENARIOS.items(), recorded, strict=True):
        setting = Setting(residual=boxes[0], norm=boxes[1], scale=boxes[2])
        found, theory = simulate(setting), meanfield.theory(setting)
        values |= {f"norm.sim.{name}.ratio": found.ratio, f"norm.sim.{name}.rms": found.rms}
        values |= {
            f"norm.sim.{name}.rms_curve": found.rms_curve,
            f"norm.sim.{name}.gradient_curve": found.gradient_curve,
        }
        specs |= {f"norm.sim.{name}.ratio": ".2f" if name == "scaled" else ".1f", f"norm.sim.{name}.rms": ".1f"}
        numbers = {
            "p5": theory.ratio_low[0],
            "p50": theory.ratio_median[0],
            "p95": theory.ratio_high[0],
            "rms": theory.rms[-1],
            "rms_p5": theory.rms_low[-1],
            "rms_p95": theory.rms_high[-1],
        }
        curves = {"rms_curve": theory.rms, "rms_low": theory.rms_low, "rms_high": theory.rms_high}
        curves |= {"gradient_curve": theory.ratio, "gradient_low": theory.ratio_low, "gradient_high": theory.ratio_high}
        values |= {f"norm.theory.{name}.{key}": value for key, value in (numbers | curves).items()}
        specs |= {f"norm.theory.{name}.{key}": ".3g" for key in numbers}
        for reading in ("ratio", "rms"):
            for key in ("p5", "p50", "p95", "percentile"):
                values[f"norm.seeds.{name}.{reading}_{key}"] = band[reading][key]
                specs[f"norm.seeds.{name}.{reading}_{key}"] = ".0f" if key == "percentile" else ".3g"
        for curve in ("rms", "gradient"):
            values[f"norm.seeds.{name}.{curve}_low"] = band["curves"][curve]["p5"]
            values[f"norm.seeds.{name}.{curve}_high"] = band["curves"][curve]["p95"]
    for part in (_toy(), _batch(), _decay(), _anchor()):
        values |= part[0]
        specs |= part[1]
    return values, specs


def _toy() -> tuple[dict[str, Any], dict[str, str]]:
    x = [1, 2, 3, 6]
    shifted = [v + 2 for v in x]
    values = {
        "norm.toy.x": x,
        "norm.toy.n": 4,
        "norm.toy.shift": 2,
        "norm.toy.scale": 3,
        "norm.toy.radius": 2.0,
        "norm.ln.out": norms.layer_norm(x),
        "norm.rms.out": norms.rms_norm(x),
        "norm.scaled.x": [3 * v for v in x],
        "norm.shifted.x": shifted,
        "norm.shifted.out": norms.rms_norm(shifted),
    }
    return values, dict.fromkeys(["norm.ln.out", "norm.rms.out", "norm.shifted.out"], ".3f")


def _batch() -> tuple[dict[str, Any], dict[str, str]]:
    toy = json.loads((ROOT / "docs/c4/03-normalization/toy.json").read_text(encoding="utf-8"))["batch"]
    own = toy["sentence"]["vectors"]
    apple = toy["sentence"]["words"].index(toy["token"])
    mates = {mate["id"]: mate["vectors"] for mate in toy["mates"]}
    batches = {"own": own, "one": [own[apple]]}
    for name, vectors in mates.items():
        batches[name] = own + vectors
        batches[f"{name}_padded"] = own + vectors + [toy["pad"]] * abs(len(own) - len(vectors))
    values: dict[str, Any] = {f"norm.batch.mates.{mate['id']}": mate["text"] for mate in toy["mates"]}
    specs: dict[str, str] = {}
    for name, batch in batches.items():
        at = 0 if name == "one" else apple
        values[f"norm.batch.{name}.tokens"] = len(batch)
        values[f"norm.batch.{name}.bn"] = norms.batch_norm(batch, toy["eps"])[at]
        values[f"norm.batch.{name}.rms"] = norms.rms_norm(own[apple])
        values[f"norm.batch.{name}.ln"] = norms.layer_norm(own[apple])
        specs |= {f"norm.batch.{name}.{key}": ".3f" for key in ("bn", "rms", "ln")}
    return values, specs


def _decay() -> tuple[dict[str, Any], dict[str, str]]:
    at = [5000 * i // 50 for i in range(51)]
    curves = decay.curves(1.5, at, 3e-3, 0.1)
    values = {"gain": 1.5, "steps": 5000, "lr": 3e-3, "wd": 0.1, "at": at}
    values |= {"standard": curves["stored"][-1], "zero_centered": curves["zero_centered"][-1]}
    values |= {"curve.stored": curves["stored"], "curve.zero_centered": curves["zero_centered"]}
    specs = {"gain": ".2f", "lr": "e", "standard": ".3f", "zero_centered": ".3f"}
    return {f"norm.decay.{k}": v for k, v in values.items()}, {f"norm.decay.{k}": v for k, v in specs.items()}


def _anchor() -> tuple[dict[str, Any], dict[str, str]]:
    values = {"d": 5120, "vocab": 248320, "layers": 64, "layers_full": 16, "layers_linear": 48, "norm.each": 5120}
    values |= {"ffn.width": 17408, "ffn.matrices": 3, "ffn.each": 267386880, "embed.params": 1271398400}
    values |= {"head.params": 1271398400, "attention.full": 104858112, "attention.linear": 83920000}
    return {f"anchor.{name}": value for name, value in values.items()}, {}


def twin(name: str) -> Any:
    """Load a component's Python twin."""
    path = ROOT / "docs" / "live" / f"{name.replace('-', '_')}.py"
    spec = spec_from_file_location(f"twin_{path.stem}", path)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def render(name: str, options: dict[str, Any] | None = None, ground: tuple[Any, Any] | None = None) -> str:
    """Return the element as the generator writes it."""
    values, specs = ground or ledger()
    live = FakeLive(values, specs, options or {})
    module = twin(name)
    state = escape(json.dumps(module.data(live), ensure_ascii=False))
    element = f'<{name} class="live" data-state="{state}">{module.fallback(live)}</{name}>'
    return f'<figure class="live-frame">{element}</figure>'


def page(blocks: Iterable[tuple[str, dict[str, Any]]], text: str = "", base: str = ROOT.as_uri()) -> str:
    """Return a page with the given components; `base` is where the project's files are found."""
    ground = ledger()
    parts = "\n".join(render(name, options, ground) for name, options in blocks)
    links = "".join(f'<link rel="stylesheet" href="{base}/{style}">' for style in STYLES)
    tags = "".join(f'<script defer src="{base}/{script}"></script>' for script in SCRIPTS)
    return (
        '<!doctype html><html lang="zh"><head><meta charset="utf-8"><title>实验</title><link rel="icon" href="data:,">'
        f'<meta name="viewport" content="width=device-width">{links}{tags}</head>'
        '<body data-md-color-scheme="default" style="background:var(--c-paper);margin:0;padding:16px">'
        '<main><article class="md-content__inner md-typeset" style="max-width:40rem;margin:auto"><h1>实验</h1>'
        f"{text}{parts}</article></main></body></html>"
    )
