"""What a build costs: ours warm and cold against plain Material on the same rendered pages, in one run.

    python -m tests.bench_site [--rounds N]

Figures are CPU seconds (user + system) of whole processes; the median of N rounds, taken in turn.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests import plain_site

ROOT = Path(__file__).parents[1]


def cpu(command: list[str], folder: Path) -> float:
    """Return the CPU seconds of one finished command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def bare_computations() -> float:
    """Return the CPU seconds of the facts' own functions, nothing kept, the science imported."""
    code = (
        "import time; start = time.process_time()\n"
        "from pathlib import Path\n"
        "from course_build.facts.evaluate import Ledger\n"
        "from course_build.keys.store import Store\n"
        "spent = 0.0\n"
        "class Bare(Ledger):\n"
        "    def _value(self, definition, inputs, parts):\n"
        "        global spent\n"
        "        start = time.process_time()\n"
        "        value = definition.function(**{name: given.value for name, given in inputs.items()})\n"
        "        spent += time.process_time() - start\n"
        "        return value\n"
        "ledger = Bare(Path('.').resolve(), Store(Path('.cache/none')))\n"
        "ledger.load(Path('docs').resolve())\n"
        "ledger.evaluate()\n"
        "print(spent)\n"
    )
    answer = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    return float(answer.stdout)


def main() -> None:
    """Print the figures and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    mkdocs = [str(Path(sys.executable).with_name("mkdocs")), "build", "-q"]
    with tempfile.TemporaryDirectory() as name:
        plain = Path(name) / "plain"
        plain_site.write(ROOT, plain)
        ours = [*mkdocs, "-d", str(Path(name) / "ours")]
        cpu(ours, ROOT)  # fills the cache, compiles what is imported
        cpu(mkdocs, plain)
        times: dict[str, list[float]] = {"plain": [], "warm": [], "cold": [], "bare": []}
        for _ in range(rounds):
            times["plain"].append(cpu(mkdocs, plain))
            times["warm"].append(cpu(ours, ROOT))
            shutil.rmtree(ROOT / ".cache" / "course", ignore_errors=True)
            times["cold"].append(cpu(ours, ROOT))
            times["bare"].append(bare_computations())
    middle = {key: statistics.median(values) for key, values in times.items()}
    print(f"plain Material   {middle['plain']:.2f} s CPU   {_spread(times['plain'])}")
    print(f"ours, warm       {middle['warm']:.2f} s CPU   {_spread(times['warm'])}")
    print(f"ours, cold       {middle['cold']:.2f} s CPU   {_spread(times['cold'])}")
    print(f"bare computation {middle['bare']:.2f} s CPU   {_spread(times['bare'])}")
    pairs = sorted(warm / plain for warm, plain in zip(times["warm"], times["plain"], strict=True))
    print(f"warm / plain     {statistics.median(pairs):.2f}   (at most 1.3)")
    print(f"cold - plain - bare {middle['cold'] - middle['plain'] - middle['bare']:+.2f} s   (at most +1.0)")


def _spread(values: list[float]) -> str:
    return f"[{min(values):.2f}, {max(values):.2f}]"


if __name__ == "__main__":
    main()
