"""The training loop: it computes and yields records; what starts it decides where they go.

    Trainer     one run: model, optimizer, random numbers, position
    main        one run in a process of its own: a job as JSON on stdin, records as JSON lines on stdout

A record of step n holds what was seen before update n: loss and floor (unigram cross-entropy of the same
characters) in nats, lr, grad (norm of the whole gradient before clipping), rate in characters a second.
A marked step, and the end, add: validation (loss on the whole validation part), block_grad (norm of each
block's gradient), rms (of the stream before the first and after every sublayer), act_grad (norm of dL/dx
at the same places), gain (mean factor of each norm). A number that is not finite is null, and a
loss that is not finite ends the run.

The same recipe, seed and number of threads give the same bits, with or without interruption.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from experiments.data import Corpus, entropy, text_of_wheel
from experiments.model import Model
from experiments.recipe import Recipe

Record = dict[str, Any]
INTERRUPTED = 130  # exit status after Ctrl-C, when a checkpoint was kept


def learning_rate(recipe: Recipe, step: int) -> float:
    """Return lr at `step`: a linear rise over `warmup` steps, then constant or a cosine down to lr_end."""
    if step < recipe.warmup:
        return recipe.lr * (step + 1) / recipe.warmup
    if recipe.schedule == "constant":
        return recipe.lr
    done = (step - recipe.warmup) / max(1, recipe.steps - recipe.warmup)  # 0 .. 1
    return recipe.lr * (recipe.lr_end + (1 - recipe.lr_end) * 0.5 * (1 + math.cos(math.pi * done)))


def norm(tensors: Iterable[Tensor | None]) -> float:
    """Return the Euclidean norm of all tensors' elements together; None counts as zeros."""
    squares = [tensor.detach().double().square().sum() for tensor in tensors if tensor is not None]
    return math.sqrt(float(sum(squares)))


def rounded(value: float, digits: int = 5) -> float | None:
    """Return `value` to so many significant digits; None when it is not finite."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def optimizer_of(model: Model, recipe: Recipe) -> torch.optim.AdamW:
    """Return AdamW: matrices decay, biases never, gains only when the recipe says so."""
    decays: list[Tensor] = []
    stays: list[Tensor] = []
    for name, weight in model.named_parameters():
        gains = recipe.decay_gains and name.endswith("gain")
        (decays if weight.ndim == 2 or gains else stays).append(weight)
    groups = [{"params": decays, "weight_decay": recipe.decay}, {"params": stays, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=recipe.lr, betas=(recipe.beta1, recipe.beta2), fused=True)


class Trainer:
    """One run of a recipe with a seed; iterate over `records()`."""

    def __init__(self, recipe: Recipe, corpus: Corpus, seed: int) -> None:
        self.recipe, self.corpus = recipe, corpus
        # two streams of random numbers, so that all recipes see the same batches
        self.model = Model(recipe, corpus.V, torch.Generator().manual_seed(seed))
        self.batches = torch.Generator().manual_seed(1_000_003 * seed)
        self.optimizer = optimizer_of(self.model, recipe)
        self.floor = corpus.unigram()  # (V,)
        self.log: list[Record] = []

    def records(self, stop: int | None = None) -> Iterator[Record]:
        """Yield one record per remaining step, then one of the end; `stop` ends after so many steps."""
        for step in range(len(self.log), self.recipe.steps if stop is None else stop):
            record = self.step(step)
            self.log.append(record)
            yield record
            if record["loss"] is None:
                return
        if stop is None:
            record = {"step": self.recipe.steps, **self.read(self.recipe.steps, marked=True)}
            self.optimizer.zero_grad(set_to_none=True)
            yield record

    def step(self, step: int) -> Record:
        """Do update `step` and return its record."""
        start = time.perf_counter()
        marked = step in self.recipe.marks
        lr = learning_rate(self.recipe, step)
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        record: Record = {"step": step, **self.read(step, marked)}
        grad = nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        seconds = time.perf_counter() - start
        record |= {"lr": rounded(lr), "grad": rounded(float(grad))}
        if not marked:  # a marked step also reads, so its time says nothing
            record["rate"] = int(float(f"{self.recipe.batch * self.recipe.context / seconds:.3g}"))
        return record

    def read(self, step: int, marked: bool) -> Record:
        """Return loss and floor of a new batch, its gradient left on the weights; all readings if marked."""
        tap: list[Tensor] | None = [] if marked else None
        validation = {"validation": rounded(self.validate(), 7)} if marked else {}
        tokens, targets = self.corpus.batch(self.recipe.batch, self.recipe.context, self.batches)
        loss = self.model.loss(tokens, targets, tap)
        for x in tap or ():
            x.retain_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        record: Record = {
            "loss": rounded(loss.item(), 7),
            "floor": rounded(-self.floor[targets].mean().item(), 7),
        } | validation
        if tap is not None:
            blocks = [norm(weight.grad for weight in block.parameters()) for block in self.model.blocks]
            record["block_grad"] = [rounded(value) for value in blocks]
            record["rms"] = [rounded(x.detach().double().square().mean().sqrt().item()) for x in tap]
            record["act_grad"] = [rounded(norm([x.grad])) for x in tap]
            record["gain"] = [rounded(scale.mean().item()) for scale in self.model.scales()]
        return record

    @torch.no_grad()
    def validate(self) -> float:
        """Return the mean loss over all whole windows of the validation part, in nats."""
        total = count = 0.0
        for tokens, targets in self.corpus.validation_batches(self.recipe.batch, self.recipe.context):
            total += self.model.loss(tokens, targets).item() * len(tokens)
            count += len(tokens)
        return total / count

    def end(self) -> Record:
        """Return what is known once: sizes, floors, and the digest of the weights' bits."""
        bits = hashlib.sha256()
        for weight in self.model.parameters():
            bits.update(weight.detach().contiguous().numpy().tobytes())
        batches = self.corpus.validation_batches(self.recipe.batch, self.recipe.context)
        targets = torch.cat([targets for _, targets in batches])
        return {
            "params": sum(weight.numel() for weight in self.model.parameters()),
            "V": self.corpus.V,
            "characters": len(self.corpus.train),
            "entropy": rounded(entropy(torch.bincount(self.corpus.train)), 7),
            "floor_validation": rounded(-self.floor[targets].mean().item(), 7),
            "weights_sha256": bits.hexdigest(),
        }

    def save(self, path: Path) -> None:
        """Keep everything that the rest of the run depends on; the file is whole or not there."""
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "batches": self.batches.get_state(),
            "log": self.log,
        }
        buffer = io.BytesIO()
        torch.save(state, buffer)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        temporary.write_bytes(buffer.getvalue())
        temporary.replace(path)

    def load(self, path: Path) -> None:
        """Go on where `save` left off."""
        state = torch.load(path, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.batches.set_state(state["batches"])
        self.log = state["log"]


def emit(record: Record) -> None:
    """Write one record as a line of JSON."""
    sys.stdout.write(json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n")
    sys.stdout.flush()


def main() -> int:
    """Run the job on stdin: values, seed, threads, corpus {wheel, member, sha256}, checkpoint, stop."""
    job = json.load(sys.stdin)
    torch.set_num_threads(job["threads"])
    torch.use_deterministic_algorithms(True)
    recipe = Recipe.of(job["values"])
    source = job["corpus"]
    text = text_of_wheel(Path(source["wheel"]), source["member"], source["sha256"])
    trainer = Trainer(recipe, Corpus.of(text, recipe.validation), job["seed"])
    checkpoint = Path(job["checkpoint"]) if job.get("checkpoint") else None
    stopping: list[int] = []  # Ctrl-C waits for the step in hand
    signal.signal(signal.SIGINT, lambda number, _: stopping.append(number))
    if checkpoint and checkpoint.exists():
        trainer.load(checkpoint)
    for record in list(trainer.log):
        emit(record)
    for record in trainer.records(job.get("stop")):
        emit(record)
        step = record["step"]
        if checkpoint and (stopping or step in recipe.marks) and step < recipe.steps:
            trainer.save(checkpoint)
        if stopping:
            return INTERRUPTED
    emit({"end": trainer.end()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
