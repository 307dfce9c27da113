"""`course params CONFIG.json`: where a model's parameters are, counted from its config alone."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from course_build.cli.terminal import Answer, Json, say, table

if TYPE_CHECKING:
    from course_build.params import Inventory, Tensor


class By(Enum):
    """How the table is divided."""

    PART = "part"
    LAYER = "layer"
    TENSOR = "tensor"


def command(
    config: Annotated[Path, typer.Argument(help="A model's config.json.")],
    by: Annotated[By, typer.Option(help="One row for each part, kind of layer, or tensor.")] = By.PART,
    pointer: Annotated[str, typer.Option(help="JSON pointer of the model in a file of several.")] = "",
    json: Json = False,
) -> None:
    """Count a model's parameters from its config file, exactly and with formulas."""
    from course_build.params import inventory
    from course_build.source import load

    with Answer(json) as answer:
        model = inventory(load(config, Path.cwd()), pointer)
        rows = list({By.PART: _parts, By.LAYER: _layers, By.TENSOR: _tensors}[by](model))
        answer.data |= {
            "family": model.family,
            "total": model.total,
            "parts": model.parts(),
            "scopes": model.scopes(),
        }
        if by is not By.PART:
            answer.data[f"{by.value}s"] = rows
        if not json:
            _print(model, rows)


def _parts(model: Inventory) -> Iterator[dict[str, Any]]:
    """Yield a row for each part and scope, in the checkpoint's order."""
    for scope, part in dict.fromkeys((tensor.scope, tensor.part) for tensor in model.tensors):
        chosen = model.selection([t for t in model.tensors if (t.scope, t.part) == (scope, part)])
        yield {"part": part, "scope": scope, "formula": chosen.numbers, "count": chosen.count}


def _layers(model: Inventory) -> Iterator[dict[str, Any]]:
    """Yield a row for each kind of layer; tensors outside of all layers come last."""
    from course_build.params.layers import partition, shown

    inside = [tensor for tensor in model.tensors if tensor.group]
    for stack in dict.fromkeys(tensor.group.stack for tensor in inside if tensor.group):
        held = [tensor for tensor in inside if tensor.group and tensor.group.stack == stack]
        for kind in partition(tensor.group for tensor in held if tensor.group):
            each = sum(_per_layer(tensor) for tensor in held if tensor.group in kind.groups)
            names = "+".join(sorted({group.label for group in kind.groups if group.label}))
            yield {
                "layers": f"{stack} {shown(kind.spans)}",
                "kind": names,
                "formula": f"{kind.count:,} × {each:,}",
                "count": kind.count * each,
            }
    for tensor in model.tensors:
        if not tensor.group:
            yield {"layers": tensor.name, "kind": "", "formula": tensor.numbers, "count": tensor.count}


def _per_layer(tensor: Tensor) -> int:
    layers = tensor.group.times.value if tensor.group else 1
    return tensor.count // layers


def _tensors(model: Inventory) -> Iterator[dict[str, Any]]:
    for tensor in model.tensors:
        yield {
            "tensor": tensor.name,
            "part": tensor.part,
            "scope": tensor.scope,
            "shape": list(tensor.shape),
            "copies": tensor.copies,
            "dtype": tensor.dtype,
            "zero_centered": tensor.zero_centered,
            "formula": tensor.numbers,
            "count": tensor.count,
        }


def _print(model: Inventory, rows: list[dict[str, Any]]) -> None:
    hidden = {"dtype", "zero_centered", "formula"} if rows and "tensor" in rows[0] else set()
    heads = [head for head in rows[0] if head not in hidden] if rows else []
    shown = [[_cell(row[head]) for head in heads] + [f"{row['count'] / model.total:.2%}"] for row in rows]
    table([*heads, "share"], shown, right=(len(heads) - 1, len(heads)))
    scopes = " + ".join(f"{name} {count:,}" for name, count in model.scopes().items())
    say(f"{model.path}: {model.family}, {model.total:,} parameters in all ({scopes})")


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " × ".join(f"{each:,}" for each in value)
    return f"{value:,}" if isinstance(value, int) else str(value)
