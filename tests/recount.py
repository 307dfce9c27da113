"""The lesson's numbers counted a second time, straight from the files: nothing of course_build, docs or experiments.

    anchor(config)             every number that stands on the anchor model's config (qwen3_5, dense)
    toy(data, recipe)          every number that stands on the constructed examples

Both return id -> value, or raise Refused where there is nothing to count.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum, prod, sqrt
from typing import Any

Json = dict[str, Any]
Shape = tuple[int, ...]


class RefusedError(Exception):
    """The config describes no model, or one whose tensors nobody knows."""


# ---- the anchor model --------------------------------------------------------------------------------


def _norm(width: int) -> list[tuple[str, Shape]]:
    return [("norm", (width,))]


def _linear(out: int, into: int, bias: bool) -> list[tuple[str, Shape]]:
    return [("matrix", (out, into)), *([("bias", (out,))] if bias else [])]


def _attention(c: Json) -> list[tuple[str, Shape]]:
    d, q, kv = c["hidden_size"], c["num_attention_heads"] * c["head_dim"], c["num_key_value_heads"] * c["head_dim"]
    bias = c["attention_bias"]
    rows = 2 * q if c["attn_output_gate"] else q
    projections = [*_linear(rows, d, bias), *_linear(kv, d, bias), *_linear(kv, d, bias), *_linear(d, q, bias)]
    return [*projections, *_norm(c["head_dim"]), *_norm(c["head_dim"])]


def _delta_net(c: Json) -> list[tuple[str, Shape]]:
    d, heads = c["hidden_size"], c["linear_num_value_heads"]
    keys, values = c["linear_num_key_heads"] * c["linear_key_head_dim"], heads * c["linear_value_head_dim"]
    mixed = 2 * keys + values
    return [
        ("matrix", (mixed, 1, c["linear_conv_kernel_dim"])), ("matrix", (heads,)), ("matrix", (heads,)),
        ("norm", (c["linear_value_head_dim"],)), ("matrix", (d, values)), ("matrix", (mixed, d)),
        ("matrix", (values, d)), ("matrix", (heads, d)), ("matrix", (heads, d)),
    ]  # fmt: skip


def _feed_forward(c: Json) -> list[tuple[str, Shape]]:
    d, wide = c["hidden_size"], c["intermediate_size"]
    return [("ffn", (wide, d)), ("ffn", (wide, d)), ("ffn", (d, wide))]


def _vision(v: Json) -> Iterator[tuple[int, str, str, Shape]]:
    d, wide, merged = v["hidden_size"], v["intermediate_size"], v["hidden_size"] * v["spatial_merge_size"] ** 2
    patch = (d, v["in_channels"], v["temporal_patch_size"], v["patch_size"], v["patch_size"])
    yield 1, "vision", "matrix", patch
    yield 1, "vision", "bias", (d,)
    yield 1, "vision", "matrix", (v["num_position_embeddings"], d)
    for _ in range(4):
        yield v["depth"], "vision", "norm", (d,)
    for out, into in ((3 * d, d), (d, d), (wide, d), (d, wide)):
        yield v["depth"], "vision", "matrix", (out, into)
        yield v["depth"], "vision", "bias", (out,)
    for _ in range(2):
        yield 1, "vision", "norm", (d,)
    for out in (merged, v["out_hidden_size"]):
        yield 1, "vision", "matrix", (out, merged)
        yield 1, "vision", "bias", (out,)


def _tensors(config: Json) -> Iterator[tuple[int, str, str, Shape]]:
    """Yield (copies, part, kind, shape) in the order of the checkpoint."""
    c = config["text_config"]
    d, L, n = c["hidden_size"], c["num_hidden_layers"], c["mtp_num_hidden_layers"]
    kinds = c["layer_types"]
    yield 1, "embed", "matrix", (c["vocab_size"], d)
    for kind, part, tensors in (
        ("linear_attention", "linear_attention", _delta_net(c)),
        ("full_attention", "attention", _attention(c)),
    ):
        for what, shape in tensors if kind in kinds else ():
            yield kinds.count(kind), "norm" if what == "norm" else part, what, shape
    yield L, "norm", "norm", (d,)
    yield L, "norm", "norm", (d,)
    for what, shape in _feed_forward(c):
        yield L, "ffn", what, shape
    yield 1, "norm", "norm", (d,)
    if not config["tie_word_embeddings"]:
        yield 1, "lm_head", "matrix", (c["vocab_size"], d)
    yield from _vision(config["vision_config"])
    if n:
        yield 1, "mtp", "matrix", (d, 2 * d)
        for _ in range(2):
            yield 1, "mtp", "norm", (d,)
        for what, shape in [*_attention(c), *_norm(d), *_norm(d), *_feed_forward(c)]:
            yield n, "mtp", what, shape
        yield 1, "mtp", "norm", (d,)


def _refuse(config: Json) -> None:
    c = config["text_config"]
    if (
        config["model_type"] != "qwen3_5"
        or config["language_model_only"]
        or c["mtp_use_dedicated_embeddings"]
        or len(c["layer_types"]) != c["num_hidden_layers"]
        or set(c["layer_types"]) > {"linear_attention", "full_attention"}
    ):
        raise RefusedError


def anchor(config: Json) -> Json:
    """Return every number that stands on the anchor's config."""
    _refuse(config)
    c = config["text_config"]
    d, L, head, kinds = c["hidden_size"], c["num_hidden_layers"], c["head_dim"], c["layer_types"]
    full, linear = kinds.count("full_attention"), kinds.count("linear_attention")
    tensors = [(copies, part, what, shape, copies * prod(shape)) for copies, part, what, shape in _tensors(config)]

    def count(part: str, *kinds: str) -> int:
        return sum(n for _, where, what, _, n in tensors if where == part and (not kinds or what in kinds))

    total = sum(n for *_, n in tensors)
    vision, mtp, norm = count("vision"), count("mtp"), count("norm")
    text = total - vision - mtp
    main, qk, gdn = (2 * L + 1) * d, 2 * full * head, linear * c["linear_value_head_dim"]
    parts = {"ffn": count("ffn"), "linear_attention": count("linear_attention"), "attention": count("attention"),
             "embed": count("embed"), "norm": norm, "vision": vision, "mtp": mtp}  # fmt: skip
    parts |= {"lm_head": count("lm_head")} if count("lm_head") else {}
    norms = {"mtp": count("mtp", "norm"), "vision": count("vision", "norm")}
    every = norm + norms["mtp"] + norms["vision"]
    q = c["num_attention_heads"] * head
    out: Json = {
        "d": d, "layers": L, "ffn.width": c["intermediate_size"], "vocab": c["vocab_size"], "head_dim": head,
        "heads": c["num_attention_heads"], "eps": c["rms_norm_eps"], "layers_full": full, "layers_linear": linear,
        "writes": 2, "sublayers": 2 * L, "ffn.ratio": c["intermediate_size"] / d, "ffn.matrices": 3, "q_width": q,
        "q_factor": 2 if c["attn_output_gate"] else 1, "q_proj": 2 * q if c["attn_output_gate"] else q,
        "total": total, "text": text, "vision": vision, "mtp": mtp, "embed.params": parts["embed"],
        "head.params": parts.get("lm_head", 0), "attention.params": parts["attention"],
        "linear.params": parts["linear_attention"], "ffn.params": parts["ffn"], "norm.main": main, "norm.qk": qk,
        "norm.gdn": gdn, "norm.mtp": norms["mtp"], "norm.vision": norms["vision"], "norm.each": d,
        "attention.full": (parts["attention"] + qk) // full,
        "attention.linear": (parts["linear_attention"] + gdn) // linear,
        "ffn.each": parts["ffn"] // L, "norm.text": norm, "norm.all": every, "norm.main_share": main / total,
        "norm.main_share_text": main / text, "norm.text_share": norm / total, "norm.all_share": every / total,
        "ffn_share": parts["ffn"] / total, "ffn_share_text": parts["ffn"] / text, "family": config["model_type"],
        "norm_layers.qk": full, "norm_layers.gdn": linear,
        "activation": c["hidden_act"], "layer_kinds": len(set(kinds)),
    }  # fmt: skip
    out = {f"anchor.{name}": value for name, value in out.items()}
    out |= _places("anchor.norms", _text_norms(c, full, linear))
    out |= {f"params.parts.{part}": n for part, n in parts.items()}
    out |= {f"params.shares.{part}": n / total for part, n in parts.items()}
    for index, (copies, _, _, shape, n) in enumerate(tensors):
        out |= {f"params.tensor.{name}.t{index}": value for name, value in
                (("copies", copies), ("shape", list(shape)), ("count", n))}  # fmt: skip
    out |= _places("params.norms.qwen", _all_norms(config, full, linear))
    out |= _compared(c, every, total, text, full, linear)
    out |= {f"params.rank.{place}": name for place, name in _rank(parts).items()}
    stream = 2 * L
    return out | {
        "norm.directions": d - 1,
        "norm.radius": sqrt(d),
        "norm.eps.effect": 1 - 1 / sqrt(1 + c["rms_norm_eps"]),
        "norm.stream.std": sqrt(1 + stream),
        "norm.stream.writes_std": sqrt(stream),
    }


def _compared(c: Json, norms: int, total: int, text: int, full: int, linear: int) -> Json:
    """Return the anchor's row in the table of models."""
    row: Json = {
        "d": c["hidden_size"], "layers": c["num_hidden_layers"], "total": total, "active": text, "norms": norms,
        "kv": 2 * 2 * full * c["num_key_value_heads"] * c["head_dim"], "eps": c["rms_norm_eps"],
        "ffn": c["intermediate_size"], "ratio": c["intermediate_size"] / c["hidden_size"],
        "norm": "RMSNorm（零中心）：子层入口、最后一层之后", "qk": "RMSNorm（零中心）" if full else "没有",
        "delta": "RMSNorm" if linear else "没有", "latent": "没有", "vision": "LayerNorm", "stream": "普通残差",
        "gates": "注意力输出、" * c["attn_output_gate"] + "线性注意力输出、FFN", "clamp": "没有上界",
    }  # fmt: skip
    return {f"model.qwen.{name}": value for name, value in row.items()}


def _rank(parts: Json) -> Json:
    """Return the names of the largest, second and smallest part."""
    order = sorted(parts, key=lambda part: -parts[part])
    names = {"ffn": "FFN", "linear_attention": "Gated DeltaNet", "attention": "完整注意力", "embed": "词嵌入",
             "lm_head": "输出头", "norm": "归一化", "vision": "视觉塔", "mtp": "MTP 模块"}  # fmt: skip
    return {place: names[order[at]] for place, at in (("first", 0), ("second", 1), ("last", -1))}


Place = tuple[int, int, int, bool]  # width, copies, params, zero-centred


def _text_norms(c: Json, full: int, linear: int) -> dict[str, Place]:
    """Return the text model's norms; only the one inside Gated DeltaNet is stored as the gain itself."""
    d, L, head, delta = c["hidden_size"], c["num_hidden_layers"], c["head_dim"], c["linear_value_head_dim"]
    found = {"input": (d, L), "post_attention": (d, L), "final": (d, 1)}
    found |= {"q": (head, full), "k": (head, full)} if full else {}
    found |= {"delta": (delta, linear)} if linear else {}
    return {place: (width, n, width * n, place != "delta") for place, (width, n) in found.items()}


def _all_norms(config: Json, full: int, linear: int) -> dict[str, Place]:
    """Return all norms in reading order: text, vision (gain and shift), the MTP module."""
    c, v = config["text_config"], config["vision_config"]
    rows = list(_text_norms(c, full, linear).values())
    rows += [(v["hidden_size"], n, 2 * v["hidden_size"] * n, False) for n in (v["depth"], v["depth"], 1)]
    if n := c["mtp_num_hidden_layers"]:
        d, head = c["hidden_size"], c["head_dim"]
        widths = [(d, n), (d, n), (d, 1), (head, n), (head, n), (d, 1), (d, 1)]
        rows += [(width, copies, width * copies, True) for width, copies in widths]
    return {f"r{index}": row for index, row in enumerate(rows)}


def _places(prefix: str, rows: dict[str, Place]) -> Json:
    columns = ("width", "copies", "params", "zero_centered")
    return {
        f"{prefix}.{column}.{place}": value
        for place, row in rows.items()
        for column, value in zip(columns, row, strict=True)
    }


# ---- the constructed examples ------------------------------------------------------------------------

Vector = list[float]


def _mean(x: Vector) -> float:
    return fsum(x) / len(x)


def _rms(x: Vector) -> Vector:
    size = sqrt(_mean([v * v for v in x]))
    if not size:
        raise RefusedError
    return [v / size for v in x]


def _layer(x: Vector) -> Vector:
    return _rms([v - _mean(x) for v in x])


def _batch(rows: list[Vector], eps: float) -> list[Vector]:
    def column(x: Vector) -> Vector:
        size = sqrt(_mean([(v - _mean(x)) ** 2 for v in x]) + eps)
        return [(v - _mean(x)) / size for v in x]

    return [list(row) for row in zip(*(column(list(x)) for x in zip(*rows, strict=True)), strict=True)]


def _apart(a: Vector, b: Vector) -> float:
    return max(abs(p - q) for p, q in zip(a, b, strict=True))


def toy(data: Json, recipe: Json) -> Json:
    """Return every number that stands on the constructed examples."""
    return _by_hand(data) | _together(data["batch"]) | _decay(data["decay"], recipe)


def _by_hand(data: Json) -> Json:
    x, s, k, n = data["x"], data["shift"], data["scale"], len(data["x"])
    mean, meansq = _mean(x), _mean([v * v for v in x])
    var = _mean([(v - mean) ** 2 for v in x])
    moved, scaled = [v + s for v in x], [v * k for v in x]
    moved_meansq = _mean([v * v for v in moved])
    return {
        "norm.toy.x": x, "norm.toy.n": n, "norm.toy.shift": s, "norm.toy.scale": k, "norm.toy.shown": data["shown"],
        "norm.toy.radius": sqrt(n), "norm.ln.mean": mean, "norm.ln.var": var, "norm.ln.std": sqrt(var),
        "norm.ln.out": _layer(x), "norm.rms.meansq": meansq, "norm.rms.rms": sqrt(meansq), "norm.rms.out": _rms(x),
        "norm.shifted.x": moved, "norm.shifted.mean": mean + s, "norm.shifted.meansq": moved_meansq,
        "norm.shifted.rms": sqrt(moved_meansq), "norm.shifted.out": _rms(moved), "norm.scaled.x": scaled,
        "norm.scaled.rms": k * sqrt(meansq),
        "norm.shifted.moved.rms": _apart(_rms(x), _rms(moved)),
        "norm.shifted.moved.ln": _apart(_layer(x), _layer(moved)),
        "norm.scaled.moved.rms": _apart(_rms(x), _rms(scaled)),
        "norm.scaled.moved.ln": _apart(_layer(x), _layer(scaled)),
    }  # fmt: skip


def _together(batch: Json) -> Json:
    words, vectors, eps = batch["sentence"]["words"], batch["sentence"]["vectors"], batch["eps"]
    if batch["token"] not in words:
        raise RefusedError
    apple = vectors[words.index(batch["token"])]
    rest = [v for w, v in zip(words, vectors, strict=True) if w != batch["token"]]
    mates = {mate["id"]: mate["vectors"] for mate in batch["mates"]}
    a, b = mates.get("a", []), mates.get("b", [])

    def padded(mate: list[Vector]) -> list[Vector]:
        return [*mate, *[batch["pad"]] * abs(len(vectors) - len(mate))]

    cases = {"own": rest, "a": rest + a, "a_padded": rest + padded(a)}
    cases |= {"b": rest + b, "b_padded": rest + padded(b), "one": []}
    bn = {name: _batch([apple, *others], eps)[0] for name, others in cases.items()}
    out: Json = {}
    for name, others in cases.items():
        out |= {f"norm.batch.{name}.tokens": 1 + len(others), f"norm.batch.{name}.bn": bn[name],
                f"norm.batch.{name}.rms": _rms(apple), f"norm.batch.{name}.ln": _layer(apple)}  # fmt: skip
    for i, (word, vector, normal) in enumerate(zip(words, vectors, _batch(vectors, eps), strict=True)):
        out |= {f"norm.batch.words.t{i}": word, f"norm.batch.tokens.t{i}": vector}
        out[f"norm.batch.normalized.t{i}"] = normal
    out |= {f"norm.batch.mates.{mate['id']}": mate["text"] for mate in batch["mates"]}
    return out | {
        "norm.batch.token": batch["token"], "norm.batch.eps": eps,
        "norm.batch.flips": sum(p * q < 0 for p, q in zip(bn["a"], bn["b"], strict=True)),
        "norm.batch.one_largest": max(abs(v) for v in bn["one"]), "norm.batch.rms_moved": 0.0,
        "norm.batch.ln_moved": 0.0,
        "norm.batch.pad_moved": min(_apart(bn["a"], bn["a_padded"]), _apart(bn["b"], bn["b_padded"])),
    }  # fmt: skip


def _decay(decay: Json, recipe: Json) -> Json:
    gain, steps, points = decay["gain"], decay["steps"], decay["points"]
    left = 1 - recipe["lr"] * recipe["decay"]
    at = [steps * i // points for i in range(points + 1)]
    return {
        "norm.decay.gain": gain, "norm.decay.steps": steps, "norm.decay.at": at, "norm.decay.keep": left**steps,
        "norm.decay.standard": gain * left**steps, "norm.decay.zero_centered": 1 + (gain - 1) * left**steps,
        "norm.decay.curve.stored": [gain * left**t for t in at],
        "norm.decay.curve.zero_centered": [1 + (gain - 1) * left**t for t in at],
    }  # fmt: skip
