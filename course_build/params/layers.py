"""Layers told apart by kind, never one by one: how many there are, and where they stand."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from course_build.params.sym import Sym


@dataclass(frozen=True, slots=True)
class Group:
    """The layers of one stack that hold a certain tensor."""

    label: str  # "full_attention", "dense" … ; "" = every layer of the stack
    times: Sym  # how many
    spans: tuple[range, ...]  # their 0-based indices
    stack: str  # common name, "model.layers"


@dataclass(frozen=True, slots=True)
class LayerKind:
    """Layers of one stack that hold exactly the same tensors."""

    stack: str
    groups: frozenset[Group]
    count: int
    spans: tuple[range, ...]


def every(L: Sym, stack: str) -> Group:
    """Return the group of all layers."""
    return Group("", L, (range(L.value),), stack)


def interval(L: Sym, step: Sym, kinds: tuple[str, str], stack: str) -> dict[str, Group]:
    """Return (the others, every step-th layer) when a config gives an interval and no list.

    Layer i (from 0) is of the second kind when (i + 1) mod step = 0, so ⌊L ÷ step⌋ layers are.
    """
    others, nth = kinds
    at = range(step.value - 1, L.value, step.value)
    rest = tuple(range(start, L.value, step.value) for start in range(min(step.value - 1, L.value)))
    many = L // step
    made = {others: Group(others, L - many, rest, stack), nth: Group(nth, many, (at,), stack)}
    return {kind: group for kind, group in made.items() if group.times.value}


def without(
    kinds: dict[str, Group], source: str, target: str, indices: Iterable[int], key: str, pointer: str
) -> dict[str, Group]:
    """Move single layers from one group to another: those of `indices` that are in `source`.

    key, pointer: the config key that lists them, for the formula.
    """
    moved = sorted({i for i in indices if any(i in span for span in kinds[source].spans)} if source in kinds else ())
    if not moved:
        return kinds
    old, number = kinds[source], Sym.key(f"count({key})", len(moved), pointer)
    left = tuple(piece for span in old.spans for piece in _cut(span, moved))
    singles = tuple(range(at, at + 1) for at in moved)
    out = kinds | {source: Group(source, old.times - number, left, old.stack)}
    there = kinds.get(target)
    times = there.times + number if there else number
    out[target] = Group(target, times, (there.spans if there else ()) + singles, old.stack)
    return {kind: group for kind, group in out.items() if group.times.value}


def _cut(span: range, indices: Iterable[int]) -> Iterator[range]:
    """Yield what is left of `span` without the sorted `indices`."""
    start = 0
    for at in indices:
        if at in span:
            k = (at - span.start) // span.step
            if k > start:
                yield span[start:k]
            start = k + 1
    if start < len(span):
        yield span[start:]


def first(L: Sym, k: Sym, kinds: tuple[str, str], stack: str) -> dict[str, Group]:
    """Return (the first k layers, the others)."""
    k = L if k.value > L.value else k
    head, rest = kinds
    made = {
        head: Group(head, k, (range(k.value),), stack),
        rest: Group(rest, L - k if k.value else L, (range(k.value, L.value),), stack),
    }
    return {kind: group for kind, group in made.items() if group.times.value}


def runs(entries: Sequence[str]) -> dict[str, tuple[range, ...]]:
    """Return entry -> the stretches where it stands: [a, a, b, a] -> {a: (0-1, 3), b: (2,)}."""
    found: dict[str, list[range]] = {}
    at = 0
    for kind, stretch in itertools.groupby(entries):
        length = len(list(stretch))
        found.setdefault(kind, []).append(range(at, at + length))
        at += length
    return {kind: tuple(spans) for kind, spans in found.items()}


def partition(groups: Iterable[Group]) -> list[LayerKind]:
    """Return the kinds of layer of one stack, in order of first appearance.

    Between two edges of spans membership repeats with the longest step, so the work grows with the length
    of the config's lists, never with the number of layers.
    """
    known = list(dict.fromkeys(groups))
    steps = [span.step for group in known for span in group.spans]
    period = max(steps, default=1)
    edges = sorted({edge for group in known for span in group.spans for edge in _edges(span)})
    starts = _by_start(known)
    active: list[tuple[range, Group]] = []
    found: dict[frozenset[Group], list[range]] = {}
    for begin, end in itertools.pairwise(edges):
        active = [(span, group) for span, group in active if span.stop > begin] + starts.get(begin, [])
        for at in range(begin, min(end, begin + period)):
            held = frozenset(group for span, group in active if at in span)
            if held:
                found.setdefault(held, []).append(range(at, end, period))
    return [LayerKind(known[0].stack, held, sum(map(len, spans)), _merged(spans)) for held, spans in found.items()]


def shown(spans: Sequence[range]) -> str:
    """Return indices for people: `0–2, 4–6 … 60–62` or `3, 7 … 63`."""
    texts = [_span(span) for span in spans]
    return f"{texts[0]}, {texts[1]} … {texts[-1]}" if len(texts) > 4 else ", ".join(texts)


def _span(span: range) -> str:
    if len(span) == 1:
        return f"{span[0]:,}"
    if span.step == 1:
        return f"{span[0]:,}–{span[-1]:,}"
    return f"{span[0]:,}, {span[1]:,} … {span[-1]:,}" if len(span) > 2 else f"{span[0]:,}, {span[1]:,}"


def _edges(span: range) -> tuple[int, int]:
    return span.start, span.stop


def _by_start(groups: Iterable[Group]) -> dict[int, list[tuple[range, Group]]]:
    starts: dict[int, list[tuple[range, Group]]] = {}
    for group in groups:
        for span in group.spans:
            starts.setdefault(span.start, []).append((span, group))
    return starts


def _merged(spans: list[range]) -> tuple[range, ...]:
    """Join neighbours (0-2, 3-5 -> 0-5); a span of step s that holds one index counts as plain."""
    out: list[range] = []
    for span in spans:
        plain = span if len(span) > 1 else range(span[0], span[0] + 1)
        if out and out[-1].step == plain.step == 1 and out[-1].stop == plain.start:
            out[-1] = range(out[-1].start, plain.stop)
        else:
            out.append(plain)
    return tuple(out)
