"""The reviewed tables of the closed-world rule: Chinese measure words, fixed words, and the course's own names.

The language and the names that every course on language models uses stand here; a course adds names (`Mamba`, so
that Mamba2.5 is one) and words (`Llama 3`, `一千零一夜`) of its own with a reason for each: a new exemption is a line
in a review.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# What is counted: measure words, units, and nouns that stand right behind a number.
MEASURES = _set(
    """
    个 個 种 種 类 样 次 回 遍 趟 轮 下 层 维 步 条 项 行 列 栏 格 圈 组 套 批 群 队 对 双 副 串 排 堆 束 簇 族
    张 份 件 只 支 根 把 颗 粒 滴 块 片 幅 枚 台 架 辆 艘 部 座 间 栋 扇 门 头 匹 位 名 人 员 口 户 家 所 届 场
    期 代 级 阶 重 折 档 笔 本 册 卷 篇 章 节 课 段 句 页 字 词 行 首 集 幕 则 点 处 路 道 股 阵 番 顿 环 路 团
    元 角钱 块钱 步 岁 年 月 日 天 周 夜 晚 秒 刻 度 米 克 吨 升 斤 里 亩 瓦 赫 兆
    小时 分钟 毫秒 微秒 纳秒 世纪 星期 厘米 毫米 千米 公里 千克 字节 比特 像素 帧 比 例 倍
    矩阵 向量 张量 参数 模型 变量 分量 元素 样本 字符 专家 方案 阶段 方面 部分 步骤 情形 例子 问题 方法 方向
    维度 因素 条件 结论 假设 大类 大步 小步 小时 小节 小段 大块 分片 句话 回合
    """
)

# Words with numerals that name no quantity. Needed are only those that the rule would count otherwise.
FIXED = _set(
    """
    伎俩 两者 两边 两侧 两端 两旁 两头 两面 两难 两极 两全 两可 两两 两栖 两岸 两性 两用 两相 两翼 斤两 两下子 两败俱伤
    一举两得 一刀两断 势不两立 三言两语 三长两短 三天两头 一国两制 三三两两
    一一 一点一点 一点一滴 一成不变 二把手
    二次函数 二次型 二次方 二次项 二次曲线 二次规划 二次元 二阶 二元 二级 二代 二维码 二项式 二月 二年级
    三元组 三元运算 三位一体 三月 三番五次 三五成群 三轮车 三部曲 三重奏 三段论 说三道四
    四元数 四元组 四则 四周 四处 四下 四月 四重奏 五月 五行 五年级 五花八门 六月 六级 七月 七上八下
    八月 八字 八股 八成是 胡说八道 九月 十月 十一月 十二月 十字 十六进制 三十二进制 六十四进制 六十进制
    十万火急 百家争鸣 百里挑一 百年大计 百年老店 百万富翁 百度 信心百倍 身价百倍
    千万别 千万不 千万要 千万记 千万注意 千头万绪 千家万户 千篇一律 千里马 千里之行 千克 千米 千瓦 千兆
    万一 万岁 万年历 万维网 万里长城 万户 万家 亿万 成千上万 成百上千
    """
)

# Quantities without a numeral of their own, with their values.
HALVES: Mapping[str, float] = {
    "一半": 0.5, "一大半": 0.5, "一多半": 0.5, "一小半": 0.5, "半数": 0.5, "半个": 0.5, "过半": 0.5, "减半": 0.5,
    "对半": 0.5, "折半": 0.5, "对折": 0.5, "半倍": 0.5, "翻倍": 2, "翻番": 2, "翻了番": 2, "翻一番": 2,
    "翻了一番": 2, "翻两番": 4, "翻了两番": 4, "加倍": 2, "双倍": 2,
}  # fmt: skip


# Names that carry a version, glued or behind a hyphen (Qwen3.8-27B, DeepSeek-V4), and words as they stand.
NAMES = _set("Qwen GPT Llama DeepSeek OLMo gpt-oss")
WITH_DIGITS = frozenset(("OLMo 2", "2D", "3D"))


@dataclass(frozen=True)
class Words:
    """What is exempt by name: `names` with a version, `fixed` words as they stand."""

    names: frozenset[str] = NAMES
    fixed: frozenset[str] = WITH_DIGITS

    def pattern(self, numerals: str) -> str:
        """Return a regular expression for all fixed words, the longest first, grouped by their first letter."""
        groups: dict[str, list[str]] = {}
        for word in sorted(FIXED | self.fixed, key=lambda word: (-len(word), word)):
            after = r"(?![A-Za-z0-9_]|\.\d)" if word[-1].isascii() else f"(?![{numerals}])" * word.endswith("点")
            if word[-2:] == 2 * word[-1]:  # 一一, 两两: not the beginning of 一半, 两倍
                after = "(?![半倍成])"
            groups.setdefault(word[0], []).append(re.escape(word[1:]) + after)
        bounded = (
            (r"(?<![A-Za-z0-9_.])" if first.isascii() else "") + f"{re.escape(first)}(?:{'|'.join(rests)})"
            for first, rests in groups.items()
        )
        return "|".join(bounded)

    @property
    def first_letters(self) -> str:
        """Return the letters that a fixed word or a half can begin with."""
        return "".join(sorted({re.escape(word[0]) for word in (*FIXED, *self.fixed, *HALVES)}))

    def listed(self, word: str) -> bool:
        """Return whether `word` is a listed name, or begins with one and a version (Qwen3.8-27B)."""
        return any(word.startswith(name) and not word[len(name) : len(name) + 1].isalpha() for name in self.names)


WORDS = Words()
