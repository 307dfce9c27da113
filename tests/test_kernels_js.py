"""The browser's kernels and formatter give Python's results, by golden files that are up to date."""

from __future__ import annotations

import pytest

from tests import golden
from tests.jsrun import FORMAT, KERNELS, run_js


def test_simulator_has_the_same_bits() -> None:
    """All 4,480 doubles of the grid (seeds x N x gain x boxes) are identical in JavaScript."""
    readings = golden.read("residual")["readings"]
    assert len(readings) * len(readings[0]) >= 4000
    found = run_js(
        KERNELS,
        """(settings) => settings.map((setting) => {
             const found = course.residual.simulate(setting);
             const middle = Math.floor(setting.n / 2);
             return [found.ratio, found.rms, found.gradientCurve[middle], found.rmsCurve[middle]];
           })""",
        [golden.boxes(setting) for setting in golden.settings()],
    )
    assert readings == found


def test_theory_agrees() -> None:
    """Mean field and band agree to 1e-12: exp and sqrt(V) are the engines' own."""
    rows = golden.read("theory")
    found = run_js(
        KERNELS,
        """(settings) => settings.map((setting) => {
             const t = course.meanfield.theory(setting);
             const ends = [t.rms, t.rmsLow, t.rmsHigh].map((curve) => curve[setting.n]);
             return [t.ratio[0], t.ratioLow[0], t.ratioMedian[0], t.ratioHigh[0], ...ends];
           })""",
        [setting for setting, _ in rows],
    )
    for (setting, expected), actual in zip(rows, found, strict=True):
        assert [v is None for v in expected] == [v is None for v in actual], setting
        numbers = [v for v in expected if v is not None]
        assert [v for v in actual if v is not None] == pytest.approx(numbers, rel=1e-12, abs=0), setting


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("word", "course.prng.word"),
        ("log", "course.prng.logUnit"),
        ("cos", "course.prng.cosTurn"),
        ("tanh", "course.prng.tanh"),
        ("normal", "course.prng.normal"),
        ("rms", "course.norms.rmsNorm"),
        ("layer", "course.norms.layerNorm"),
        ("centered", "course.norms.zeroCenteredRmsNorm"),
        ("batch", "(rows) => course.norms.batchNorm(rows, 1e-5)"),
    ],
)
def test_kernel_functions_have_the_same_bits(name: str, call: str) -> None:
    """Each function returns Python's doubles."""
    rows = golden.read("kernels")[name]
    found = run_js(KERNELS, f"(rows) => rows.map((row) => ({call})(...row.slice(0, -1)))", rows)
    assert [row[-1] for row in rows] == found


def test_decay_has_the_same_bits() -> None:
    """The exact power is the same double on both sides, also as curves."""
    rows = golden.read("kernels")["decay"]
    found = run_js(
        KERNELS,
        """(rows) => rows.map(([g, t]) => {
             const { stored, zeroCentered } = course.decay.curves(g, [t], 3e-3, 0.1);
             return [g, t, stored[0], zeroCentered[0]];
           })""",
        rows,
    )
    assert rows == found


def test_zero_vectors_have_no_answer_in_javascript_either() -> None:
    """Where Python raises, JavaScript gives NaN in every place: nothing that looks like a number."""
    found = run_js(KERNELS, "() => [course.norms.rmsNorm([0, 0]), course.norms.layerNorm([5, 5])]")
    assert found == [[None, None], [None, None]]


def test_formatter_shows_the_same_text() -> None:
    """Every value by every rule prints the same characters."""
    rows = golden.read("format")
    found = run_js([FORMAT], "(rows) => rows.map(([value, spec]) => course.format(value, spec))", rows)
    different = [(row, text) for row, text in zip(rows, found, strict=True) if row[2] != text]
    assert not different


def test_formatter_refuses_what_python_refuses() -> None:
    """A bad rule, a value that is not finite or not whole, and text are errors, not text."""
    specs = ["", "f", ".f", ".21f", ".0g", ".2d", ",s", ".2x", ".2f ", "+"]
    calls = [[1.5, spec] for spec in specs] + [[1.5, "d"], ["3", "g"], [None, "g"]]
    caught = """(calls) => [...calls, [NaN, "g"], [Infinity, "g"]].map(([value, spec]) => {
                  try { return course.format(value, spec); } catch (e) { return e instanceof RangeError; }
                })"""
    assert [True] * (len(calls) + 2) == run_js([FORMAT], caught, calls)


def test_vectors() -> None:
    """A vector prints alike."""
    assert run_js([FORMAT], '(v) => course.formatVector(v, ".3f")', [-1.069, 0, 1.6036]) == "[−1.069, 0, 1.604]"


def test_one_global() -> None:
    """The scripts add `course` to the global object and nothing else."""
    assert run_js([FORMAT, *KERNELS], "() => Object.keys(course).sort()") == [
        "decay",
        "format",
        "formatVector",
        "meanfield",
        "norms",
        "prng",
        "residual",
    ]
    before = set(run_js([], "() => Object.getOwnPropertyNames(globalThis)"))
    after = set(run_js([FORMAT, *KERNELS], "() => Object.getOwnPropertyNames(globalThis)"))
    assert after - before == {"course"}


@pytest.mark.parametrize("name", ["theory", "kernels", "format"])
def test_golden_files_are_current(name: str) -> None:
    """The file is what `python -m tests.golden` would write today."""
    assert (golden.FOLDER / f"{name}.json").read_text(encoding="utf-8") == golden.text(golden.FILES[name]())


def test_simulator_golden_is_current() -> None:
    """Every seventh setting of the grid recomputed (the whole grid takes ten seconds)."""
    readings = golden.read("residual")["readings"]
    for at in range(0, len(readings), 7):
        assert readings[at] == golden.reading(golden.settings()[at])


def test_golden_format_holds_ties() -> None:
    """The file would notice a formatter that rounds half to even or shows -0."""
    rows = golden.read("format")
    ties = [(v, spec) for v, spec, shown in rows if spec[-1] == "f" and f"{abs(v):{spec.strip('+,')}}" not in shown]
    assert len(ties) >= 5
    assert any(value == 0 and str(value).startswith("-") for value, _, _ in rows)
    assert len(rows) > 2000
