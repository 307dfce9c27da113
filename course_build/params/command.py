"""The commands `course params CONFIG.json` and `course anchor add FILE`, without the command line around them."""

from __future__ import annotations

import json as json_format
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from course_build.errors import CourseError, Problem
from course_build.params.count import inventory
from course_build.params.derived import Quantity, facts
from course_build.params.inventory import Inventory
from course_build.params.report import BY, Row, as_json, report
from course_build.source import load

ANCHOR = "experiments/configs/anchor-model.json"
COLUMNS = {  # what the terminal shows of a row
    "part": ("part", "scope", "parameters", "share", "numbers"),
    "layer": ("where", "kind", "layers", "count", "each", "parameters"),
    "tensor": ("tensor", "shape", "copies", "parameters", "part"),
}
OMITTED = {
    "mtp": "the multi-token prediction module that the config announces",
    "router_bias": "the router's correction bias (a buffer)",
}
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")


def params(config: Path, by: str = "part", json: bool = False, member: str = "") -> str:
    """Return what `course params` prints for any config file a user has.

    Args:
        config: the file.
        by: part, layer or tensor.
        json: one JSON object instead of a table: total, parts, parts_fine, scopes, variants, derived, rows.
        member: JSON pointer of the config inside the file, for a file of several models.

    Raises:
        CourseError: the file, its model_type or a key is not what is expected.
    """
    if by not in BY:
        raise CourseError(Problem("--by", 0, f"is {by!r}, one of {', '.join(BY)} is expected"))
    inv = inventory(load(config, Path.cwd()), member)
    rows = report(inv, by)
    if json:
        return json_format.dumps(as_json(inv) | {"by": by, "rows": rows}, ensure_ascii=False, indent=1)
    head = f"{inv.path}: {inv.family}, {inv.total:,} parameters"
    left_out = [f"not counted: {OMITTED[what]}" for what in inv.traits.omitted]
    return "\n".join([head, *left_out, "", table(rows, COLUMNS[by]), "", *_facts(inv)])


def table(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """Return rows as text, numbers to the right; the last column may be long and is not padded."""
    cells = [[column.replace("_", " ") for column in columns], *([_cell(row[c], c) for c in columns] for row in rows)]
    right = [all(isinstance(row[c], int | float) for row in rows) for c in columns]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    lines = []
    for line in cells:
        padded = [text.rjust(w) if r else text.ljust(w) for text, w, r in zip(line, widths, right, strict=True)]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def anchor_add(
    file: Path, root: Path, repository: str | None = None, revision: str | None = None
) -> str:  # fmt: skip
    """Bring a config in as the anchor model: checked, with its sha256 and source, in one step or not at all.

    Args:
        file: the config as published, or one that carries `_source` already (which is then kept).
        root: the project.
        repository, revision: where the config comes from, when the caller knows.

    Returns:
        One line saying what was written.

    Raises:
        CourseError: the config cannot be read or counted; the old anchor stays.
    """
    source = load(file, root)
    inv = inventory(source)
    config: dict[str, Any] = source.read("", dict)
    kept = config.pop("_source", None)
    hint = str(config.get("_name_or_path") or "")
    made = {
        "repository": repository or (hint if _REPOSITORY.fullmatch(hint) else None),
        "revision": revision,
        "sha256": source.digest,
        "note": f"Taken over whole from a file named {file.name}; sha256 is that file's.",
    }
    text = json_format.dumps({"_source": kept or made, **config}, ensure_ascii=False, indent=2)
    _replace(root / ANCHOR, text + "\n")
    return f"{ANCHOR}: {inv.family}, {inv.total:,} parameters, sha256 {(kept or made).get('sha256')}"


def _replace(path: Path, text: str) -> None:
    """Write beside the target, then rename onto it: a reader sees the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        Path(name).chmod(mode)
        os.replace(name, path)  # noqa: PTH105
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _cell(value: Any, column: str) -> str:
    if column == "share":
        return f"{value:.4%}"
    if isinstance(value, list):
        return "[" + ", ".join(f"{number:,}" for number in value) + "]"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _facts(inv: Inventory) -> list[str]:
    """Return the derived numbers, one a line, with the formula when it fits."""
    lines = []
    for name, quantity in facts(inv).items():
        number = f"{quantity.value:,}" if isinstance(quantity.value, int) else f"{quantity.value:.6g}"
        lines.append(f"{name:24} {number:>22} {quantity.unit:11} {_short(quantity)}".rstrip())
    return lines


def _short(quantity: Quantity) -> str:
    return quantity.numbers if len(quantity.numbers) <= 70 else f"{quantity.numbers[:67]}…"
