"""A decoder-only transformer small enough to read in one go, with the lesson's choices as switches.

    norms           RMSNorm, LayerNorm, zero-centered RMSNorm
    placement       pre   x <- x + F(norm(x)), one more norm before the head
                    post  x <- norm(x + F(x)), none before the head
    residual        off   x <- F(norm(x)): F's output replaces the stream
    initialisation  N(0, init_std); projections that write into the stream are divided by sqrt(2 layers)

Letters: B sequences, T positions, d width, h heads, V characters. Shapes stand behind the lines.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - its usual name

from experiments.recipe import Recipe


class RMSNorm(nn.Module):
    """y = x / sqrt(mean(x^2) + eps) * g over the last axis; g starts at 1."""

    def __init__(self, d: int, eps: float) -> None:
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(d))

    def forward(self, x: Tensor) -> Tensor:
        """Return y, of x's shape."""
        return F.rms_norm(x, self.gain.shape, self.gain, self.eps)

    def scale(self) -> Tensor:
        """Return what the normalised vector is multiplied by, (d,)."""
        return self.gain


class ZeroCenteredRMSNorm(nn.Module):
    """y = x / sqrt(mean(x^2) + eps) * (1 + w); w starts at 0, so decay pulls the gain to 1."""

    def __init__(self, d: int, eps: float) -> None:
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.zeros(d))

    def forward(self, x: Tensor) -> Tensor:
        """Return y, of x's shape."""
        return F.rms_norm(x, self.gain.shape, self.scale(), self.eps)

    def scale(self) -> Tensor:
        """Return what the normalised vector is multiplied by, (d,)."""
        return 1 + self.gain


class LayerNorm(nn.Module):
    """y = (x - mean(x)) / sqrt(var(x) + eps) * g + b over the last axis; g starts at 1, b at 0."""

    def __init__(self, d: int, eps: float) -> None:
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(d))
        self.bias = nn.Parameter(torch.zeros(d))

    def forward(self, x: Tensor) -> Tensor:
        """Return y, of x's shape."""
        return F.layer_norm(x, self.gain.shape, self.gain, self.bias, self.eps)

    def scale(self) -> Tensor:
        """Return what the normalised vector is multiplied by, (d,)."""
        return self.gain


NORMS = {"rmsnorm": RMSNorm, "layernorm": LayerNorm, "zero_centered": ZeroCenteredRMSNorm}


class Attention(nn.Module):
    """Causal self-attention: softmax(q k^T / sqrt(d / h)) v, then a projection back into the stream."""

    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.out = nn.Linear(d, d, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return what is written into the stream, (B, T, d)."""
        B, T, d = x.shape
        qkv = self.qkv(x).view(B, T, 3, self.heads, d // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)  # each (B, h, T, d/h)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(B, T, d))  # type: ignore[no-any-return]


class FeedForward(nn.Module):
    """W2 GELU(W1 x), four times as wide inside."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.up = nn.Linear(d, 4 * d, bias=False)
        self.out = nn.Linear(4 * d, d, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return what is written into the stream, (B, T, d)."""
        return self.out(F.gelu(self.up(x)))  # type: ignore[no-any-return]


class Block(nn.Module):
    """Two sublayers, attention and feed-forward, each with its norm."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        self.post = recipe.placement == "post"
        self.residual = recipe.residual
        norm = NORMS[recipe.norm]
        self.norms = nn.ModuleList(norm(recipe.d, recipe.eps) for _ in range(2))
        self.layers = nn.ModuleList([Attention(recipe.d, recipe.heads), FeedForward(recipe.d)])

    def sublayers(self, x: Tensor) -> Iterator[Tensor]:
        """Yield the stream after each of the two sublayers, (B, T, d)."""
        for norm, layer in zip(self.norms, self.layers, strict=True):
            write = layer(x if self.post else norm(x))
            x = x + write if self.residual else write
            x = norm(x) if self.post else x
            yield x


class Model(nn.Module):
    """Characters in, logits of the next character out."""

    def __init__(self, recipe: Recipe, V: int, generator: torch.Generator) -> None:
        super().__init__()
        self.embed = nn.Embedding(V, recipe.d)
        self.position = nn.Embedding(recipe.context, recipe.d)
        self.blocks = nn.ModuleList(Block(recipe) for _ in range(recipe.layers))
        self.norm = NORMS[recipe.norm](recipe.d, recipe.eps) if recipe.placement == "pre" else nn.Identity()
        self.head = nn.Linear(recipe.d, V, bias=False)
        if recipe.tied:
            self.head.weight = self.embed.weight
        self.initialise(recipe, generator)

    @torch.no_grad()
    def initialise(self, recipe: Recipe, generator: torch.Generator) -> None:
        """Draw every matrix; norms draw nothing, so recipes that differ in them start from the same bits."""
        for name, weight in self.named_parameters():  # a tied head is listed once, as the embedding
            if weight.ndim == 2:
                writes = name.endswith("out.weight")
                std = recipe.init_std / math.sqrt(2 * recipe.layers) if writes else recipe.init_std
                weight.normal_(0.0, std, generator=generator)

    def scales(self) -> list[Tensor]:
        """Return every norm's factor in the order of the stream, each (d,)."""
        return [norm.scale() for norm in self.modules() if isinstance(norm, tuple(NORMS.values()))]  # type: ignore[operator]

    def streams(self, tokens: Tensor) -> Iterator[Tensor]:
        """Yield the stream before the first and after every sublayer, (B, T, d)."""
        x = self.embed(tokens) + self.position.weight[: tokens.shape[1]]
        yield x
        for block in self.blocks:
            for after in block.sublayers(x):  # type: ignore[operator]
                x = after
                yield x

    def loss(self, tokens: Tensor, targets: Tensor, tap: list[Tensor] | None = None) -> Tensor:
        """Return the mean cross-entropy in nats; `tap` collects the streams, for readings.

        Args:
            tokens: characters, (B, T).
            targets: the characters that follow, (B, T).
            tap: receives 1 + 2 layers tensors (B, T, d).
        """
        for x in self.streams(tokens):
            if tap is not None:
                tap.append(x)
        logits = self.head(self.norm(x))  # (B, T, V)
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.reshape(-1))
