"""The corpus is read, counted and cut as the module says."""

from __future__ import annotations

import hashlib
import json
import math
import zipfile
from pathlib import Path

import pytest
import torch

from experiments.data import Corpus, entropy, text_of_wheel


def wheel_of(folder: Path, chapters: list[str]) -> tuple[Path, str]:
    """Write a wheel with chapters; return it with its member's digest."""
    data = json.dumps(chapters).encode()
    path = folder / "a.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/b.json", data)
    return path, hashlib.sha256(data).hexdigest()


def test_white_space_of_every_kind_becomes_one_newline(tmp_path: Path) -> None:
    """Blanks, tabs, line ends and the ideographic space run together, also between chapters."""
    wheel, sha256 = wheel_of(tmp_path, ["第一回\u3000\n\n 宴桃园", "\t斩黄巾"])
    assert text_of_wheel(wheel, "a/b.json", sha256) == "第一回\n宴桃园\n斩黄巾"


def test_another_file_than_the_recorded_one_is_refused(tmp_path: Path) -> None:
    """The digest seen and the one expected are both named."""
    wheel, sha256 = wheel_of(tmp_path, ["甲"])
    with pytest.raises(ValueError, match=f"has sha256 {sha256}, not 00"):
        text_of_wheel(wheel, "a/b.json", "00")


def test_the_vocabulary_covers_both_parts() -> None:
    """Numbers follow code points; the last part is for validation."""
    corpus = Corpus.of("aab" * 6 + "zz", 0.1)
    assert (corpus.V, len(corpus.train), corpus.validation.tolist()) == (3, 18, [2, 2])


def test_unigram_probabilities_sum_to_one_and_are_never_zero() -> None:
    """(count + 1) / (length + V): a character that only validation has gets 1 / (length + V)."""
    corpus = Corpus.of("aab" * 6 + "zz", 0.1)
    p = corpus.unigram().exp()
    assert p.tolist() == pytest.approx([13 / 21, 7 / 21, 1 / 21])


def test_a_batch_is_windows_and_what_follows() -> None:
    """Targets are the inputs moved by one; the same generator state gives the same batch."""
    corpus = Corpus(50, torch.arange(40), torch.arange(10))
    tokens, targets = corpus.batch(5, 8, torch.Generator().manual_seed(3))
    again, _ = corpus.batch(5, 8, torch.Generator().manual_seed(3))
    assert tokens.shape == (5, 8)
    assert torch.equal(tokens + 1, targets)
    assert torch.equal(tokens, again)


def test_every_window_of_the_corpus_can_be_drawn() -> None:
    """The first and the last window are not left out."""
    corpus = Corpus(50, torch.arange(6), torch.arange(10))
    tokens, targets = corpus.batch(200, 4, torch.Generator().manual_seed(0))
    assert (tokens.min().item(), targets.max().item()) == (0, 5)


def test_validation_windows_lie_side_by_side() -> None:
    """Each whole window once, in batches; the rest too short for a window is left out."""
    corpus = Corpus(50, torch.arange(4), torch.arange(15))
    batches = list(corpus.validation_batches(2, 4))
    assert [tokens.tolist() for tokens, _ in batches] == [[[0, 1, 2, 3], [4, 5, 6, 7]], [[8, 9, 10, 11]]]
    assert all(torch.equal(tokens + 1, targets) for tokens, targets in batches)


def test_entropy_of_equal_counts_is_the_logarithm() -> None:
    """Zero counts add nothing."""
    assert entropy(torch.tensor([3, 0, 3, 3])) == pytest.approx(math.log(3))
