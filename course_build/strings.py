"""Every word of the interface that a reader sees, in one Chinese table."""

from __future__ import annotations

from course_build.evidence import Kind

TEXT = {
    "serve.failed": "这次没有建成；改好以后，本页会自己刷新",
    "check.true": "这句话由构建核对，成立；按下看代入的数",
    "check.false": "这句话由构建核对，不成立；按下看代入的数",
    "claim.true": "核对：成立",
    "claim.false": "核对：不成立",
    "claim.expression": "判据",
    "claim.filled": "代入",
    "claim.breaks": "改哪个输入会让它不成立 →",
    "chart.data": "数据表",
    "chart.item": "项",
    "chart.value": "值",
    "chart.band": "{}的范围",
    "chart.thinned": "数据较多，表中等距取样，首尾保留；图中画的是全部。",
    "promise": "待兑现",
    "promise.to": "留给",
    "keeps": "兑现",
    "myth": "误解",
    "literal.kinds": "手写的数",
    "card.derivation": "算式",
    "card.by": "做法",
    "card.inputs": "输入",
    "card.kind": "依据",
    "card.row": "在账本中的一行",
    "card.code": "代码",
    "ledger.number": "数",
    "ledger.what": "是什么",
    "ledger.how": "怎么来的",
    "ledger.inputs": "输入",
    "ledger.kind": "依据",
    "ledger.used": "用在哪里",
    "ledger.unused": "未用",
    "ledger.shared": "全课共用",
    "ledger.failed": "算不出来的数",
    "ledger.count": "{} 个数",
    "ledger": "数字账本",
    "evidence": "断言",
    "promises": "待兑现",
    "evidence.kinds": "每个数是怎么知道的",
    "evidence.count": "个数",
    "evidence.claims": "由构建核对的判断",
    "evidence.claim": "判断",
    "evidence.check": "核对",
    "evidence.stated": "出现在",
    "evidence.literals": "手写的数与理由",
    "evidence.why": "为什么手写",
    "evidence.where": "位置",
    "evidence.breaks": "若{}，它就不成立。",
    "evidence.step": "由 {} 改为 {}",
    "evidence.blank": "空",
    "evidence.law": "改哪一个输入值它都成立：",
    "syntax.block": "块",
    "syntax.options": "选项",
    "syntax.doc": "用途",
    "sources": "输入文件",
    "source.raw": "原文件",
    "none": "（无）",
    "evolution.here": "本课",
    "evolution.stuck": "卡在",
    "evolution.same": "—",
}


def lesson_name(target: str) -> str:
    """Return the name of a promise's target: c8/02 -> C8 第 2 课, c3 -> C3."""
    part, _, lesson = target.partition("/")
    return f"{part.upper()} 第 {int(lesson)} 课" if lesson else part.upper()


LEGEND = {
    Kind.PROVED: "由推导得出，不依赖数据。",
    Kind.COMPUTED: "由公开的模型配置或页面上写出的算式得出。",
    Kind.SIMULATED: "由写明种子的数值模拟得出，浏览器里可以重跑。",
    Kind.MEASURED: "由我们自己的训练或测速得出，附日期、机器与种子。",
    Kind.REPORTED: "论文或厂商自报，附出处，我们没有重做。",
    Kind.HYPOTHESIS: "有人提出、尚无定论的解释。",
    Kind.CONSTRUCTED: "为讲解手工设计的数据，不来自任何模型。",
}
