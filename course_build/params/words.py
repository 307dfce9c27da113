"""Chinese names of what the inventory calls by id: places of norms, scopes, gates, reasons."""

from __future__ import annotations

PLACES = {
    "input": "注意力子层入口",
    "post_attention": "FFN 子层入口",
    "after_attention": "注意力子层出口",
    "after_ffn": "FFN 子层出口",
    "cross_attention": "交叉注意力入口",
    "final": "最后一层之后",
    "q": "query（QK-Norm）",
    "k": "key（QK-Norm）",
    "q_latent": "query 的低秩中间",
    "kv_latent": "KV 的压缩表示",
    "delta": "线性注意力的输出",
    "compressor": "压缩后的 KV",
    "indexer": "索引器的压缩 key",
    "indexer_q": "索引器的 query",
    "indexer_k": "索引器的 key",
    "experts": "路由专家的合并输出",
    "residual_self_attention": "注意力残差的打分",
    "residual_mlp": "FFN 残差的打分",
    "residual_output_attn": "输出残差的打分",
    "ple_key": "n-gram 嵌入的 key",
    "ple_query": "n-gram 嵌入的 query",
    "ple_conv": "n-gram 嵌入的卷积前",
    "mtp_embedding": "MTP：下一个词元的嵌入",
    "mtp_hidden": "MTP：主路的隐状态",
    "vision_attention": "视觉塔：注意力入口",
    "vision_ffn": "视觉塔：FFN 入口",
    "vision_final": "视觉塔：最后一层之后",
    "vision_merger": "视觉塔：合并之前",
    "projector": "投影到文本宽度之后",
}

SCOPES = {"text": "文本", "vision": "视觉塔", "projector": "视觉投影", "mtp": "多词元预测（MTP）"}

GATES = {
    "attention.output": "注意力输出门",
    "delta.output": "线性注意力输出门",
    "delta.forget": "线性注意力遗忘门",
    "compressor": "压缩器的门",
    "ffn": "FFN 的门",
    "shared_expert": "共享专家的门",
    "hyper_connection": "多流残差的混合门",
    "ple": "n-gram 嵌入的门",
}

REASONS = {
    "heads": "每个头一个 query",
    "gate": "每个头一个 query，再加一个同样宽的门",
    "latent": "先降到低秩，再升到每个头一个 query",
}

OMITTED = {"mtp": "多词元预测模块", "router_bias": "路由器的校正偏置（缓冲区，不是训练出来的参数）"}
