"""The residual simulator: published readings, gradient against differences, theory, bands, command line."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import mpmath  # type: ignore[import-untyped]
import pytest

from experiments import bands, meanfield, residual
from experiments.residual import Setting, simulate

READINGS = [
    ((True, False, False), 20.373208337948185, 6.30880439301068),
    ((True, True, False), 3.454377136612431, 4.296858444830545),
    ((True, True, True), 0.9696896910076923, 1.1037960046965187),
    ((False, False, False), 0.0255452323785785, 0.05088206496814284),
]


def setting(boxes: tuple[bool, bool, bool], **more: Any) -> Setting:
    """Return the setting of three boxes."""
    return Setting(residual=boxes[0], norm=boxes[1], scale=boxes[2], **more)


@pytest.mark.parametrize(("boxes", "ratio", "rms"), READINGS)
def test_published_readings(boxes: tuple[bool, bool, bool], ratio: float, rms: float) -> None:
    """Seed 7, N = 32, gain 1 gives the lesson's numbers to 1e-12."""
    reading = simulate(setting(boxes))
    assert reading.ratio == pytest.approx(ratio, rel=1e-12, abs=0)
    assert reading.rms == pytest.approx(rms, rel=1e-12, abs=0)


def test_curves_run_from_start_to_end() -> None:
    """Curves have N + 1 points, begin at RMS 1, end at gradient 1, and hold the readings."""
    reading = simulate(setting((True, True, False), n=5))
    assert len(reading.rms_curve) == len(reading.gradient_curve) == 6
    assert reading.rms_curve[0] == pytest.approx(1.0, abs=1e-15)
    assert (reading.rms_curve[-1], reading.gradient_curve[0]) == (reading.rms, reading.ratio)
    assert reading.gradient_curve[-1] == 1.0


@pytest.mark.parametrize("boxes", [boxes for boxes, _, _ in READINGS])
def test_gradient_is_the_slope(boxes: tuple[bool, bool, bool]) -> None:
    """The gradient by the chain rule equals the central difference of L = u . x_N along a direction."""
    chosen = setting(boxes, n=6)
    z = residual.draw(7, 6)
    along = [math.sin(i + 1.0) for i in range(residual.D)]

    def loss(t: float) -> float:
        start = [x + t * v for x, v in zip(z.start, along, strict=True)]
        end = residual.forward(chosen, replace(z, start=start)).stream[-1]
        return math.fsum(u * v for u, v in zip(z.direction, end, strict=True))

    gradient = residual.backward(chosen, z, residual.forward(chosen, z))[0]
    slope = (loss(1e-5) - loss(-1e-5)) / 2e-5
    assert slope == pytest.approx(math.fsum(g * v for g, v in zip(gradient, along, strict=True)), rel=1e-6)


def test_small_networks_are_prefixes() -> None:
    """The matrices of N = 3 are the first of N = 5; only start and direction move."""
    assert residual.draw(7, 3).w1 == residual.draw(7, 5).w1[:3]
    assert residual.draw(7, 3).start != residual.draw(7, 5).start


def test_extremes_stay_finite() -> None:
    """The weakest and the strongest network have finite readings that are not zero."""
    for boxes in [(r, n, s) for r in (False, True) for n in (False, True) for s in (False, True)]:
        for gain in (residual.GAIN_MIN, residual.GAIN_MAX):
            reading = simulate(setting(boxes, n=128, gain=gain))
            assert 0 < reading.ratio < math.inf
            assert 0 < reading.rms < math.inf


def test_length_scales() -> None:
    """`length` neither overflows nor underflows."""
    assert residual.length([3e200, 4e200]) == pytest.approx(5e200)
    assert residual.length([3e-300, 4e-300]) == pytest.approx(5e-300)
    assert residual.length([0.0, 0.0]) == 0.0


def test_integrals() -> None:
    """V, C and E8 at several s equal high-precision quadrature, also far from 1."""
    for s in (1e-9, 0.3, 1.0, 6.3, 102.0):
        slope, c, e8 = meanfield.integrals(s)

        def mean(f: Any, s: float = s) -> float:
            density = lambda z: f(s * z) * mpmath.exp(-z * z / 2)  # noqa: E731
            nodes = [0, 0.5 / max(1, s), 3 / max(1, s), *([9] if s < 2 else [20 / s, 9])]
            return float(2 * mpmath.quad(density, nodes) / mpmath.sqrt(2 * mpmath.pi))

        assert slope * s * s == pytest.approx(mean(lambda u: mpmath.tanh(u) ** 2), rel=1e-11)
        assert c == pytest.approx(mean(lambda u: mpmath.sech(u) ** 4), rel=1e-11)
        assert e8 == pytest.approx(mean(lambda u: mpmath.sech(u) ** 8), rel=1e-11)


@pytest.mark.parametrize(
    ("boxes", "ratio", "band", "rms", "rms_band"),
    [
        ((True, False, False), 16.28, (6.3, 13.3, 27.9), 4.914, (3.90, 5.92)),
        ((True, True, False), 4.574, (2.52, 4.17, 6.89), 3.690, (2.93, 4.45)),
        ((True, True, True), 1.216, (1.00, 1.20, 1.44), 1.181, (1.01, 1.35)),
    ],
)
def test_theory(
    boxes: tuple[bool, bool, bool],
    ratio: float,
    band: tuple[float, float, float],
    rms: float,
    rms_band: tuple[float, float],
) -> None:
    """Mean field and its finite-width band at N = 32, gain 1 are the values derived for the lesson."""
    found = meanfield.theory(setting(boxes))
    assert found.ratio[0] == pytest.approx(ratio, rel=5e-4)
    assert [found.ratio_low[0], found.ratio_median[0], found.ratio_high[0]] == pytest.approx(
        list(band), rel=6e-3
    )
    assert found.rms[-1] == pytest.approx(rms, rel=5e-4)
    assert [found.rms_low[-1], found.rms_high[-1]] == pytest.approx(list(rms_band), rel=5e-3)


def test_theory_hides_a_band_that_says_nothing() -> None:
    """Where v > 4 there is no ratio band, without the residual no RMS band; the curves stay finite."""
    found = meanfield.theory(setting((False, False, True), n=128, gain=0.25))
    assert found.ratio_low[0] is None
    assert found.rms_low[-1] is None
    assert 0 < found.rms[-1] < 1e-200
    assert found.ratio_low[-1] == found.ratio_high[-1] == 1.0


def test_depth_law_of_all_three_boxes() -> None:
    """With residual, norm and 1/sqrt(N) theory is nearly the same at every depth: (1 + V)^(C / 2V)."""
    for n in (16, 128):
        found = meanfield.theory(setting((True, True, True), n=n))
        assert found.ratio[0] == pytest.approx(1.216, rel=2e-3)
        assert found.rms[-1] == pytest.approx(1.181, rel=1e-3)


@pytest.mark.parametrize("boxes", [boxes for boxes, _, _ in READINGS])
def test_band_path_agrees_with_the_exact_one(boxes: tuple[bool, bool, bool]) -> None:
    """The vectorised path equals the exact one to 1e-9 where the network is not chaotic."""
    found = bands.seed_bands(32, 1.0, [7], [boxes])["settings"][0]
    reading = simulate(setting(boxes))
    assert found["ratio"]["seed"] == pytest.approx(reading.ratio, rel=1e-9, abs=0)
    assert found["rms"]["p50"] == pytest.approx(reading.rms, rel=1e-9, abs=0)
    assert found["curves"]["rms"]["p5"] == pytest.approx(reading.rms_curve, rel=1e-9, abs=0)
    assert found["curves"]["gradient"]["p95"] == pytest.approx(reading.gradient_curve, rel=1e-9, abs=0)


def test_bands_over_seeds() -> None:
    """A hundred and fifty seeds show the ladder: both readings fall at nearly every step."""
    found = bands.seed_bands(32, 1.0, range(150))
    assert found["seeds"] == 150
    for step, typical in zip(found["settings"], (13.1, 4.22, 1.20), strict=True):
        ratio = step["ratio"]
        assert ratio["p5"] < ratio["p50"] < ratio["p95"]
        assert ratio["p50"] == pytest.approx(typical, rel=0.15)
        assert len(step["curves"]["gradient"]["p50"]) == 33
    assert found["falls"]["ratio"] > 0.95
    assert found["falls"]["rms"] > 0.98
    assert 0 <= found["settings"][2]["ratio"]["percentile"] < 15


def test_bands_need_a_seed() -> None:
    """No seed makes no band."""
    with pytest.raises(ValueError, match="seeds is empty"):
        bands.seed_bands(32, 1.0, [])


def test_command_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints exactly the two readings."""
    assert residual.main(["--n", "32", "--gain", "1", "--seed", "7", "--residual", "--norm", "--json"]) == 0
    reading = simulate(setting((True, True, False)))
    assert json.loads(capsys.readouterr().out) == {"ratio": reading.ratio, "rms": reading.rms}


def test_command_prints_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Without --json two readable lines appear."""
    assert residual.main(["--n", "2"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["--n", "0"],
        ["--n", "129"],
        ["--n", "x"],
        ["--n", "3.5"],
        ["--gain", "nan"],
        ["--gain", "inf"],
        ["--gain", "0"],
        ["--gain", "-1"],
        ["--seed", "-1"],
        ["--seed", "4294967296"],
        ["--what"],
        ["stray"],
        ["--gain"],
    ],
)
def test_command_errors_are_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong argument gives exit code 2 and one line."""
    with pytest.raises(SystemExit) as stop:
        residual.main(arguments)
    assert stop.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
