"""Equations of ledger numbers in formulas are computed; what is symbolic is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.courses import FACTS, convert, course, problems

MORE = FACTS + (
    '\n\n@fact("toy.third", title="三分", how="{a} / {b}", format=".2f")\n'
    'def third(a=data.at("/a"), b=data.at("/b")):\n    return a / b\n'
    '\n\n@fact("toy.name", title="名字", by="数据")\ndef name(n=data.at("/name")):\n    return n\n'
)


@pytest.mark.parametrize(
    "latex",
    [
        r"\val{toy.sum} \cdot 2 = \val{toy.double}",
        r"2\val{toy.sum} = \val{toy.double} = \val{toy.sum} + \val{toy.sum}",
        r"2(\val{toy.sum} + 1) - 2 = \val{toy.double:.2f}",
        r"\frac{2}{\val{toy.sum} - 2} = \val{toy.third}",
        r"\sqrt{\val{toy.sum}^{2}} = \val{toy.sum} \text{ 个}",
        r"\left(\val{toy.sum}\right)^2 > \val{toy.double} \ge \val{toy.sum}",
        r"\val{toy.third} \approx \frac{2}{2 + 1}",
        r"N = \val{toy.sum}, \qquad M = \val{toy.double}",
        r"x \cdot \val{toy.sum} = \val{toy.sum}",
        r"\val{toy.sum} = N = \val{toy.double}",
        r"\sum_{i=1}^{\val{toy.sum}} x_i = \val{toy.double}",
        r"\val{toy.name} = \val{toy.sum}",
        r"\begin{aligned} a &= \val{toy.sum} \\ &= \val{toy.sum} \end{aligned}",
        r"\val{toy.sum}",
    ],
)
def test_what_holds_or_says_nothing_passes(tmp_path: Path, latex: str) -> None:
    """True relations, rounding within the shown digits, and symbols."""
    built = course(tmp_path, {"docs/facts.py": MORE}, name="x")
    convert(built, f"$$ {latex} $$")
    assert problems(built) == []


@pytest.mark.parametrize(
    ("latex", "said"),
    [
        (r"\val{toy.sum} \cdot \val{toy.sum} = \val{toy.double}", "says 25 = 10"),
        (r"\val{toy.sum} = \val{toy.double}", "says 5 = 10"),
        (r"\val{toy.sum} + 1 = 2 \cdot \val{toy.sum}", "says 6 = 10"),
        (r"x = \val{toy.sum} = \val{toy.double}", "says 5 = 10"),
        (r"\val{toy.sum} + \val{toy.third} = \val{toy.sum}", "says 5.667 = 5"),
        (r"\frac{\val{toy.sum}}{2} = 2", "says 2.5 = 2"),
        (r"\val{toy.sum} > \val{toy.double}", "says 5 > 10"),
        (r"\val{toy.sum} < \val{toy.sum}", "says 5 < 5"),
        (r"\val{toy.double} \leq \val{toy.sum}", "says 10 ≤ 5"),
        (r"\val{toy.sum} \approx \val{toy.double}", "says 5 ≈ 10"),
        (r"\frac{\val{toy.sum}}{2} = \val{toy.third}", "says 2.5 = 0.6667"),
        (r"a = b, \quad \term{x}{\val{toy.sum}} = \val{toy.double}", "says 5 = 10"),
    ],
)
def test_what_does_not_hold_is_told_with_its_values(tmp_path: Path, latex: str, said: str) -> None:
    """Both sides' values stand in the message, at the formula's line, inline, displayed and in a block."""
    built = course(tmp_path, {"docs/facts.py": MORE}, name="x")
    block = f"好。\n/// formula | f\n$$\n{latex}\n$$\n\nx\n:   甲\n///\n"
    convert(built, block if "term" in latex else f"好。\n\n$$\n{latex}\n$$\n")
    found = [(line, told) for line, told in problems(built) if "does not hold" in told]
    assert [line for line, _ in found] == [4]
    assert said in found[0][1]
