"""Every benchmark in one run: `make bench`. Figures are ratios within the run; nothing is asserted."""

from __future__ import annotations

import subprocess
import sys

PARTS = ("bench_site", "bench_serve", "bench_params", "bench_train")


def main() -> None:
    """Run the parts one after the other, each in a process of its own."""
    for part in PARTS:
        print(f"== {part}", flush=True)
        subprocess.run([sys.executable, "-m", f"tests.{part}"], check=False)


if __name__ == "__main__":
    main()
