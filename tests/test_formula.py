"""Formulas: what compiles, what is refused and where, terms, and numbers from the ledger."""

import re
import xml.etree.ElementTree as ET

import pytest

from course_build.mathml.render import FormulaError, block, inline

RMS = (
    r"\term{y}{y} = \frac{\term{x}{x}}{\term{root}{\sqrt{\term{mean}{\frac1d\sum_{i=1}^d x_i^2}"
    r"+\term{eps}{\varepsilon}}}} \odot (\term{gain}{1 + w})"
)


def show(name: str, spec: str) -> str:
    """Stand in for the ledger."""
    values = {("n.params", ""): "660,480", ("n.share", ".2%"): "0.24%", ("n.eps", "e"): "6 × 10⁻⁹"}
    values |= {("n.minus", ".3f"): "−1.069", ("n.list", ""): "[1, 2, 3]", ("n.html", ""): "<b>"}
    if (name, spec) not in values:
        raise KeyError(f"unknown fact {name}; nearest: n.params")
    return values[name, spec]


def text(mathml: str) -> str:
    """Return the text of well-formed MathML."""
    return "".join(ET.fromstring(mathml).itertext()).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        ("|x|", "|x|"),
        (r"\{a\}", "{a}"),
        ("a{{b}}", "ab"),
        ("{#c}", "#c"),
        ("a<b", "a<b"),
        (r"\text{中文 abc <b>}", "中文 abc <b>"),
        (r"\begin{cases}a & x>0\\ b & \text{其他}\end{cases}", "{ax>0b其他\u2063"),
        (r"\begin{pmatrix}1 & 2\\3 & 4\end{pmatrix}", "(1234)"),
        (r"x_L = x_0 + \sum_{l=0}^{L-1} F_l", "xL=x0+∑l=0L−1Fl"),
        (r"\operatorname{RMS}(x)", "RMS\u2061(x)"),
        (r"50\%", "50%"),
        ("5,120", "5,120"),
        ("1,234,567.5", "1,234,567.5"),
        ("f(1, 2)", "f(1,2)"),
        (r"\text{a \val{n.share:.2%}}", "a 0.24%"),
    ],
)
def test_everything_written_is_shown(latex: str, shown: str) -> None:
    """Every character of a formula is in the MathML, in its order, and the MathML is well-formed."""
    assert text(inline(latex)) == shown if "val" not in latex else text(inline(latex, show)) == shown


@pytest.mark.parametrize(
    ("latex", "line", "column", "said"),
    [
        (r"a + \foo", 0, 5, "Unknown command"),
        ("a\n+ \\frac{1}{2", 1, 13, "Expected closing"),
        (r"中文\foo", 0, 3, "Unknown command"),
        (r"\val{n.params} + \foo", 0, 18, "Unknown command"),
        (r"\term{a}{\foo}", 0, 10, "Unknown command"),
        ("a % b", 0, 3, r"write \%"),
        (r"a \\ b", 0, 3, "aligned"),
        (r"\begin{align}a&=b\end{align}", 0, 1, "aligned"),
        (r"\boxed{x}", 0, 1, "do not draw"),
        (r"x \color{red} y", 0, 3, r"\term"),
        (r"\def\x{y}\x", 0, 1, "macros"),
        ("  ", 0, 1, "empty"),
        ("x\ue001y", 0, 2, "U+E001"),
        ("x\u200by", 0, 2, "U+200B"),
        (r"\val{n.parms}", 0, 1, "nearest: n.params"),
        (r"\val{}", 0, 1, "id of a fact"),
        (r"\text{\term{a}{b}}", 0, 7, "inside"),
        ("x\\", 0, 2, "backslash"),
        ("x & y", 0, 3, "table-like"),
        ("}", 0, 1, "Unmatched"),
    ],
)
def test_what_would_be_lost_is_refused_with_its_place(latex: str, line: int, column: int, said: str) -> None:
    """A formula that cannot be shown as written is an error at its line and column."""
    with pytest.raises(FormulaError, match=re.escape(said)) as caught:
        block(latex, "f", show)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_terms_keep_their_order_and_nest() -> None:
    """Each term is one mrow with id, in reading order; inner terms lie inside outer ones."""
    formula = block(RMS, "norm.rms")
    tree = ET.fromstring(formula.mathml)
    found = [element.get("data-term") for element in tree.iter("mrow") if element.get("class") == "term"]
    assert found == ["y", "x", "root", "mean", "eps", "gain"] == list(formula.terms)
    root = next(element for element in tree.iter("mrow") if element.get("data-term") == "root")
    assert [inner.get("id") for inner in root.iter("mrow") if inner is not root and inner.get("id")] == [
        "norm.rms-mean",
        "norm.rms-eps",
    ]
    assert "color" not in formula.mathml
    assert 'display="block"' in formula.mathml


def test_a_term_twice_has_one_legend_and_two_ids() -> None:
    """The same term at two places keeps ids unique."""
    formula = block(r"\term{x}{x} + \term{x}{x}", "f")
    assert re.findall(r'id="([^"]+)"', formula.mathml) == ["f-x", "f-x-2"]
    assert formula.terms == ("x",)


def test_a_part_is_the_term_alone() -> None:
    """The legend can show a term's own MathML, without the marks of inner terms."""
    parts = block(RMS, "f").parts
    assert text(parts["gain"]) == "1+w"
    assert "data-term" not in parts["root"]


def test_inline_formulas_have_no_terms() -> None:
    r"""A \term outside of a block is an error, not a dead mark."""
    with pytest.raises(FormulaError, match="block with an id"):
        inline(r"\term{x}{x}")


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\val{n.params}", '<mrow class="num" data-id="n.params"><mn>660,480</mn></mrow>'),
        (r"\val{n.share:.2%}", "<mn>0.24%</mn>"),
        (r"\val{n.minus:.3f}", "<mn>1.069</mn>"),
        (r"\val{n.eps:e}", "<mn>6</mn><mo>×</mo><msup><mn>10</mn><mn>−9</mn></msup>"),
        (r"\val{n.list}", "<mtext>[1, 2, 3]</mtext>"),
        (r"\val{n.html}", "<mtext>&lt;b&gt;</mtext>"),
        (r"x^\val{n.params}", "<msup><mi>x</mi><mrow"),
        (r"\frac\val{n.params}{2}", "<mfrac><mrow"),
    ],
)
def test_numbers_come_from_the_ledger(latex: str, expected: str) -> None:
    r"""\val prints what the ledger shows: commas without spaces, U+2212, powers of ten, text escaped."""
    assert expected in inline(latex, show)
