"""Run our browser scripts outside a page: in Node where it is installed, else in Chromium."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
KERNELS = [f"docs/live/kernel/{name}.js" for name in ("prng", "norms", "residual", "meanfield", "decay")]
FORMAT = "course_build/web/format.js"


def run_js(files: list[str], function: str, argument: Any = None) -> Any:
    """Load `files` (from the root), call the JavaScript `function` with `argument`, return its JSON value.

    In the result NaN arrives as None, as JSON has none.
    """
    code = "\n".join((ROOT / file).read_text(encoding="utf-8") for file in files)
    if shutil.which("node"):
        script = f'{code}\nconst argument = JSON.parse(require("fs").readFileSync(0, "utf8"));'
        script += f"\nprocess.stdout.write(JSON.stringify(({function})(argument)) ?? 'null');"
        sent = json.dumps(argument)
        done = subprocess.run(["node", "-e", script], input=sent, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout, parse_int=_double)
    return _in_chromium(code, function, argument)


def _double(digits: str) -> float:
    """JavaScript prints large whole doubles without a point."""
    return float(digits) if len(digits) > 15 else int(digits)


def _in_chromium(code: str, function: str, argument: Any) -> Any:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()
        page.add_script_tag(content=code)
        return json.loads(
            page.evaluate(f"(a) => JSON.stringify(({function})(a)) ?? 'null'", argument), parse_int=_double
        )
