"""Values as bytes and digests: layout does not count, every difference in the data does."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_build.files.source import MISSING
from course_build.keys import canonical, digest

DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=20,
)  # fmt: skip


def shuffled(value: Any) -> Any:
    """Return the same data with every object's keys in another order."""
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(value)}
    return [shuffled(each) for each in value] if isinstance(value, list) else value


@given(DATA)
def test_canonical_ignores_key_order(value: Any) -> None:
    """The order of keys is layout."""
    assert canonical(value) == canonical(shuffled(value))


@given(DATA, DATA)
def test_canonical_tells_values_apart(one: Any, other: Any) -> None:
    """Different data have different bytes; 1, 1.0 and true are different data."""
    assert (canonical(one) == canonical(other)) == (one == other and same_types(one, other))


def same_types(one: Any, other: Any) -> bool:
    """Tell whether two equal values also agree in the types of all their members."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(same_types(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return all(map(same_types, one, other))
    return type(one) is type(other) and repr(one) == repr(other)


@pytest.mark.parametrize(
    ("value", "error"),
    [(math.nan, ValueError), ([math.inf], ValueError), ({1: 2}, TypeError), ([{"a": {None: 2}}], TypeError),
     ({1, 2}, TypeError), ("\ud800", ValueError), (object(), TypeError)],
)  # fmt: skip
def test_canonical_refuses_what_json_has_not(value: Any, error: type[Exception]) -> None:
    """NaN, other keys than strings, sets and half characters are refused."""
    with pytest.raises(error):
        canonical(value)


def test_canonical_forms() -> None:
    """Tuples are lists, numpy values are what they hold, MISSING is unlike any data."""
    import numpy as np

    assert canonical({"b": (1, 2.0), "a": "重"}) == '{"a":"重","b":[1,2.0]}'.encode()
    assert canonical(np.arange(3)) == canonical([0, 1, 2])
    assert canonical([MISSING]) != canonical([None])
    assert canonical(-0.0) != canonical(0.0)


@given(st.lists(st.text("ab", max_size=3), max_size=4), st.lists(st.text("ab", max_size=3), max_size=4))
def test_digest_keeps_parts_apart(one: list[str], other: list[str]) -> None:
    """Moving a letter from one part to the next gives another digest."""
    assert (digest(*one) == digest(*other)) == (one == other)
