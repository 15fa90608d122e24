# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f16[2, 8, 4, 16], arg1_1: f16[2, 8, 4, 16], arg2_1: f16[2, 8, 4, 16]):
    permute_default: f16[2, 4, 8, 16][512, 16, 64, 1] = aten.permute.default(arg0_1, [0, 2, 1, 3])
    # <genexpr>: return (part.permute(0, 2, 1, 3) for part in parts)
    permute_default_1: f16[2, 4, 8, 16][512, 16, 64, 1] = aten.permute.default(arg1_1, [0, 2, 1, 3])
    permute_default_2: f16[2, 4, 8, 16][512, 16, 64, 1] = aten.permute.default(arg2_1, [0, 2, 1, 3])
    _scaled_dot_product_flash_attention_for_cpu_default = aten._scaled_dot_product_flash_attention_for_cpu.default(permute_default, permute_default_1, permute_default_2, scale=1.0)
    # unscaled_cached: return scores(q, k).float().type_as(q).float().softmax(-1).type_as(q) @ v, k, v
    getitem: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_flash_attention_for_cpu_default[0]
    return (getitem, permute_default_1, permute_default_2)
