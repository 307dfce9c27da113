# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# 这一页把课文里手算的数字用 torch 重做一遍。
# 代码可以整段复制到本机运行；页面上的输出是录制时真正跑出来的，任何一个断言不成立，录制就会失败。
#
# 例子用的向量、平移量、倍数都读自课文用的同一个文件，改了文件，这一页也要重录。

# %%
import json
from pathlib import Path

import torch
import torch.nn.functional as F  # noqa: N812

from experiments import norms

toy = json.loads(Path("docs/c4/03-normalization/toy.json").read_text(encoding="utf-8"))
lr, decay, eps_model = 3e-3, 0.1, 1e-6  # 本课训练用的学习率、权重衰减、ε
x = torch.tensor(toy["x"], dtype=torch.float64)
d = len(x)


def show(label, values):
    wide = sum(ord(character) > 0x2E80 for character in label)  # 汉字占两格
    print(label + " " * (12 - len(label) - wide), "  ".join(f"{value:7.3f}" for value in values.tolist()))


def close(a, b, tolerance=1e-12):
    assert torch.allclose(a, torch.as_tensor(b, dtype=a.dtype), atol=tolerance, rtol=0), (a, b)


print("x =", toy["x"])

# %% [markdown]
# ## 手写的归一化，和 torch 的对得上吗
#
# 先照公式写，再与 torch 的函数、与课程自己的 `experiments/norms.py` 比。
# ε 特意取得很大：若把它放到根号外面，小 ε 看不出来，大 ε 一眼就露馅。


# %%
def layer_norm(x, eps=0.0):
    centered = x - x.mean()
    return centered / torch.sqrt(centered.square().mean() + eps)


def rms_norm(x, eps=0.0):
    return x / torch.sqrt(x.square().mean() + eps)


large = 0.1
for eps in (0.0, large):
    close(layer_norm(x, eps), F.layer_norm(x, (d,), eps=eps))
    close(rms_norm(x, eps), F.rms_norm(x, (d,), eps=eps))
    close(layer_norm(x, eps), norms.layer_norm(toy["x"], eps))
    close(rms_norm(x, eps), norms.rms_norm(toy["x"], eps))
misplaced = x / (torch.sqrt(x.square().mean()) + large)
assert not torch.allclose(misplaced, rms_norm(x, large), atol=1e-3)

print(f"均值 {x.mean():.3f}，标准差 {x.std(correction=0):.3f}，RMS {x.square().mean().sqrt():.3f}")
show("LayerNorm", layer_norm(x))
show("RMSNorm", rms_norm(x))

# %% [markdown]
# ## 平移与缩放，谁变谁不变

# %%
shifted, scaled = x + toy["shift"], x * toy["scale"]
close(layer_norm(shifted), layer_norm(x))
close(layer_norm(scaled), layer_norm(x))
close(rms_norm(scaled), rms_norm(x))
assert not torch.allclose(rms_norm(shifted), rms_norm(x), atol=toy["shown"])

show(f"RMS  +{toy['shift']}", rms_norm(shifted))
show(f"RMS  ×{toy['scale']}", rms_norm(scaled))
print(f"RMSNorm 输出的长度 {rms_norm(shifted).norm():.6f}，√d = {d**0.5:.6f}")

# %% [markdown]
# ## 反向：梯度没有沿着 x 的那一份
#
# RMSNorm 的输出与 x 的长短无关，所以损失沿着 x 的方向不会变：梯度与 x 垂直。输入放大几倍，梯度就缩小几倍。

# %%
direction = torch.linspace(-1, 1, d, dtype=torch.float64)


def gradient(x):
    x = x.clone().requires_grad_()
    (rms_norm(x) @ direction).backward()
    return x.grad


assert abs(gradient(x) @ x) < 1e-12
close(gradient(scaled) * toy["scale"], gradient(x))
show("dL/dx", gradient(x))
print(f"dL/dx · x = {abs(gradient(x) @ x):.1e}")

# %% [markdown]
# ## BatchNorm：同一个词，换了同批的句子就变
#
# 「苹果」的向量没动过，只换同批的另一句。批里只剩一个词时，torch 干脆拒绝计算。

# %%
batch = toy["batch"]
position = batch["sentence"]["words"].index(batch["token"])
own = torch.tensor(batch["sentence"]["vectors"], dtype=torch.float64)


def batch_norm(tokens):
    return F.batch_norm(tokens, None, None, training=True, eps=batch["eps"])[position]


show("只有本句", batch_norm(own))
for mate in batch["mates"]:
    both = torch.cat([own, torch.tensor(mate["vectors"], dtype=torch.float64)])
    show(f"加 {mate['text'][:4]}", batch_norm(both))
    assert not torch.allclose(batch_norm(both), batch_norm(own), atol=toy["shown"])
    close(rms_norm(both[position]), rms_norm(own[position]))
show("RMSNorm", rms_norm(own[position]))
try:
    F.batch_norm(own[position : position + 1], None, None, training=True)
except ValueError as error:
    print("只有一个词:", error)
else:
    raise AssertionError("torch normalised one value per channel")


# %% [markdown]
# ## 零中心 RMSNorm 与 bfloat16
#
# 存的参数是 w，乘的是 `1 + w`。半精度下要当心存储，也要当心计算。
#
# 先看存储：bfloat16 在一的附近格子很粗，一步小更新会被整个舍掉；在零附近的格子细得多，同样的更新留得住。


# %%
def zero_centered_rms_norm(x, w, eps=eps_model):
    normalised = rms_norm(x.float(), eps)  # 统计量用 float32 算
    return (normalised * (1 + w.float())).to(x.dtype)  # 乘完才舍入一次


one, zero = torch.ones(1, dtype=torch.bfloat16), torch.zeros(1, dtype=torch.bfloat16)
update = lr * decay
print(f"1 右边的格距 {torch.finfo(torch.bfloat16).eps:.2e}；更新 {update:.1e}")
print("存 g：1 + 更新 − 1 =", (one + update - one).item())
print(f"存 w：0 + 更新     = {(zero + update).item():.3e}")
assert (one + update).item() == 1.0
assert (zero + update).item() != 0.0

# %% [markdown]
# 再看计算：每步都用 bfloat16 舍入，误差会叠起来；统计量用 float32、最后舍入一次，误差只剩最后那一次。

# %%
generator = torch.Generator().manual_seed(7)
tokens = torch.randn(16, 128, generator=generator).to(torch.bfloat16)
w = (0.1 * torch.randn(128, generator=generator)).to(torch.bfloat16)
exact = torch.stack(
    [torch.tensor(norms.zero_centered_rms_norm(row.tolist(), w.tolist(), eps_model)) for row in tokens[:16]]
)


def largest_error(y):
    return ((y.float() - exact).abs() / exact.abs().clamp_min(1e-3)).max().item()


def row_wise(x, eps):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)


float32_inside = (row_wise(tokens.float(), eps_model) * (1 + w.float())).to(torch.bfloat16)
bfloat16_all = row_wise(tokens, eps_model) * (1 + w)
one_row = torch.stack([zero_centered_rms_norm(row, w) for row in tokens])
assert torch.equal(one_row, float32_inside)
print(f"float32 算、舍入一次：最大相对误差 {largest_error(float32_inside):.2e}")
print(f"全程 bfloat16：      最大相对误差 {largest_error(bfloat16_all):.2e}")
assert largest_error(float32_inside) < largest_error(bfloat16_all)

# %% [markdown]
# ## 权重衰减把增益拉向哪里
#
# 用真正的 AdamW 走，梯度为零，只剩衰减。标准增益被拉向零，零中心的被拉向一；结果与闭式公式比。

# %%
start, steps = toy["decay"]["gain"], toy["decay"]["steps"]
standard = torch.nn.Parameter(torch.tensor(start, dtype=torch.float64))
centered = torch.nn.Parameter(torch.tensor(start - 1, dtype=torch.float64))
optimizer = torch.optim.AdamW([standard, centered], lr=lr, weight_decay=decay)
for _ in range(steps):
    for parameter in (standard, centered):
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
kept = (1 - lr * decay) ** steps
close(standard.detach(), start * kept, 1e-9)
close(1 + centered.detach(), 1 + (start - 1) * kept, 1e-9)
print(f"起点 {start}，{steps:,} 步之后：标准 {standard.item():.3f}，零中心 {1 + centered.item():.3f}")
