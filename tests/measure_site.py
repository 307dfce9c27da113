"""Measure a built site as a phone meets it: the weight of the first view, and Lighthouse's scores.

    python -m tests.measure_site [--site site] [--runs 3] [--no-lighthouse] [PAGE ...]

The site is served compressed, as in production (tests/browser/serving.py).  Lighthouse is no dependency: npm's client
runs the pinned version on demand, in the Chromium of the tests, and the median of the runs counts (a busy machine costs
performance points: look at what it prints beside them).  Exit 1 when a budget is missed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from tests.browser import chromium
from tests.browser.serving import COMPRESSED, bound, serving

LIGHTHOUSE = "lighthouse@12.8.2"  # the last major version that runs on Node 18 to 22
BUDGET = 350_000  # bytes, gzip: HTML, CSS, JS, fonts of the first view without the chart library
LIBRARY = "plotly.js"
SCORES = {"performance": 90, "accessibility": 100, "best-practices": 100, "seo": 100}
PHONE = {"width": 412, "height": 823}


def first_view(url: str, site: Path) -> dict[str, int]:
    """Return the compressed size of every file that a phone asks for before anyone scrolls."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(chromium.ARGUMENTS))
        page = browser.new_page(viewport=PHONE, has_touch=True)  # type: ignore[arg-type]
        asked: list[str] = []
        page.on("request", lambda request: asked.append(urlsplit(request.url).path.lstrip("/")))
        page.goto(url, wait_until="networkidle")
        browser.close()
    return {name or "index.html": packed(site / (name or "index.html")) for name in dict.fromkeys(asked)}


def packed(path: Path) -> int:
    """Return the bytes that the server sends for a file."""
    data = path.read_bytes()
    return len(gzip.compress(data, 9)) if path.suffix in COMPRESSED else len(data)


def lighthouse(url: str) -> dict[str, float]:
    """Return Lighthouse's scores (0 to 100) for a phone, and print what cost points."""
    chrome = chromium.find()
    if chrome is None:
        sys.exit("Lighthouse needs Chromium; run python -m tests.browser.chromium")
    flags = " ".join(["--headless=new", *chromium.ARGUMENTS])
    command = ["npm", "exec", "--yes", "--package", LIGHTHOUSE, "--", "lighthouse", url, "--quiet", "--output=json"]
    answer = subprocess.run(
        [*command, f"--only-categories={','.join(SCORES)}", f"--chrome-flags={flags}"],
        env={**os.environ, "CHROME_PATH": chrome}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if answer.returncode:
        sys.exit(f"Lighthouse failed: {answer.stderr.strip()[-500:]}")
    report = json.loads(answer.stdout)
    for name, category in report["categories"].items():
        for part in category["auditRefs"]:
            audit = report["audits"][part["id"]]
            if part["weight"] and audit["score"] is not None and audit["score"] < 1:
                print(f"    {name}: {audit['id']} {audit['score']:.2f} {audit.get('displayValue', '')}")
    print(f"    machine: benchmark index {report['environment']['benchmarkIndex']:.0f}")
    return {name: 100 * category["score"] for name, category in report["categories"].items()}


def measure(site: Path, pages: list[str], runs: int) -> bool:
    """Print the figures of each page; return whether every budget is kept."""
    kept = True
    with bound() as (server, origin), serving(server, site):
        for page in pages:
            sizes = first_view(origin + page, site)
            total = sum(size for name, size in sizes.items() if not name.endswith(LIBRARY))
            kept &= total <= BUDGET
            print(f"{page}: first view {total / 1000:.1f} kB gzip of {BUDGET / 1000:.0f}")
            for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
                note = " (chart library, not counted)" if name.endswith(LIBRARY) else ""
                print(f"    {size / 1000:7.1f} kB  {name}{note}")
            if runs:
                found = [lighthouse(origin + page) for _ in range(runs)]
                scores = {name: median(run[name] for run in found) for name in SCORES}
                kept &= all(scores[name] >= least for name, least in SCORES.items())
                print("    " + " · ".join(f"{name} {scores[name]:.0f}/{least}" for name, least in SCORES.items()))
    return kept


def main() -> int:
    """Run the measurement from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("pages", nargs="*", help="pages below the site; default: the start and every lesson")
    parser.add_argument("--site", type=Path, default=Path("site"))
    parser.add_argument("--runs", type=int, default=3, help="of Lighthouse on each page")
    parser.add_argument("--no-lighthouse", action="store_true")
    given = parser.parse_args()
    site = given.site.resolve()
    if not (site / "index.html").is_file():
        sys.exit(f"{given.site}: no site there; run make site first")
    runs = 0 if given.no_lighthouse else given.runs
    if runs and not shutil.which("npm"):
        sys.exit("Lighthouse needs npm; without it: --no-lighthouse")
    pages = given.pages or ["index.html", *sorted(p.relative_to(site).as_posix() for p in site.glob("c*/*/index.html"))]
    return 0 if measure(site, pages, runs) else 1


if __name__ == "__main__":
    sys.exit(main())
