"""The files of a new lesson: short, alive, and in the shape of a finished one."""

from __future__ import annotations

from collections.abc import Sequence

PAGE = """\
---
title: {title}
description: {title}：这一课要回答的问题，写成一句话。
---

# {title} {{#{slug}}}

## 本课一问 {{#question}}

先提出一个问题，再给出一句话的答案。
例子里的矩阵共有 [[{prefix}.size]] 个数：[[{prefix}.size:work]]。
这些数是为教学构造的。[@constructed]

## 逐步推导 {{#derivation}}

每个数都来自 `facts.py`；写死的数字会被拒绝。
改动数据文件，文中的数、图和断言一起变。

/// chart | {prefix}.chart.example

口径：数据在 `example.json`，为教学构造。
///

/// claim | {prefix}.c.larger

元素总数不少于行数。
///

{keeps}## 来源 {{#sources}}

这一课用到的数都登记在[数字账本](../../ledger.md)里。
"""

KEEPS = """\
## 兑现 {#keeps}

"""
KEPT = """\
/// keeps | {promise}
以前的课许下过这句话，就在这里兑现。
///

"""

FACTS = '''\
"""这一课的事实与断言：每个数由声明过的输入算出。"""

from __future__ import annotations

from course_build.ledger import claim, fact, source

prefix = "{prefix}"
example = source("docs/{name}/example.json", kind="constructed")


@fact("{prefix}.rows", title="例子的行数", unit="行", by="写在数据文件里")
def rows(rows=example.at("/rows")):
    return rows


@fact("{prefix}.size", title="例子里数的个数", unit="个数", how="{{rows}} × {{columns}}")
def size(rows=example.at("/rows"), columns=example.at("/columns")):
    return rows * columns


@fact("{prefix}.steps", title="横轴", by="写在数据文件里")
def steps(steps=example.at("/steps")):
    return steps


@fact("{prefix}.curve", title="例子的曲线", by="横轴每一步乘以行数")
def curve(steps=example.at("/steps"), rows=example.at("/rows")):
    return [step * rows for step in steps]


claim("{prefix}.c.larger", "{prefix}.size >= {prefix}.rows", title="元素总数不少于行数")
'''

CHARTS = '''\
"""这一课的图。"""

from __future__ import annotations

from course_build.figures import chart
from course_build.ledger import ref


@chart("{prefix}.chart.example", title="例子的曲线", summary="曲线随步数增长。", x="步", y="值")
def example(x=ref("{prefix}.steps"), y=ref("{prefix}.curve")):
    import plotly.graph_objects as go

    return go.Figure(go.Scatter(x=x, y=y, mode="lines+markers", name="例子"))
'''

DATA = """\
{
  "rows": 3,
  "columns": 4,
  "steps": [0, 1, 2, 3]
}
"""


def files(name: str, prefix: str, title: str, promised: Sequence[str] = ()) -> dict[str, str]:
    """Return file name -> text for the lesson `name` (c4/04-gating) whose ids begin with `prefix`.

    promised: the promises that other lessons made for this one; the page has a place for each.
    """
    keeps = "".join(KEPT.format(promise=each) for each in promised)
    words = {"name": name, "prefix": prefix, "title": title, "slug": prefix.replace("_", "-")}
    words["keeps"] = KEEPS + keeps if keeps else ""
    return {
        "index.md": PAGE.format(**words),
        "facts.py": FACTS.format(**words),
        "charts.py": CHARTS.format(**words),
        "example.json": DATA,
    }
