"""An inventory as plain rows and as JSON: what the command prints and pages show.

report(inv, by="part")     one row per part and scope, with its formula
report(inv, by="layer")    one row per kind of layer, with the layers of that kind
report(inv, by="tensor")   one row per tensor
"""

from __future__ import annotations

from typing import Any

from course_build.params.derived import Quantity, facts, variants
from course_build.params.inventory import Inventory
from course_build.params.layers import Group, partition, shown
from course_build.params.tensor import Tensor

BY = ("part", "layer", "tensor")
Row = dict[str, Any]


def report(inv: Inventory, by: str = "part") -> list[Row]:
    """Return rows of plain values; the column `parameters` adds up to the total.

    Raises:
        ValueError: `by` is none of part, layer, tensor.
    """
    makers = {"part": _by_part, "layer": _by_layer, "tensor": _by_tensor}
    if by not in makers:
        raise ValueError(f"by is {by!r}, one of {', '.join(BY)} is expected")
    return makers[by](inv)


def as_json(inv: Inventory) -> Row:
    """Return everything countable as one JSON object.

    parts, parts_fine: coarse and finest division; scopes: text, vision …; each adds up to total.
    """
    return {
        "model_type": inv.family,
        "total": inv.total,
        "parts": inv.components(),
        "parts_fine": inv.parts(),
        "scopes": inv.scopes(),
        "variants": variants(inv),
        "not_counted": list(inv.traits.omitted),
        "derived": {name: _plain(quantity) for name, quantity in facts(inv).items()},
    }


def _plain(quantity: Quantity) -> Row:
    named = {"value": quantity.value, "unit": quantity.unit, "symbol": quantity.symbol, "numbers": quantity.numbers}
    return {key: value for key, value in named.items() if value != ""}


def _by_part(inv: Inventory) -> list[Row]:
    groups: dict[tuple[str, str], list[Tensor]] = {}
    for tensor in inv.tensors:
        groups.setdefault((tensor.scope, tensor.part), []).append(tensor)
    rows = []
    for (scope, part), tensors in groups.items():
        chosen = inv.selection(tensors, part)
        rows.append(
            {
                "part": part,
                "scope": scope,
                "parameters": chosen.count,
                "share": chosen.count / inv.total,
                "formula": chosen.symbol,
                "numbers": chosen.numbers,
            }
        )
    return rows


def _by_layer(inv: Inventory) -> list[Row]:
    outside: dict[tuple[str, str], int] = {}
    stacks: dict[str, dict[Group, int]] = {}
    for tensor in inv.tensors:
        if tensor.group is None:
            key = (tensor.scope, tensor.part)
            outside[key] = outside.get(key, 0) + tensor.count
        else:
            each = stacks.setdefault(tensor.group.stack, {})
            each[tensor.group] = each.get(tensor.group, 0) + tensor.count // tensor.group.times.value
    rows = [_row(f"outside layers, {scope}", part, "", 1, count) for (scope, part), count in outside.items()]
    for stack, each in stacks.items():
        for kind in partition(each):
            label = " + ".join(group.label for group in each if group in kind.groups and group.label)
            size = sum(each[group] for group in kind.groups)
            rows.append(_row(stack, label or "every layer", shown(kind.spans), kind.count, size))
    return rows


def _row(where: str, kind: str, layers: str, count: int, each: int) -> Row:
    return {"where": where, "kind": kind, "layers": layers, "count": count, "each": each, "parameters": count * each}


def _by_tensor(inv: Inventory) -> list[Row]:
    return [
        {
            "tensor": tensor.name,
            "shape": list(tensor.shape),
            "formula": " × ".join(dim.wrapped(2)[0] for dim in tensor.dims),
            "copies": tensor.copies,
            "parameters": tensor.count,
            "part": tensor.part,
            "scope": tensor.scope,
            "zero_centered": tensor.zero_centered,
            "dtype": tensor.dtype,
        }
        for tensor in inv.tensors
    ]
