"""The closed world of numbers: what counts, what is exempt and why, hiding places."""

from __future__ import annotations

import pytest

from course_build.numerals import Words, course_words, find, in_formula, only_number, scan, words
from course_build.numerals.chinese import value_of
from course_build.numerals.scanner import CUT_OUT

COUNTED = [
    # digit strings and their forms
    ("每一行是 5120 维的向量", ["5120"]),
    ("它是一行 5,120 维的向量", ["5,120"]),
    ("共 27,781,427,952 个参数", ["27,781,427,952"]),
    ("占全模型 0.0024%", ["0.0024%"]),
    ("占 61.6 % 左右", ["61.6 %"]),
    ("只剩最顶层的 6 × 10⁻⁹。", ["6 × 10⁻⁹"]),
    ("只剩 6×10^-9，", ["6×10^-9"]),
    ("只剩 6 × 10^{-9}，", ["6 × 10^{-9}"]),
    ("大约 10⁻⁹", ["10⁻⁹"]),
    ("共 2¹⁰ 个", ["2¹⁰"]),
    ("eps = 1e-6", ["1e-6"]),
    ("学习率 3E-3", ["3E-3"]),
    ("学习率 1e−2", ["1e−2"]),
    ("输出 −1.069", ["−1.069"]),
    ("输出 -1.069", ["-1.069"]),
    ("均值（−0.535）", ["−0.535"]),
    ("标准差 √129", ["129"]),
    ("少 7%–64%", ["7%", "64%"]),
    ("少 7-64 个", ["7", "64"]),
    ("取 3.4d", ["3.4"]),
    ("中间维 8d/3", ["8", "3"]),
    ("约 1/8 的显存", ["1/8"]),
    ("比例 1⁄8", ["1⁄8"]),
    ("１２ 个头", ["１２"]),
    ("占 ６１．６％", ["６１．６％"]),
    ("𝟏𝟐 层", ["𝟏𝟐"]),
    ("٣ 个", ["٣"]),
    ("½ 的显存", ["½"]),
    ("x = [1, 2, 3, 6]", ["1", "2", "3", "6"]),
    ("x = [1,2,3,6]", ["1", "2", "3", "6"]),
    ("[−1.069, −0.535, 0, 1.604]", ["−1.069", "−0.535", "0", "1.604"]),
    ("1,234,56", ["1,234", "56"]),
    ("0.5,0.25", ["0.5", "0.25"]),
    ("1,234.5 与 .5", ["1,234.5", ".5"]),
    ("(9 + 16 + 25 + 64) / 4", ["9", "16", "25", "64", "4"]),
    ("张量 32 × 256 × 256", ["32", "256", "256"]),
    ("取 1024 / 2048 / 4096", ["1024", "2048", "4096"]),
    ("取 1024/2048/4096", ["1024", "2048", "4096"]),
    ("转 90°", ["90"]),
    ("点「整体 ×3」", ["3"]),
    ("点「整体 +2」", ["2"]),
    ("乘 1 + w", ["1"]),
    ("乘 1/√N", ["1"]),
    ("被拉向 0", ["0"]),
    ("方差为 1", ["1"]),
    ("64 层 × 2 个子层 = 128 次写入", ["64", "2", "128"]),
    ("前向 + 反向各 200 次取中位数", ["200"]),
    ("0.667 ms", ["0.667"]),
    ("15B MoE 实验", ["15"]),
    ("27B 参数", ["27"]),
    ("每层 2 个、最后 1 个", ["2", "1"]),
    ("形状 [5120]", ["5120"]),
    ("2048 维", ["2048"]),
    ("d_ff 取 2000", ["2000"]),
    ("隐藏宽度 2016", ["2016"]),
    ("（2016）", ["2016"]),
    ("Adam 2000 步", ["2000"]),
    ("LayerNorm 2000 个", ["2000"]),
    ("FFN 2000 的", ["2000"]),
    ("2023–2020 倒着", ["2023", "2020"]),
    ("在第 40 步到达最低 6.612", ["40", "6.612"]),
    ("第 1 层到最后一层", ["1"]),
    ("第 128 课", ["128"]),
    ("第 3 个", ["3"]),
    ("代表 3 个", ["3"]),
    ("代表 3。", ["3"]),
    ("表 300", ["300"]),
    ("2026-13-26", ["2026-13-26"]),
    ("26 日", ["26"]),
    ("9 月", ["9"]),
    ("10.5 万", ["10.5 万"]),
    ("约 278 亿个参数", ["278 亿"]),
    ("3千步", ["3千"]),
    ("1 : 4", ["1", "4"]),
    ("1:4", ["1", "4"]),
    ("14:03 开始", ["14", "03"]),
    ("1️⃣", ["1"]),
    ("⑪ 与 ❷ 与 ⑴ 与 ㈠", ["⑪", "❷", "⑴", "㈠"]),
    # numbers glued to words that are no names
    ("d5120", ["5120"]),
    ("params660480", ["660480"]),
    ("RMS6.3", ["6.3"]),
    ("损失loss4.63", ["4.63"]),
    ("loss-4.63", ["4.63"]),
    ("loss-4", ["4"]),
    ("x-1", ["1"]),
    ("RMSNorm:4.6266 对 4.6263", ["4.6266", "4.6263"]),
    ("q/5120", ["5120"]),
    ("GPT-2/3", ["3"]),
    ("Qwen-660480", ["660480"]),
    ("Mamba2.5", ["2.5"]),
    ("Mamba 2", ["2"]),
    ("gpt-oss 7、DeepSeek V4 10", ["7", "10"]),
    ("OLMo 2.5", ["2.5"]),
    ("x3 倍", ["3"]),
    ("x10 倍", ["10"]),
    ("2-layer", ["2"]),
    ("e-6", ["6"]),
    ("y⁵¹²", ["⁵¹²"]),
    ("均方²", ["²"]),
    (f"{CUT_OUT}² 个", ["²"]),
    # Chinese quantities
    ("十一倍", ["十一"]),
    ("变大两倍", ["两"]),
    ("增加一倍", ["一"]),
    ("两种摆法", ["两"]),
    ("两 token", ["两"]),
    ("两矩阵 + ReLU", ["两"]),
    ("点两下就能看见", ["两"]),
    ("两列都没变", ["两"]),
    ("试三件事", ["三"]),
    ("FFN 有三个矩阵", ["三"]),
    ("三矩阵", ["三"]),
    ("四维向量", ["四"]),
    ("五 个 token", ["五"]),
    ("八多层", ["八"]),
    ("十几个", ["十"]),
    ("几十个", ["十"]),
    ("十来层", ["十"]),
    ("十分钟", ["十"]),
    ("三四个", ["三四"]),
    ("一两个", ["一两"]),
    ("十万个", ["十万"]),
    ("上千个", ["千"]),
    ("一百二十八层", ["一百二十八"]),
    ("等于一百二十八。", ["一百二十八"]),
    ("千亿级", ["千亿"]),
    ("一万", ["一万"]),
    ("二〇二六个", ["二〇二六"]),
    ("零个参数", ["零"]),
    ("一半过 sigmoid", ["一半"]),
    ("半数层", ["半数"]),
    ("翻倍", ["翻倍"]),
    ("三成", ["三成"]),
    ("两成的 token", ["两成"]),
    ("百分之一左右", ["百分之一"]),
    ("三分之二", ["三分之二"]),
    ("十分之一", ["十分之一"]),
    (f"{CUT_OUT} 分之一", ["分之一"]),
    ("三点五", ["三点五"]),
    ("零点五", ["零点五"]),
    ("第十一层", ["十一"]),
    ("第一百课", ["一百"]),
    (f"{CUT_OUT} 万个", ["万"]),
    (f"{CUT_OUT}亿", ["亿"]),
    (f"√{CUT_OUT} 与 3{CUT_OUT}", ["3"]),
    ("兩種", ["兩"]),
    ("廿层、卅个、廿五维", ["廿", "卅", "廿五"]),
    ("仨头和俩头", ["仨", "俩"]),
    ("叁层，陆个头", ["叁", "陆"]),
    ("Ⅻ 层，Ⅳ", ["Ⅻ", "Ⅳ"]),
    ("每层③个头", ["③"]),
    ("每层 ③ 个头", ["③"]),
    ("大约③倍，×③", ["③", "③"]),
    ("乘以 ½ 和 ⅞", ["½", "⅞"]),
    ("³ 与 ⁵", ["³", "⁵"]),
    ("翻番，翻一番，翻了一番", ["翻番", "翻一番", "翻了一番"]),
    ("翻两番，加倍", ["翻两番", "加倍"]),
    ("〩 个，𐄇 个，༳ 个", ["〩", "𐄇", "༳"]),
]

EXEMPT = [
    # identifiers
    "C8 第 2 课兑现", "L2 的展开式", "T5-base", "GPT-2 起的 Pre-Norm", "Qwen3.8-27B", "Qwen3.8 的写法",
    "DeepSeek-LLM-67B",
    "DeepSeek V4", "DeepSeek-V4", "Kimi K3", "Kimi K2", "OLMo 2 把它", "OLMo-2-1124-7B", "gpt-oss-20b",
    "BF16 与 FP16",
    "float32", "int8", "H100", "UTF-8", "WikiText-103", "Tensor2Tensor", "x_0", "W_1", "x₀", "W₁₂", "σ2", "β1", "𝑥1",
    "c4_postln_nowarmup_lr1e-2", "q4_K_M", "v1.2", "V2", "Llama3", "W4A16", "R3 §3.6", "2D 卷积", "3D",
    # versions, files, addresses
    "PyTorch 2.13.0", "1.2.3", "experiments/norms.py:41", "docs/c4/03-normalization/facts.py", "anchor-model.json",
    "https://arxiv.org/abs/1607.06450", "arXiv:1607.06450", "10.1162/neco.1997.9.8.1735",
    # dates and years of citations
    "2026-09-26 导出", "2026-09-26 14:03", "2026-09-26T14:03:22", "2026/9/26", "2017 年原版", "2017年", "1990 年代",
    "2026 年 9 月 26 日", "2026 年 9 月", "9 月 26 日", "2020–2023 · Llama 式", "2025-2026 之间", "2017 · 原版",
    "LayerNorm（Ba 等 2016）", "(Ba 等 2016)", "Ba 等人 2016", "Zhang & Sennrich 2019)只除", "Xiong 等 2020 证明了",
    "Xiong 2020 的理论", "Vaswani 2017 表 3", "Shazeer 2020 表 1", "LayerNorm(2016,逐 token", "Post-LN(2017)",
    "GPT-2（2019）", "ResNet 2015 的想法", "Ba et al. 2016", "二〇一七年", "一九九八年",
    # places
    "第 2 课", "第2课", "第 12 章", "第 3 步：RMSNorm", "第 4 节", "第 1 问", "表 3", "见表 3", "图 2",
    "式（3）", "Table 3",
    "Fig. 2", "§ 3.6", "①-⑩", "① 本课一问", "第 ⑤ 节", "见 ③ 节", "（③ 个人）", "伎俩", "大陆层", "队伍里", "two layers", "第一步", "第三行", "第十课", "第十一课", "第 三 行",
    # notation
    "x²", "(x)²", "|x|³", "σ⁻¹", "m²", "IV 型",
    # 一
    "一个", "一行", "一样", "一层", "一次", "一组", "其一", "统一", "唯一", "一致", "一些", "一直", "第一",
    "之一", "一维",
    "同一个", "每一列", "一 个",
    # words and numerals that count nothing
    "三国演义", "证据三问", "四舍五入", "四则运算", "四周", "三角函数", "三元组", "五花八门", "七上八下", "乱七八糟",
    "十分重要", "百分比", "百分点", "百分位", "百度", "万一", "万能", "千万别", "千差万别", "成千上万", "千克",
    "千米",
    "二进制", "十进制", "十六进制", "二次函数", "二次型", "二阶导", "二维码", "二元组", "两者", "两侧", "两端",
    "两难", "两两",
    "一一对应", "一分为二", "接二连三", "零中心", "归零", "零件", "零点", "零初始化", "等于零", "大陆",
    "一成不变", "统一成",
    "几个 token", "数倍", "多个", "若干", "成倍地", "双向", "单头", "多头注意力", "个十百千万",
    # around what was cut out
    f"√{CUT_OUT}", f"第 {CUT_OUT} 课", f"{CUT_OUT} 倍", f"{CUT_OUT} 个", f"{CUT_OUT}%", f"{CUT_OUT} 百分点",
    f"百分之{CUT_OUT}",
    "", "归一化", "Pre-Norm 与 Post-LN", "a-b.c/d:e",
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), COUNTED)
def test_counted(text: str, expected: list[str]) -> None:
    """Each of these is a numeral that a reader reads as a number, whole and with its place."""
    found = find(text)
    assert [numeral.text for numeral in found] == expected
    assert [text[numeral.start : numeral.end] for numeral in found] == expected


@pytest.mark.parametrize("text", EXEMPT)
def test_exempt(text: str) -> None:
    """None of these counts anything."""
    assert find(text) == []


def test_the_tables_are_as_large_as_promised() -> None:
    """About 120 examples of each kind keep the rule honest."""
    assert len(COUNTED) >= 120
    assert len(EXEMPT) >= 120


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("660,480", 660480),
        ("0.0024%", 0.000024),
        ("7‰", 0.007),
        ("6 × 10⁻⁹", 6e-9),
        ("2¹⁰", 1024),
        ("10^{-6}", 1e-6),
        ("1e-6", 1e-6),
        ("−1.069", -1.069),
        ("1/8", 0.125),
        ("1/0", None),
        ("1e400", None),
        ("1e999999999", None),
        ("9" * 400, None),
        ("１２．５", 12.5),
        ("278 亿", 27.8e9),
        ("½", 0.5),
        ("十一倍", 11),
        ("两种", 2),
        ("三成", 0.3),
        ("百分之一", 0.01),
        ("三分之二", 2 / 3),
        ("三点一四", 3.14),
        ("一半", 0.5),
        ("三四个", None),
        ("十万个", 100000),
    ],
)
def test_values(text: str, value: float | None) -> None:
    """The value lets the caller name ledger ids that are equal."""
    (numeral,) = find(text)
    assert numeral.value == value


@pytest.mark.parametrize(
    ("run", "value"),
    [
        ("零", 0), ("十", 10), ("十一", 11), ("二十", 20), ("一百零五", 105), ("两百", 200), ("三万五千", 35000),
        ("一亿二千万", 120_000_000), ("两千七百七十八亿", 277_800_000_000), ("一万亿", 10**12), ("二〇二六", 2026),
        ("三四", None), ("万万", None), ("千百", None), ("一" * 100, None), ("〇" * 5000, None),
    ],
)  # fmt: skip
def test_chinese_numbers(run: str, value: int | None) -> None:
    """Units multiply what stands before them; what is no number has no value."""
    assert value_of(run) == value


def test_exempt_numerals_have_a_reason() -> None:
    """`scan` tells why something counts nothing."""
    reasons = {
        n.text: n.exempt for n in scan("C8 第 2 课，Ba 等 2016，Qwen3.8，①，第一，x²，一个，2026-09-26，a/b.py:3")
    }
    assert reasons == {
        "8": "identifier",
        "2": "place",
        "2016": "year of a citation",
        "3.8": "listed name",
        "①": "mark of a section",
        "一": "一 with a measure word",
        "²": "notation",
        "2026-09-26": "date",
        "3": "file",
    }


@pytest.mark.parametrize("word", sorted(words.FIXED))
def test_every_fixed_word_is_needed(word: str) -> None:
    """A word stands in the list because the rule would count it without, alone or where it usually stands."""
    assert not find(word)
    bare = {piece for ending in ("", "个", "对", "一组") for piece in _counted_without_list(word + ending)}
    assert bare


def _counted_without_list(text: str) -> list[str]:
    """Count with the fixed words broken up by nothing but their absence: each is spelled apart from its list."""
    from course_build.numerals import scanner

    class Bare(Words):
        def pattern(self, numerals: str) -> str:
            return "(?!)"

    return [n.text for n in scanner.scan(text, Bare()) if not n.exempt]


def test_a_course_adds_names_and_words_with_reasons() -> None:
    """Names may carry a version, glued or behind a hyphen; words are exempt as they stand and nowhere else."""
    own = course_words(
        {"names": {"Mamba": "模型名"}, "words": {"Llama 3": "模型名", "一千零一夜": "书名", "1-bit": "量化方法"}}
    )
    assert not find("Mamba2.5 与 Mamba-2.8b，Llama 3 的，《一千零一夜》，1-bit", own)
    assert [n.text for n in find("Mamba 7，Llama 31，Llama 3.5，1-bits，一千零一个", own)] == [
        "7",
        "31",
        "3.5",
        "1",
        "一千零一",
    ]
    assert not find("Qwen3.8", own)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"name": {}}, "unknown section 'name'"),
        ({"names": ["GPT"]}, "mapping from each entry to the reason"),
        ({"names": {"GPT": ""}}, "has no reason"),
        ({"names": {"GPT": None}}, "has no reason"),
        ({"names": {"GPT-4": "模型"}}, "without its version"),
        ({"names": {"x": "太短"}}, "2 to 24 characters"),
        ({"words": {"5120": "宽度"}}, "only a number"),
        ({"words": {"1e-6": "eps"}}, "only a number"),
        ({"words": {"三十二": "层数"}}, "only a number"),
        ({"words": {"两种": "太宽"}}, "only a number"),
        ({"words": {"长" * 25: "太长"}}, "2 to 24 characters"),
    ],
)
def test_an_entry_that_would_open_a_hole_is_refused(data: dict[str, object], says: str) -> None:
    """A number, or a quantity, never becomes a word."""
    with pytest.raises(ValueError, match=says):
        course_words(data)


ONLY = [
    "5120", "5,120", "5_120", "5{,}120", "10^{-9}", r"\frac{1}{8}", r"\tfrac12", r"\approx 3.5",
    r"6 \times 10^{-9}", "1e-6",
    "−1.069", "[1, 2, 3, 6]", "64 * 2 * 5120 + 5120", "27B", "3.4d", "5 ms", "d = 5120", "eps=1e-6",
    r"\sigma = 1.871", "$0$",
    "0", "0x1400", "两倍", "十一", "百分之一", r"\text{5120}", r"\mathrm{5120}", r"{\rm 5120}",
    r"\sqrt{129} = 11.36", "１２",
    "x_0 = 3", r"90^\circ", "3×3", "1/8", "7%–64%", r"7\%", "(64 × 2 + 1)", "½", " 42 ", r"\left[1,\,2\right]",
    "N: 128",
    r"\frac{\frac{1}{2}}{3}", "x_{1} = 5",
]  # fmt: skip
MORE = [
    "dim=-1", "axis=0", "keepdim=True", "x[0]", "norm.l", "1.2.3", "2026-09-26", "①", "x", "float32",
    "torch.tensor([1,2])",
    "--steps 5000", "1+w", r"\sqrt{d}", r"\val{norm.x}", r"\val{norm.x} = 5", "T5", "C8", "", "  ", "x^2",
    r"\frac{1}{d}",
    "第 2 课", "()", "W_1", "Qwen3.8-27B", "range(2)", r"\mathrm{LN}(x)", "x = y", "python3", "-m", "...",
]  # fmt: skip


@pytest.mark.parametrize("text", ONLY)
def test_a_code_span_or_formula_that_is_only_a_number(text: str) -> None:
    """A number, arithmetic on numbers, or a name that is said to be a number: no hiding place."""
    assert only_number(text)


@pytest.mark.parametrize("text", MORE)
def test_code_and_formulas_that_say_more(text: str) -> None:
    """Code, symbols and ledger values are what code spans and formulas are for."""
    assert not only_number(text)


@pytest.mark.parametrize(
    ("latex", "operands"),
    [
        (r"x_L = x_0 + \sum_{l=1}^{N} F_l, \qquad N = \val{anchor.sublayers}", []),
        (r"y = \term{x3}{x} / \sqrt{\tfrac{1}{d}\sum_i x_i^2 + 10^{-6}}", ["10", "6"]),
        (r"x = [1, 2, 3, 6]", ["3", "6"]),
        (r"\sqrt{(\val{a} + 4) / 4} = 3.536", ["4", "4", "3.536"]),
        (r"\sum_{i=1}^{128} x_{17}^{2}", ["128"]),
        (r"5{,}120\,d \\[3pt] 8d/3", ["5{,}120", "8", "3"]),
        (r"\hspace{12pt} \begin{array}{c3} x^{-1} \end{array}", []),
        ("５１２０ d", ["５１２０"]),
        (r"= 65536 = 2 \cdot 999 \cdot \term{kv}{n_{kv}}", ["65536", "999"]),
        (r"\term{w}{37} \cdot 2^{16} \cdot 77", ["37", "16", "77"]),
        (r"½ x + Ⅻ", ["½", "Ⅻ"]),
        (r"\text{每层十六个头} + \text{第 2 课的 } w", ["十六"]),
    ],
)
def test_typed_operands_of_a_formula(latex: str, operands: list[str]) -> None:
    """Indices, small exponents, 0, 1, 2 and ledger values belong to the formula; other numbers are typed."""
    found = in_formula(latex)
    assert [numeral.text for numeral in found] == operands
    assert [latex[numeral.start : numeral.end] for numeral in found] == operands
