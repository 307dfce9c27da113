"""Find the Chromium that the tests drive.

`python -m tests.browser.chromium` installs it on Debian (as root) or says what to install.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
PACKAGES = ("chromium", "fonts-noto-cjk")
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


def find() -> str | None:
    """Return the path of a Chromium ($CHROMIUM first), or None."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    return next((path for path in map(shutil.which, NAMES) if path), None)


def has_chinese() -> bool:
    """Return whether a font with Chinese is installed (without one every page is measured on empty boxes)."""
    fonts = shutil.which("fc-list")
    if not fonts:
        return True
    answer = subprocess.run([fonts, ":lang=zh-cn", "family"], capture_output=True, text=True, check=False)
    return bool(answer.stdout.strip())


def main() -> int:
    """Make sure that the browser tests can run: nothing to do, install as root on Debian, or say what is missing."""
    if find() and has_chinese():
        return 0
    wanted = " ".join(PACKAGES)
    if not shutil.which("apt-get") or os.geteuid() != 0:
        print("the browser tests need Chromium and a Chinese font", file=sys.stderr)
        print(f"on Debian, as root: apt-get install {wanted}", file=sys.stderr)
        print("elsewhere: install Chromium or Chrome, and set CHROMIUM to its path", file=sys.stderr)
        return 1
    install = ["apt-get", "install", "-q", "-y", "--no-install-recommends", *PACKAGES]
    for command in (["apt-get", "update", "-q"], install):
        done = subprocess.run(command, check=False, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        if done.returncode:
            print(f"failed: {' '.join(command)}", file=sys.stderr)
            return 1
    return 0 if find() else 1


if __name__ == "__main__":
    sys.exit(main())
