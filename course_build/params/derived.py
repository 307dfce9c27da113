"""Facts about a model that follow from its tensors and config: what one token uses, keeps, and is bounded by.

Each is a Quantity: value, formula in config keys, formula with numbers, the tensors behind it.

    active_params(inv)        parameters used for one token (of an MoE's experts, those chosen)
    kv_bytes_per_token(inv)   what generation must keep for every further token
    norm_rows(inv)            every kind of norm with place, shape, count
    activation_bound(inv)     how large one entry between the FFN's matrices can get
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from course_build.params.inventory import Inventory, count_formula
from course_build.params.plan import Cache
from course_build.params.sym import ATOM, ONE, QUOTIENT, ZERO, Sym, total
from course_build.params.tensor import Norm, Tensor
from course_build.params.words import PLACES, SCOPES

BF16 = 2  # bytes of a bfloat16
TABLES = ("embed", "pos_embed", "ple_embed")  # parts of which one token reads single rows


@dataclass(frozen=True)
class Quantity:
    """One derived number; `value` is None when the fact has no meaning for the model."""

    value: float | int | None
    unit: str = ""
    symbol: str = ""
    numbers: str = ""
    tensors: tuple[Tensor, ...] = ()


@dataclass(frozen=True)
class NormRow:
    """All norms of one kind at one place."""

    place: str  # key of words.PLACES
    scope: str
    part: str
    kind: str  # RMSNorm, LayerNorm
    width: int
    copies: int  # how many norms, a bias not counted
    params: int  # of gains and biases
    zero_centered: bool
    eps: float | None
    tensors: tuple[Tensor, ...]


def params(inv: Inventory, scope: str | None = None, part: str | None = None) -> Quantity:
    """Return the parameters of a scope (`text`, `text+mtp` …) or part; all of them when neither is given."""
    chosen = inv.select(part=part, scope=scope)
    return Quantity(chosen.count, "parameters", chosen.symbol, chosen.numbers, chosen.tensors)


def variants(inv: Inventory) -> dict[str, int]:
    """Return the totals that people quote: with and without vision, MTP, a tied head."""
    counts = dict.fromkeys(("text", "vision", "projector", "mtp"), 0) | inv.scopes()
    text, image = counts["text"], counts["vision"] + counts["projector"]
    table = sum(t.count for t in inv.tensors if t.part == "embed")
    head = sum(t.count for t in inv.tensors if t.part == "lm_head")
    untied = text + image + (0 if head else table)
    return {
        "text_only": text,
        "without_vision": text,
        "text_plus_vision": text + image,
        "text_plus_mtp": text + counts["mtp"],
        "checkpoint_total": inv.total,
        "untied": untied,
        "tied": untied - table,
        "text_only_tied_hypothetical": text - head,
        "checkpoint_tied_hypothetical": inv.total - head,
    }


def active_params(inv: Inventory, tables: bool = True) -> Quantity:
    """Return the text model's parameters used for one token.

    tables: count embedding tables in full, as model cards do. Without, they count only where the embedding
        is the output head too, since a token reads single rows of them.
    """
    tied = not any(tensor.part == "lm_head" for tensor in inv.tensors)
    chosen = tuple(
        tensor
        for tensor in inv.tensors
        if tensor.scope == "text"
        and (tables or tensor.part not in TABLES or (tied and tensor.part == "embed"))
        and tensor.part != "router_bias_buffer"
    )
    return _quantity(count_formula(chosen, active=True), "parameters", chosen)


def bytes_bf16(inv: Inventory, scope: str | None = None) -> Quantity:
    """Return the size of the weights if every one took 2 bytes."""
    chosen = inv.select(scope=scope).tensors
    return _quantity(count_formula(chosen) * BF16, "bytes", chosen)


def ffn_ratio(inv: Inventory) -> Quantity:
    """Return d_ff / d of the dense FFN."""
    return _ratio(inv, inv.traits.d_ff, "ffn")


def expert_ratio(inv: Inventory) -> Quantity:
    """Return the width of all routed experts of one token together, over d."""
    k, wide = inv.traits.k, inv.traits.d_expert
    return _ratio(inv, k * wide if k and wide else None, "ffn_experts")


def query_rows(inv: Inventory) -> Quantity:
    """Return the rows of the matrix that makes the queries; traits.q_reason says why that many."""
    rows = inv.traits.q_rows
    return _quantity(rows, "rows", _named(inv, "attention")) if rows else Quantity(None)


def kv_bytes_per_token(inv: Inventory, bytes_each: int = BF16) -> Quantity:
    """Return the bytes that the cache grows by with each token: layers × numbers × bytes."""
    growing = [c for c in inv.traits.caches if c.window is None and not c.state and c.layers.value]
    return _quantity(_bytes(growing, bytes_each), "bytes", ())


def kv_bytes_fixed(inv: Inventory, bytes_each: int = BF16) -> Quantity:
    """Return the bytes that stay the same however long the text: full windows, states of linear attention."""
    kept = [c for c in inv.traits.caches if (c.window is not None or c.state) and c.layers.value]
    return _quantity(_bytes(kept, bytes_each), "bytes", ())


def activation_bound(inv: Inventory) -> Quantity:
    """Return the largest absolute value of one entry of the FFN's hidden vector; None: there is no bound.

    SiTU: beta × linear beta.  Clamped SwiGLU at limit c: c · silu(c).  gpt-oss: (c + 1) · c · sigmoid(alpha · c).
    """
    traits = inv.traits
    if traits.situ:
        a, b = traits.situ
        symbol = "activation_situ_beta × activation_situ_linear_beta"
        return Quantity(a * b, "", symbol, f"{a:g} × {b:g}", _named(inv, "ffn"))
    if traits.limit is None:
        return Quantity(None)
    c, alpha = traits.limit, traits.alpha
    if alpha is None:
        symbol, numbers = "swiglu_limit × silu(swiglu_limit)", f"{c:g} × {c:g} ÷ (1 + exp(−{c:g}))"
        return Quantity(c * c / (1 + math.exp(-c)), "", symbol, numbers, _named(inv, "ffn"))
    symbol = "(swiglu_limit + 1) × swiglu_limit × sigmoid(swiglu_alpha × swiglu_limit)"
    numbers = f"({c:g} + 1) × {c:g} ÷ (1 + exp(−{alpha:g} × {c:g}))"
    return Quantity((c + 1) * c / (1 + math.exp(-alpha * c)), "", symbol, numbers, _named(inv, "ffn"))


def norm_rows(inv: Inventory) -> list[NormRow]:
    """Return the norms by scope and place, in the order of words.PLACES: a lesson's table of places."""
    found: dict[tuple[str, Norm, tuple[int, ...], str], list[Tensor]] = {}
    for tensor in inv.tensors:
        if tensor.norm:
            found.setdefault((tensor.scope, tensor.norm, tensor.shape, tensor.part), []).append(tensor)
    rows = [
        NormRow(
            norm.place,
            scope,
            part,
            norm.kind,
            math.prod(shape),
            sum(tensor.copies for tensor in tensors if not tensor.name.endswith(".bias")),
            sum(tensor.count for tensor in tensors),
            norm.zero_centered,
            norm.eps,
            tuple(tensors),
        )
        for (scope, norm, shape, part), tensors in found.items()
    ]
    scopes, places = list(SCOPES), list(PLACES)
    return sorted(rows, key=lambda row: (scopes.index(row.scope), places.index(row.place)))


def facts(inv: Inventory) -> dict[str, Quantity]:
    """Return all of a model's derived numbers by name."""
    out = {"params": params(inv)} | {f"params.{scope}": params(inv, scope) for scope in inv.scopes()}
    if any(tensor.active.value != tensor.times.value for tensor in inv.tensors):
        out |= {"active": active_params(inv), "active.without_tables": active_params(inv, tables=False)}
    out |= {
        "norms": params(inv, part="norm"),
        "ffn_ratio": ffn_ratio(inv),
        "expert_ratio": expert_ratio(inv),
        "query_rows": query_rows(inv),
        "kv_bytes_per_token": kv_bytes_per_token(inv),
        "kv_bytes_fixed": kv_bytes_fixed(inv),
        "bytes_bf16": bytes_bf16(inv),
        "activation_bound": activation_bound(inv),
    }
    return {name: quantity for name, quantity in out.items() if quantity.value}


def _bytes(caches: list[Cache], bytes_each: int) -> Sym:
    return total(_entries(c) for c in caches) * bytes_each if caches else ZERO


def _entries(cache: Cache) -> Sym:
    per_layer = cache.width * (cache.window or ONE)
    return cache.layers * (per_layer // cache.every if cache.every.value != 1 else per_layer)


def _ratio(inv: Inventory, wide: Sym | None, part: str) -> Quantity:
    if wide is None:
        return Quantity(None)
    d = inv.traits.d
    (symbol, numbers), (d_symbol, d_numbers) = wide.wrapped(QUOTIENT), d.wrapped(ATOM)
    text = f"{symbol} ÷ {d_symbol}", f"{numbers} ÷ {d_numbers}"
    return Quantity(wide.value / d.value, "", *text, _named(inv, part))


def _named(inv: Inventory, part: str) -> tuple[Tensor, ...]:
    return tuple(t for t in inv.tensors if t.scope == "text" and t.part.startswith(part))


def _quantity(sym: Sym, unit: str, tensors: Iterable[Tensor]) -> Quantity:
    return Quantity(sym.value, unit, sym.symbol, sym.numbers, tuple(tensors))
