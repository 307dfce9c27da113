"""`course params CONFIG.json`: where a model's parameters are, counted from its config alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from course_build.cli.terminal import Answer, json_option, say, table

if TYPE_CHECKING:
    from course_build.params import Inventory

_COLUMNS = {
    "part": ("part", "scope", "numbers", "parameters"),
    "layer": ("where", "kind", "layers", "count", "each", "parameters"),
    "tensor": ("tensor", "part", "shape", "copies", "parameters"),
}  # of the table; --json has all


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option(
    "--by", type=click.Choice(list(_COLUMNS)), default="part", show_default=True, help="What a row stands for."
)
@click.option("--pointer", default="", help="JSON pointer of the model, in a file of several.")
@json_option
def command(config: Path, by: str, pointer: str, as_json: bool) -> None:
    """Count a model's parameters from its config file, exactly and with formulas."""
    from course_build.files.source import load
    from course_build.params import inventory
    from course_build.params.report import as_json as counted
    from course_build.params.report import report

    with Answer(as_json) as answer:
        model = inventory(load(config, Path.cwd()), pointer)
        rows = report(model, by)
        answer.data |= {**counted(model), f"by_{by}": rows}
        if not as_json:
            _print(model, by, rows)


def _print(model: Inventory, by: str, rows: list[dict[str, Any]]) -> None:
    heads = _COLUMNS[by]
    shown = [[_cell(row[head]) for head in heads] + [f"{row['parameters'] / model.total:.2%}"] for row in rows]
    right = [index for index, head in enumerate(heads) if isinstance(rows[0][head], int)] if rows else []
    table([*heads, "share"], shown, right=[*right, len(heads)])
    scopes = " + ".join(f"{name} {count:,}" for name, count in model.scopes().items())
    say(f"{model.path}: {model.family}, {model.total:,} parameters in all ({scopes})")
    for omitted in model.traits.omitted:
        say(f"not counted: {omitted}")


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " × ".join(f"{each:,}" for each in value)
    return f"{value:,}" if isinstance(value, int) else str(value)
