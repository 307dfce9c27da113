"""How fast the training path is: against its own matrix products, and against a loop in nanoGPT's manner.

    python -m tests.bench_train

Everything takes turns in one process with one thread and is timed in processor seconds, so that a busy machine slows
all alike; medians are compared.
The bounds: at least 60 % of the rate of the same matrix products, and no slower than the plain loop.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - its usual name

from experiments.data import Corpus, text_of_wheel
from experiments.recipe import Recipe
from experiments.train import Trainer
from tests.science import ROOT, recipe_values

ROUNDS = 30
LEAST_OF_PRODUCTS = 0.60
LEAST_OF_PLAIN = 0.95  # equal within what medians of thirty rounds tell apart


class PlainBlock(nn.Module):
    """A pre-norm block as one would write it down: two norms, attention, feed-forward."""

    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.RMSNorm(d, eps=1e-6), nn.RMSNorm(d, eps=1e-6)
        self.qkv, self.proj = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        self.ffn = nn.Sequential(nn.Linear(d, 4 * d, bias=False), nn.GELU(), nn.Linear(4 * d, d, bias=False))

    def forward(self, x: Tensor) -> Tensor:
        """Return the stream after the block, (B, T, d)."""
        B, T, d = x.shape
        q, k, v = (
            part.view(B, T, self.heads, d // self.heads).transpose(1, 2)
            for part in self.qkv(self.norm_1(x)).split(d, dim=2)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).contiguous().view(B, T, d))
        return x + self.ffn(self.norm_2(x))  # type: ignore[no-any-return]


def plain_step(recipe: Recipe, corpus: Corpus) -> Callable[[], object]:
    """Return one step of a plain loop: stacked slices, AdamW by parameter groups, clipping, no readings."""
    embed, position = nn.Embedding(corpus.V, recipe.d), nn.Embedding(recipe.context, recipe.d)
    blocks = nn.Sequential(*(PlainBlock(recipe.d, recipe.heads) for _ in range(recipe.layers)))
    norm, head = nn.RMSNorm(recipe.d, eps=1e-6), nn.Linear(recipe.d, corpus.V, bias=False)
    head.weight = embed.weight
    model = nn.ModuleList([embed, position, blocks, norm, head])
    nn.init.normal_(embed.weight, std=recipe.init_std)
    groups = [
        {"params": [w for w in model.parameters() if w.dim() >= 2], "weight_decay": recipe.decay},
        {"params": [w for w in model.parameters() if w.dim() < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=recipe.lr, betas=(recipe.beta1, recipe.beta2))

    def step() -> None:
        starts = torch.randint(len(corpus.train) - recipe.context, (recipe.batch,)).tolist()
        x = torch.stack([corpus.train[i : i + recipe.context] for i in starts])
        y = torch.stack([corpus.train[i + 1 : i + 1 + recipe.context] for i in starts])
        logits = head(norm(blocks(embed(x) + position(torch.arange(recipe.context)))))
        loss = F.cross_entropy(logits.view(-1, corpus.V), y.view(-1))
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def products(recipe: Recipe, V: int) -> Callable[[], object]:
    """Return the matrix products of one step and nothing else: y = x W^T, dx = dy W, dW = dy^T x per matrix."""
    d, M = recipe.d, recipe.batch * recipe.context
    shapes = [(d, 3 * d), (d, d), (d, 4 * d), (4 * d, d)] * recipe.layers + [(d, V)]
    operands = {(K, N): (torch.randn(M, K), torch.randn(N, K), torch.randn(M, N)) for K, N in set(shapes)}

    def step() -> None:
        for shape in shapes:
            x, W, dy = operands[shape]
            _ = x @ W.T, dy @ W, dy.T @ x

    return step


def measure() -> int:
    """Print both ratios; 1 when one misses its bound."""
    from course_build.recording.corpus import ensure

    torch.set_num_threads(1)
    recipe = Recipe.of(recipe_values("pre-rms", marks=[], steps=10_000))
    source = ensure(ROOT)
    text = text_of_wheel(ROOT / source["wheel"], source["member"], source["sha256"])
    corpus = Corpus.of(text, recipe.validation)
    trainer = Trainer(recipe, corpus, 1)
    records = trainer.records()
    calls = {
        "trainer": lambda: next(records),
        "plain": plain_step(recipe, corpus),
        "products": products(recipe, corpus.V),
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(ROUNDS + 3):
        for name, call in calls.items():
            start = time.process_time()
            call()
            if turn >= 3:
                times[name].append(time.process_time() - start)
    middle = {name: statistics.median(values) for name, values in times.items()}
    for name, seconds in middle.items():
        print(f"{name:>9} {seconds * 1000:7.1f} ms of processor time a step")
    of_products, of_plain = middle["products"] / middle["trainer"], middle["plain"] / middle["trainer"]
    print(f"training path / its matrix products: {of_products:.2f} of their rate (at least {LEAST_OF_PRODUCTS:.2f})")
    print(f"training path / plain loop: {of_plain:.2f} of its rate (at least {LEAST_OF_PLAIN:.2f})")
    return int(of_products < LEAST_OF_PRODUCTS or of_plain < LEAST_OF_PLAIN)


def main() -> int:
    """Measure in a process like those that record."""
    from course_build.recording.process import surroundings

    command = [sys.executable, "-c", "import sys; from tests.bench_train import measure; sys.exit(measure())"]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **surroundings()}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
