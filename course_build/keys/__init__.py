"""Keys: sha256 over the content of everything a result depends on; never a date or a layout.

    canonical(value)         JSON bytes with sorted keys and no white space
    digest(*parts)           sha256 over parts, each with its length, so that ("ab", "c") != ("a", "bc")
    code_parts(f, root)      what the code of a function depends on (codebase.py says which parts there are)
    code_key(f, root)        one digest over that

One build asks one `Codebase`, which reads each file once; the two functions here open a new one each time.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from course_build.keys.canonical import canonical, digest
from course_build.keys.codebase import Codebase

__all__ = ["Codebase", "canonical", "code_key", "code_parts", "digest"]


def code_parts(function: Callable[..., Any], root: Path) -> dict[str, str]:
    """Return what the result of `function` depends on beside its arguments, sorted by part name."""
    return Codebase(root).parts(function)


def code_key(function: Callable[..., Any], root: Path) -> str:
    """Return one digest over code_parts."""
    return digest(canonical(code_parts(function, root)))
