"""The simulator's bands as a process of its own: a job as JSON on stdin, one JSON line on stdout."""

from __future__ import annotations

import json
import sys
from typing import Any

from experiments.bands import seed_bands


def rounded(value: Any) -> Any:
    """Return `value` with every float, however deep, to six significant digits."""
    if isinstance(value, dict):
        return {key: rounded(member) for key, member in value.items()}
    if isinstance(value, list):
        return [rounded(member) for member in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def main() -> int:
    """Compute the bands of the job's values {n, gain, first, seeds}."""
    values = json.load(sys.stdin)["values"]
    seeds = range(values["first"], values["first"] + values["seeds"])
    bands = seed_bands(values["n"], values["gain"], seeds)
    sys.stdout.write(json.dumps({"end": rounded(bands)}, allow_nan=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
