"""How long counting takes, alone and against building the same model on the meta device.

    PYTHONPATH=. python tests/bench_params.py

Prints, not asserts: times belong to a machine. The comparison needs the extra [verify].
"""

from __future__ import annotations

import importlib.util
import json
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from course_build.files.source import load
from course_build.params import inventory

ROOT = Path(__file__).parents[1]
FRONTIER = ROOT / "experiments/configs/frontier-models.json"


def bench_params() -> None:
    """Print per model: milliseconds to count, kB of memory, and how many times faster than the meta device."""
    source = load(FRONTIER, ROOT)
    has_transformers = importlib.util.find_spec("transformers") is not None
    print(f"{'model':22} {'count ms':>9} {'peak kB':>8} {'meta ms':>9} {'ratio':>8}")
    for name in json.loads(FRONTIER.read_text()):
        pointer = f"/{name}"
        inventory(source, pointer)  # imports the family
        spent = best(lambda at=pointer: inventory(source, at))  # type: ignore[misc]
        tracemalloc.start()
        inventory(source, pointer)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        built = meta(name) if has_transformers else None
        ratio = f"{built:9.1f} {built / spent:8.0f}" if built else f"{'-':>9} {'-':>8}"
        print(f"{name:22} {spent:9.2f} {peak / 1024:8.0f} {ratio}")
    if not has_transformers:
        print("meta device: NOT RUN, transformers is not installed (pip install -e '.[verify]')")


def meta(name: str) -> float | None:
    """Return milliseconds for the model on the meta device, None when transformers does not know it."""
    from tests.test_params_transformers import meta_model

    config = json.loads(FRONTIER.read_text())[name]
    config.pop("_source")
    try:
        meta_model(config)  # imports the model's code
    except (ValueError, KeyError, AttributeError):
        return None
    return best(lambda: meta_model(config), runs=3)


def best(work: Callable[[], object], runs: int = 50) -> float:
    """Return the least CPU time of some runs in milliseconds (other programs on the machine do not count)."""
    times = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times) * 1000


if __name__ == "__main__":
    bench_params()
