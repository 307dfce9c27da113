"""Claims: verdicts with both sides, typed tolerances, and claims that nothing can falsify."""

import re
from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_build.expr import Lookup, Value
from course_build.expr.claims import ClaimError, Inputs, Recompute, evaluate_claim, falsify, typed_tolerances

VALUES: dict[str, Value] = {
    "run.ln": 4.6266,
    "run.rms": 4.6263,
    "noise": 0.01,
    "wide": 10**9,
    "x": 3,
    "y": 5,
    "zero": 0,
    "l": 1,
    "params": 660480,
    "total": 27781427952,
    "v": (1, 2, 3, 6),
    "long": tuple(range(1000)),
    "name": "Qwen",
    "yes": True,
    "huge": 1e300,
}


def test_a_verdict_holds_both_sides_and_the_filled_text() -> None:
    """A true claim shows its values to readers."""
    verdict = evaluate_claim("x < y and run.ln > run.rms", VALUES.__getitem__)
    assert verdict.true
    assert verdict.filled == "3 < 5 且 4.6266 > 4.6263"
    assert [(side.text, side.left, side.right, side.true) for side in verdict.sides] == [
        ("x < y", 3, 5, True),
        ("run.ln > run.rms", 4.6266, 4.6263, True),
    ]
    assert verdict.values == {"x": 3, "y": 5, "run.ln": 4.6266, "run.rms": 4.6263}


def test_a_false_verdict_tells_what_decided() -> None:
    """The comparison that failed is quoted with both values, the others are not."""
    verdict = evaluate_claim("x < y and run.ln < run.rms", VALUES.__getitem__)
    assert not verdict.true
    assert verdict.told == "run.ln < run.rms with 4.6266 and 4.6263"
    assert evaluate_claim("all(v > 2)", VALUES.__getitem__).told == "v > 2 with [1, 2, 3, 6] and 2"


def test_values_are_shown_by_the_callers_rule() -> None:
    """`show(id)` prints a value, also one that evaluation did not reach."""
    verdict = evaluate_claim("x > y and run.ln > 1", VALUES.__getitem__, lambda name: f"<{name}>")
    assert verdict.filled == "<x> > <y> 且 <run.ln> > 1"
    assert evaluate_claim("x > y and run.ln > 1", VALUES.__getitem__).filled == "3 > 5 且 4.6266 > 1"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x +", "found the end"),
        ("x + y", "a comparison is needed here, this is a number (with x = 3, y = 5)"),
        ("v > 0", "all(...) or any(...)"),
        ("nope > 1", "unknown id nope"),
        ("x / zero > 1", "divides by zero"),
        ("name", "a comparison is needed"),
    ],
)
def test_what_is_no_claim_is_an_error(text: str, says: str) -> None:
    """A claim is one truth value, or it is refused."""
    with pytest.raises(ClaimError, match=re.escape(says)):
        evaluate_claim(text, VALUES.__getitem__)


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("abs(run.ln - run.rms) < 0.01", ["0.01"]),
        ("x > 1e3 and y < 2.5", ["1e3", "2.5"]),
        ("x > 101", ["101"]),
        ("x > 10 and y < 1 / 2 and v[0] == 1 and x != 100", []),
        ("abs(run.ln - run.rms) < noise", []),
    ],
)
def test_typed_tolerances(text: str, typed: list[str]) -> None:
    """Constants other than small whole numbers are quoted with their column."""
    found = typed_tolerances(text)
    assert [complaint.split()[2] for complaint in found] == typed


def emptiness(text: str, values: Mapping[str, Value]) -> str | None:
    """Return why a claim is empty when each of its ids may be changed."""
    return falsify(text, Inputs.ids(values)).empty or None


@pytest.mark.parametrize(
    "text",
    [
        "x == x",
        "x - x < 1",
        "x + 1 > x",
        "l + 1 > l",
        "x / x == 1",
        "x <= x",
        "not x != x",
        "x * x >= 0",
        "sqrt(x) >= 0",
        "abs(x) >= 0",
        "abs(run.ln - run.rms) >= 0",
        "max(x, y) >= x",
        "min(v) <= mean(v)",
        "min(v) <= max(v)",
        "x + y - y == x",
        "(x + y) ** 2 == x ** 2 + 2 * x * y + y ** 2",
        "yes or not yes",
        "name == name",
        "1 < 2",
        "all(v == v)",
        "len(v) >= 0",
        "v[0] == first(v)",
        "x == x and run.ln > run.rms",
        "run.ln > run.rms and x == x",
        "(run.ln > run.rms and x == x) and y > 1",
        "0 <= x * x <= wide * wide",
        "abs(run.ln - run.rms) < 1e9",
        "abs(run.ln - run.rms) < wide",
        "abs(run.ln - run.rms) <= 100",
        "wide > abs(run.ln - run.rms)",
        "all(abs(v - mean(v)) < wide)",
        "x < y and abs(x - y) < total",
    ],
)
def test_a_claim_that_nothing_falsifies_is_empty(text: str) -> None:
    """Tautologies, and tolerances that hold for everything, are reported and quoted."""
    assert evaluate_claim(text, VALUES.__getitem__).true
    reason = emptiness(text, VALUES)
    assert reason
    assert "is empty" in reason
    assert reason.split("`")[1] in text


@pytest.mark.parametrize(
    "text",
    [
        "run.ln > run.rms",
        "abs(run.ln - run.rms) < noise",
        "abs(run.ln - run.rms) < noise and x < y",
        "x > zero",
        "x != 17",
        "x != y",
        "x + 14 != y",
        "not x == 17",
        "x < y < params < total",
        "params / total < 1 / 100",
        "params == 660480",
        "rising(v)",
        "rising(long)",
        "all(v > 0)",
        "all(long >= 0)",
        "any(v > 5)",
        "long[500] == 500",
        "len(v) == 4",
        "v[-1] > v[0]",
        "sum(v) == 12",
        "name == 'Qwen'",
        "name != 'Llama'",
        "yes",
        "x > 1 or y > 1",
        "max(x, y) > x",
        "abs(x - y) <= 2",
        "huge > 1",
    ],
)
def test_a_claim_that_says_something_is_not_empty(text: str) -> None:
    """For each of these some change of an input gives the opposite."""
    assert evaluate_claim(text, VALUES.__getitem__).true
    assert emptiness(text, VALUES) is None


def test_a_false_or_undefined_claim_is_not_called_empty() -> None:
    """It has an error of its own already."""
    assert emptiness("x > y", VALUES) is None
    assert emptiness("x / zero > y", VALUES) is None


def below(leaves: Mapping[str, Value], recompute: Recompute) -> Inputs:
    """Return inputs that every id stands on."""
    return Inputs(leaves, recompute, lambda name: list(leaves))


def test_inputs_further_down_are_recomputed() -> None:
    """Two ids that hang on one input can not be told apart by changing that input: the claim is empty."""

    def recompute(changed: Mapping[str, Value]) -> Lookup:
        layers = changed.get("config.layers", 64)
        assert isinstance(layers, int | float)
        return {"writes": 2 * layers, "norms": 2 * layers + 1}.__getitem__

    inputs = below({"config.layers": 64}, recompute)
    assert falsify("norms > writes", inputs).empty == (
        "`norms > writes` is empty: no change of an input can make it false"
    )
    assert falsify("norms > 2 * 64", inputs).changes == ({"config.layers": 63},)
    assert emptiness("norms > writes", {"norms": 129, "writes": 128}) is None


def test_a_recomputation_that_fails_is_not_a_falsification() -> None:
    """An input that the facts refuse makes nothing false."""

    def recompute(changed: Mapping[str, Value]) -> Lookup:
        if changed:
            raise ValueError("no such model")
        return {"x": 3}.__getitem__

    assert falsify("x > 1", below({"config": 1}, recompute)).empty


def test_only_what_a_part_stands_on_is_changed() -> None:
    """A tolerance is judged by what its left side stands on, not by its own input."""
    values: dict[str, Value] = {"a": 1.0, "b": 1.1, "t": 1000.0}
    leaves = {f"file#{name}": value for name, value in values.items()}
    inputs = Inputs(
        leaves,
        lambda changed: {name: changed.get(f"file#{name}", value) for name, value in values.items()}.__getitem__,
        lambda name: [f"file#{name}"],
    )
    assert "wide enough" in falsify("abs(a - b) < t", inputs).empty


def test_a_hint_is_tried_first() -> None:
    """What an earlier search found costs one evaluation."""
    hint = {"x": 3}
    inputs = Inputs({"x": 7}, lambda changed: {"x": changed.get("x", 7)}.__getitem__, lambda name: ["x"], 0, [hint])
    assert falsify("x > 5", inputs).changes == (hint,)
    assert falsify("x > 2", inputs).empty


def test_the_smallest_change_is_found() -> None:
    """One step of the input that is nearest to the edge, and numbers before words."""
    assert falsify("x < y", Inputs.ids({"x": 4, "y": 5})).changes == ({"x": 5},)
    assert falsify("x < y and name == 'a'", Inputs.ids({"name": "a", "x": 1.0, "y": 1.005})).changes == (
        {"x": 1.01},
        {"name": ""},
    )


NUMBERS = st.integers(-50, 50)
SIDES = st.recursive(
    st.sampled_from(["a", "b", "2", "1"]),
    lambda part: st.tuples(part, st.sampled_from("+-*"), part).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
    max_leaves=4,
)


@given(SIDES, SIDES, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), NUMBERS, NUMBERS)
@settings(max_examples=300, deadline=None)
def test_agrees_with_a_search_by_hand(left: str, right: str, op: str, a: int, b: int) -> None:
    """When Python finds a single change of a documented size that makes it false, the claim is not empty."""
    text = f"{left} {op} {right}"
    code = compile(text, "claim", "eval")
    x, y = Fraction(a), Fraction(b)
    changed_a = (0 * x, -x, x / 2, 2 * x, x + 1, x - 1)
    changed_b = (0 * y, -y, y / 2, 2 * y, y + 1, y - 1)
    pairs = [*((v, y) for v in changed_a), *((x, v) for v in changed_b)]
    falsified = any(not eval(code, {"a": v, "b": w}) for v, w in pairs)
    if eval(code, {"a": x, "b": y}) and falsified:
        assert emptiness(text, {"a": a, "b": b}) is None


@given(SIDES, NUMBERS, NUMBERS)
@settings(max_examples=100, deadline=None)
def test_tautologies_are_always_found(side: str, a: int, b: int) -> None:
    """`s == s`, `s <= s` and `s - 1 < s` are empty whatever s is."""
    for text in (f"{side} == {side}", f"{side} <= {side}", f"{side} - 1 < {side}"):
        assert emptiness(text, {"a": a, "b": b}) is not None
