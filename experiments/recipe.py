"""What a recorded run is made of, as values: every field is in the run's key, nothing here computes.

    Recipe      the hyper-parameters of one training run, each with its unit and its allowed values
    Bands       how many networks the simulator's bands are taken over
    Bench       what the operator benchmark times

Letters: d width of the stream, T context length in characters, B sequences in a batch.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal


@dataclass(frozen=True)
class Range:
    """Numbers allowed, ends included."""

    minimum: float
    maximum: float


@dataclass(frozen=True)
class Recipe:
    """One small decoder-only model and how it is trained."""

    # the model
    d: Annotated[int, Range(8, 4096)]  # width of the stream
    layers: Annotated[int, Range(1, 64)]  # blocks; each writes twice into the stream
    heads: Annotated[int, Range(1, 64)]  # d must be a multiple
    context: Annotated[int, Range(4, 4096)]  # T, characters
    norm: Literal["rmsnorm", "layernorm", "zero_centered"]
    placement: Literal["pre", "post"]  # x + F(norm(x)), or norm(x + F(x))
    residual: bool  # false: F's output replaces the stream
    tied: bool  # the head is the embedding, transposed
    eps: Annotated[float, Range(0.0, 1.0)]  # inside the root, beside the mean of squares
    init_std: Annotated[float, Range(0.0, 1.0)]  # output projections: init_std / sqrt(2 layers)
    # the training
    batch: Annotated[int, Range(1, 4096)]  # B, sequences
    steps: Annotated[int, Range(1, 1_000_000)]
    lr: Annotated[float, Range(0.0, 10.0)]  # peak learning rate
    warmup: Annotated[int, Range(0, 1_000_000)]  # steps of linear rise
    schedule: Literal["cosine", "constant"]  # after the rise
    lr_end: Annotated[float, Range(0.0, 1.0)]  # cosine ends at this part of the peak
    decay: Annotated[float, Range(0.0, 1.0)]  # AdamW's weight decay on matrices
    decay_gains: bool  # and on the norms' gains too
    beta1: Annotated[float, Range(0.0, 1.0)]
    beta2: Annotated[float, Range(0.0, 1.0)]
    clip: Annotated[float, Range(0.0, 1e9)]  # largest norm of the whole gradient
    # the readings
    validation: Annotated[float, Range(0.0, 0.5)]  # the corpus' last part, never trained on
    marks: Annotated[list[int], Range(0, 1_000_000)]  # steps with all readings; the end always has them

    def __post_init__(self) -> None:
        if self.d % self.heads:
            raise ValueError(f"heads: d = {self.d} is not a multiple of heads = {self.heads}")

    @classmethod
    def of(cls, values: dict[str, Any]) -> Recipe:
        """Return the recipe that `values` spells; a key that is missing or unknown raises ValueError."""
        check_keys(cls, values)
        return cls(**values)


@dataclass(frozen=True)
class Bands:
    """The residual simulator over many seeds."""

    n: Annotated[int, Range(1, 128)]  # sublayers
    gain: Annotated[float, Range(0.25, 3.0)]
    first: Annotated[int, Range(0, 2**31)]  # the seeds are first, first + 1, …
    seeds: Annotated[int, Range(1, 1_000_000)]


@dataclass(frozen=True)
class Bench:
    """The operator benchmark: forward and backward of one norm on one tensor."""

    shape: Annotated[list[int], Range(1, 2**20)]  # the last axis is normalised
    repeats: Annotated[int, Range(1, 100_000)]  # of every candidate, in turns
    threads: Annotated[int, Range(1, 1024)]
    eps: Annotated[float, Range(0.0, 1.0)]


def check_keys(cls: type[Any], values: dict[str, Any]) -> None:
    """Raise ValueError unless `values` has exactly the fields of the dataclass `cls`."""
    known = [item.name for item in fields(cls)]
    if wrong := sorted(set(values) ^ set(known)):
        missing = ", ".join(name for name in wrong if name in known)
        extra = ", ".join(name for name in wrong if name not in known)
        raise ValueError(f"recipe keys: missing [{missing}], unknown [{extra}]")
