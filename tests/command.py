"""The command line, run in this process."""

from __future__ import annotations

import io
import json
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_build.__main__ import main


@dataclass(frozen=True)
class Result:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """Return the JSON object on standard output."""
        return json.loads(self.out)


def course(folder: Path, *arguments: str) -> Result:
    """Run a command in a folder, in this process."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["course", *arguments]
    code: Any = 0
    try:
        with chdir(folder), redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as done:
        code = done.code
    finally:
        sys.argv = before
    return Result(code, out.getvalue(), err.getvalue())
