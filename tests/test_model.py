"""The small model is what the lesson says it is."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from experiments import norms
from experiments.model import LayerNorm, Model, RMSNorm, ZeroCenteredRMSNorm
from experiments.recipe import Recipe
from tests.science import recipe_values, smoke

V, T = 11, 16
EPS = 0.1  # large, so that a misplaced eps shows


def model(seed: int = 1, **changes: Any) -> Model:
    """Return a small pre-RMSNorm model, changed where the test says so."""
    recipe = Recipe.of(recipe_values("pre-rms") | smoke() | changes)
    return Model(recipe, V, torch.Generator().manual_seed(seed))


def tokens(seed: int = 0) -> Tensor:
    """Return three sequences of characters."""
    return torch.randint(V, (3, T), generator=torch.Generator().manual_seed(seed))


def streams(built: Model, inputs: Tensor) -> list[Tensor]:
    """Return the stream before the first and after every sublayer."""
    with torch.no_grad():
        return list(built.streams(inputs))


@pytest.mark.parametrize(
    ("cls", "expected"),
    [
        (RMSNorm, lambda x, g: norms.rms_norm(x, EPS, g)),
        (LayerNorm, lambda x, g: norms.layer_norm(x, EPS, g)),
        (ZeroCenteredRMSNorm, lambda x, g: norms.zero_centered_rms_norm(x, g, EPS)),
    ],
)
def test_norms_agree_with_plain_python(cls: Any, expected: Any) -> None:
    """Each norm of the model gives what experiments.norms gives, eps and gain included."""
    norm = cls(4, EPS).double()
    gain = [0.5, -1.0, 2.0, 3.0]
    with torch.no_grad():
        norm.gain.copy_(torch.tensor(gain))
    x = [1.0, 2.0, 3.0, 6.0]
    actual = norm(torch.tensor(x, dtype=torch.float64)).tolist()
    assert expected(x, gain) == pytest.approx(actual, rel=1e-12)


def test_every_norm_starts_as_the_identity_scale() -> None:
    """The factor is 1 at the start, whatever is stored."""
    for name, stored in (("rmsnorm", 1.0), ("layernorm", 1.0), ("zero_centered", 0.0)):
        built = model(norm=name)
        assert all(bool((scale == 1).all()) for scale in built.scales())
        assert built.blocks[0].norms[0].gain.tolist() == [stored] * 32  # type: ignore[index, union-attr]


def test_pre_adds_the_write_of_the_normalised_stream() -> None:
    """Pre: x + F(norm(x)); post: norm(x + F(x)); without residual F's output alone."""
    for changes in ({"placement": "pre"}, {"placement": "post"}, {"residual": False}):
        built = model(**changes)
        before, after = streams(built, tokens())[:2]
        norm, attention = built.blocks[0].norms[0], built.blocks[0].layers[0]  # type: ignore[index]
        with torch.no_grad():
            expected = {
                "pre": lambda x, n=norm, F=attention: x + F(n(x)),
                "post": lambda x, n=norm, F=attention: n(x + F(x)),
                False: lambda x, n=norm, F=attention: F(n(x)),
            }[next(iter(changes.values()))](before)
        assert torch.equal(expected, after)


def test_post_keeps_the_stream_at_size_one() -> None:
    """After a post-placed norm the stream's RMS is 1 at every sublayer."""
    for x in streams(model(placement="post", eps=0.0), tokens())[1:]:
        assert x.square().mean(-1).sqrt() == pytest.approx(torch.ones(3, T), abs=1e-5)


def test_a_later_character_changes_nothing_before_it() -> None:
    """Attention is causal."""
    built = model()
    one, other = tokens(), tokens()
    other[:, -1] = (other[:, -1] + 1) % V
    first, second = streams(built, one)[-1], streams(built, other)[-1]
    assert torch.equal(first[:, :-1], second[:, :-1])
    assert not torch.equal(first[:, -1], second[:, -1])


def test_same_seed_starts_from_the_same_matrices_whatever_the_norm() -> None:
    """Norms draw no random numbers, so seeds can be paired."""
    reference = {name: w for name, w in model().named_parameters() if w.ndim == 2}
    for changes in ({"norm": "layernorm"}, {"placement": "post"}, {"norm": "zero_centered"}, {"tied": False}):
        other = {name: w for name, w in model(**changes).named_parameters() if w.ndim == 2}
        assert all(torch.equal(weight, other[name]) for name, weight in reference.items())
    assert not torch.equal(reference["embed.weight"], model(seed=2).embed.weight)


def test_projections_into_the_stream_start_smaller() -> None:
    """Output projections: init_std / sqrt(2 layers); everything else: init_std."""
    built = model(d=256, layers=8, heads=4)
    for name, weight in built.named_parameters():
        if weight.ndim == 2 and weight.numel() > 60_000:
            expected = 0.02 / math.sqrt(16) if name.endswith("out.weight") else 0.02
            assert expected == pytest.approx(weight.std().item(), rel=0.02), name


def test_parameter_count_follows_the_formula() -> None:
    """V d + T d + layers (12 d^2 + 2 d) + d; an untied head adds V d, LayerNorm's biases (2 layers + 1) d."""
    d, layers = 32, 2
    changes: dict[str, dict[str, Any]] = {
        "tied": {},
        "untied": {"tied": False},
        "layernorm": {"norm": "layernorm"},
        "post": {"placement": "post"},
    }
    counted = {
        name: sum(weight.numel() for weight in model(**changed).parameters()) for name, changed in changes.items()
    }
    tied = V * d + T * d + layers * (12 * d * d + 2 * d) + d
    biases = (2 * layers + 1) * d
    assert counted == {"tied": tied, "untied": tied + V * d, "layernorm": tied + biases, "post": tied - d}


def test_loss_is_the_mean_cross_entropy_of_the_next_character() -> None:
    """Nats per character, by hand from the logits."""
    built = model()
    inputs, targets = tokens(), tokens(1)
    with torch.no_grad():
        logits = built.head(built.norm(streams(built, inputs)[-1]))
        expected = -torch.log_softmax(logits, -1).gather(-1, targets[..., None]).mean()
        assert expected.item() == pytest.approx(built.loss(inputs, targets).item(), rel=1e-6)


def test_width_must_be_a_multiple_of_the_heads() -> None:
    """The error names the values."""
    with pytest.raises(ValueError, match="d = 32 is not a multiple of heads = 3"):
        model(heads=3)


def test_a_recipe_has_exactly_its_keys() -> None:
    """A missing and an unknown key are both named."""
    values = recipe_values("pre-rms", warm=3)
    del values["warmup"]
    with pytest.raises(ValueError, match=r"missing \[warmup\], unknown \[warm\]"):
        Recipe.of(values)
