"""演进图和模型对比要用的事实：前沿模型的配置、由它们算出的比例和上限、小模型的初始化。"""

from __future__ import annotations

from math import exp

from course_build.ledger import claim, fact, model, ref, source

FRONTIER = "experiments/configs/frontier-models.json"
constructed = source("docs/constructed.json", kind="constructed")
baseline = source("experiments/configs/recipes/pre-rms.json")


def _frontier(name):
    return model(FRONTIER, f"/{name}")


READ = [
    ("gpt2.d", "GPT-2 的宽度", "维", "gpt2", "/n_embd", ""),
    ("deepseek67b.d", "DeepSeek-LLM-67B 的宽度", "维", "deepseek-llm-67b", "/hidden_size", ""),
    ("deepseek67b.ffn", "DeepSeek-LLM-67B 的 FFN 中间维", "维", "deepseek-llm-67b", "/intermediate_size", ""),
    ("gptoss.limit", "gpt-oss 的 SwiGLU 截断值", "", "gpt-oss-20b", "/swiglu_limit", ".0f"),
    ("gptoss.eps", "gpt-oss 归一化的 ε", "", "gpt-oss-20b", "/rms_norm_eps", "e"),
    ("v4.limit", "DeepSeek-V4 的 SwiGLU 截断值", "", "deepseek-v4-flash", "/swiglu_limit", ".0f"),
    ("v4.streams", "DeepSeek-V4 的残差流条数", "条", "deepseek-v4-flash", "/hc_mult", ""),
    (
        "kimik3.beta",
        "Kimi K3 的 SiTU 软上限，门一侧",
        "",
        "kimi-k3",
        "/text_config/activation_situ_beta",
        ".0f",
    ),
    (
        "kimik3.linear_beta",
        "Kimi K3 的 SiTU 软上限，值一侧",
        "",
        "kimi-k3",
        "/text_config/activation_situ_linear_beta",
        ".0f",
    ),
    ("kimik3.output_gate", "Kimi K3 的 MLA 是否带输出门", "", "kimi-k3", "/text_config/mla_use_output_gate", ""),
    (
        "flashnext.delta_gate",
        "Qwen3.8-Flash-Next 线性注意力输出门的激活函数",
        "",
        "qwen3.8-flash-next",
        "/text_config/output_gate_type",
        "",
    ),
    ("gpt2.activation", "GPT-2 的 FFN 激活函数", "", "gpt2", "/activation_function", ""),
]


def _read(name, pointer):
    def value(value=_frontier(name).at(pointer)):
        return value

    return value


for name, title, unit, which, pointer, display in READ:
    key = pointer.rpartition("/")[-1]
    fact(f"frontier.{name}", title=title, unit=unit, by=f"官方 config 的 {key}", format=display)(_read(which, pointer))


@fact("frontier.gpt2.ffn", title="GPT-2 的 FFN 中间维", unit="维", by="数参数清单里 c_fc 的列")
def gpt2_ffn(columns=_frontier("gpt2").derived(lambda inventory: inventory.traits.d_ff.value)):
    return columns


@fact(
    "frontier.deepseek67b.ratio",
    title="DeepSeek-LLM-67B 的 FFN 中间维与宽度之比",
    unit="倍",
    how="{ffn} / {d}",
    format=".4f",
)
def deepseek67b_ratio(ffn=ref("frontier.deepseek67b.ffn"), d=ref("frontier.deepseek67b.d")):
    return ffn / d


@fact(
    "frontier.deepseek67b.matrices",
    title="DeepSeek-LLM-67B 一个 FFN 里的矩阵个数",
    unit="个",
    by="数参数清单里一层 FFN 的张量",
)
def deepseek67b_matrices(
    count=_frontier("deepseek-llm-67b").derived(lambda inventory: len(inventory.select(part="ffn").tensors)),
):
    return count


@fact("frontier.kimik3.bound", title="Kimi K3 的 SiTU 乘积的上界", how="{beta} × {linear_beta}", format=".0f")
def kimik3_bound(beta=ref("frontier.kimik3.beta"), linear_beta=ref("frontier.kimik3.linear_beta")):
    return beta * linear_beta


@fact(
    "block.vaswani.ratio",
    title="原版 Transformer 的中间维与宽度之比",
    unit="倍",
    how="{ffn} / {d}",
    format="d",
)
def vaswani_ratio(ffn=ref("paper.vaswani2017.d_ff"), d=ref("paper.vaswani2017.d_model")):
    return ffn // d


@fact(
    "block.match.ratio",
    title="与无门版本参数相等时，中间维与宽度之比",
    unit="倍",
    how="2 × {ratio} / {matrices}",
    format=".3f",
)
def match_ratio(ratio=ref("block.vaswani.ratio"), matrices=ref("frontier.deepseek67b.matrices")):
    return 2 * ratio / matrices


claim(
    "block.c.wider",
    "paper.vaswani2017.ppl_narrow > paper.vaswani2017.ppl_base > paper.vaswani2017.ppl_wide",
    title="只把中间维加宽，困惑度就下降",
)
claim(
    "block.c.rounding",
    "frontier.deepseek67b.ratio > block.match.ratio",
    title="DeepSeek-LLM-67B 的中间维比对齐参数所需的略宽，是向上取整",
)
claim(
    "block.c.sink",
    "paper.qiu2025.sink_after < paper.qiu2025.sink_before",
    title="给注意力的输出加门，首 token 分到的注意力下降",
)
claim("block.c.gelu", "frontier.gpt2.activation == 'gelu_new'", title="GPT-2 的 FFN 用 GELU")
claim("block.c.streams", "frontier.v4.streams > 1", title="DeepSeek-V4 的残差流不止一条")
claim(
    "block.c.output_gates",
    "frontier.kimik3.output_gate and frontier.flashnext.delta_gate == 'sigmoid'",
    title="Kimi K3 的 MLA 带输出门，Qwen3.8-Flash-Next 的线性注意力输出门是 sigmoid",
)
claim("block.c.gated", "paper.shazeer2020.swiglu < paper.shazeer2020.gelu", title="参数对齐时，SwiGLU 优于 GELU")


@fact("block.probe", title="试探 SwiGLU 上界时，门和值取的数", by="手工选定")
def probe(x=constructed.at("/probe")):
    return x


@fact("block.swiglu_out", title="SiLU(x) · x", by="SiLU(x) 是 x 乘 sigmoid(x)", format=".3f")
def swiglu_out(x=ref("block.probe")):
    return x / (1 + exp(-x)) * x


RECIPE = [
    ("d", "小模型的宽度", "维", ""),
    ("layers", "小模型的层数", "层", ""),
    ("heads", "小模型的注意力头数", "个头", ""),
    ("context", "小模型的上下文", "个字符", ""),
    ("batch", "每步的序列数", "条", ""),
    ("steps", "训练的步数", "步", ""),
    ("warmup", "学习率预热的步数", "步", ""),
    ("lr", "基准配方的学习率", "", "e"),
    ("eps", "小模型归一化的 ε", "", "e"),
    ("init_std", "初始化的标准差", "", ""),
    ("schedule", "预热之后学习率怎样变", "", ""),
]


def _recipe(key):
    def value(value=baseline.at(f"/values/{key}")):
        return value

    return value


for name, title, unit, display in RECIPE:
    fact(f"recipe.{name}", title=title, unit=unit, by="本课训练的基准配方", format=display)(_recipe(name))


@fact("recipe.writes", title="小模型写入残差流的次数", unit="次", how="2 × {L}")
def recipe_writes(L=ref("recipe.layers")):
    return 2 * L


@fact("recipe.init_out", title="小模型里写回主路的投影的初始标准差", how="{std} / √{N}", format=".3g")
def recipe_init_out(std=ref("recipe.init_std"), N=ref("recipe.writes")):
    return std / N ** (1 / 2)
