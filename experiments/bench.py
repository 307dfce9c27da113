"""What a norm costs: forward and backward on one tensor, beside the time that moving its bytes takes.

    layernorm           torch's fused LayerNorm
    rmsnorm             torch's rms_norm
    by_hand             x * rsqrt(mean(x^2) + eps) * g, three lines of torch
    by_hand_compiled    the same lines through torch.compile, where a C++ compiler is there
    copy                one copy of the tensor: 2 tensors moved (one read, one written)

A norm cannot do with less than 5 tensors moved: it reads x and writes y, then reads x and dL/dy and writes
dL/dx. So 5/2 copies are the limit that memory sets. Candidates take turns within a round, each round
beginning with the next one, so that a busy machine hits them all alike.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - its usual name

Norm = Callable[[Tensor, Tensor, Tensor, float], Tensor]  # x, gain, bias, eps -> y
MOVED = {"norm": 5, "copy": 2}  # tensors read or written, see above
WARM_UP = 3  # untimed calls of every candidate; the first compiles


def layernorm(x: Tensor, gain: Tensor, bias: Tensor, eps: float) -> Tensor:
    """Return torch's LayerNorm over the last axis."""
    return F.layer_norm(x, gain.shape, gain, bias, eps)


def rmsnorm(x: Tensor, gain: Tensor, bias: Tensor, eps: float) -> Tensor:
    """Return torch's RMSNorm over the last axis; the bias is not used."""
    return F.rms_norm(x, gain.shape, gain, eps)


def by_hand(x: Tensor, gain: Tensor, bias: Tensor, eps: float) -> Tensor:
    """Return RMSNorm written out: eps stands inside the root, beside the mean of squares."""
    mean_of_squares = x.square().mean(-1, keepdim=True)
    return x * torch.rsqrt(mean_of_squares + eps) * gain


def candidates() -> dict[str, Norm]:
    """Return the norms to time; the compiled one only where it can be compiled."""
    found: dict[str, Norm] = {"layernorm": layernorm, "rmsnorm": rmsnorm, "by_hand": by_hand}
    if any(shutil.which(compiler) for compiler in ("c++", "g++", "clang++", "cl")):
        found["by_hand_compiled"] = torch.compile(by_hand)
    return found


def devices() -> list[str]:
    """Return cpu, and what else this machine computes on."""
    others = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    return ["cpu", *(name for name, present in others.items() if present)]


def wait(device: str) -> None:
    """Return when everything asked of `device` is done."""
    if device == "cuda":
        torch.cuda.synchronize()
    elif device == "mps":
        torch.mps.synchronize()


def trials(shape: list[int], eps: float, device: str) -> dict[str, Callable[[], object]]:
    """Return one forward-and-backward call per candidate, and the copy, on the same random tensors."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(shape, generator=generator).to(device).requires_grad_()
    upstream = torch.randn(shape, generator=generator).to(device)  # dL/dy
    gain, bias = torch.ones(shape[-1], device=device), torch.zeros(shape[-1], device=device)
    gain.requires_grad_()
    bias.requires_grad_()

    def trial(name: str, norm: Norm) -> Callable[[], object]:
        inputs = (x, gain, bias) if name == "layernorm" else (x, gain)
        return lambda: torch.autograd.grad(norm(x, gain, bias, eps), inputs, upstream)

    target = torch.empty_like(upstream)
    calls = {name: trial(name, norm) for name, norm in candidates().items()}
    return {**calls, "copy": lambda: target.copy_(upstream)}


def rounds(calls: dict[str, Callable[[], object]], repeats: int, device: str) -> Iterator[dict[str, float]]:
    """Yield the milliseconds of every candidate, `repeats` times."""
    names = list(calls)
    for name in names * WARM_UP:
        calls[name]()
    for turn in range(repeats):
        first = turn % len(names)
        took = {}
        for name in names[first:] + names[:first]:
            wait(device)
            start = time.perf_counter()
            calls[name]()
            wait(device)
            took[name] = float(f"{(time.perf_counter() - start) * 1000:.4g}")
        yield {name: took[name] for name in names}


def emit(record: dict[str, Any]) -> None:
    """Write one record as a line of JSON."""
    sys.stdout.write(json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n")
    sys.stdout.flush()


def main() -> int:
    """Run the job on stdin, values {shape, repeats, threads, eps}; one line per device and round."""
    values = json.load(sys.stdin)["values"]
    torch.set_num_threads(values["threads"])
    for device in devices():
        calls = trials(values["shape"], values["eps"], device)
        for turn, took in enumerate(rounds(calls, values["repeats"], device)):
            emit({"step": turn, "device": device, **took})
    emit({"end": {"moved": MOVED, "devices": devices()}})
    return 0


if __name__ == "__main__":
    sys.exit(main())
