# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: joint_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_joint(
    primals_1: f16[2, 8, 4, 16],
    primals_2: f16[2, 8, 4, 16],
    primals_3: f16[2, 8, 4, 16],
    primals_4: f16[2, 1, 1, 8],
    tangents_1: f16[2, 4, 8, 16],
):
    permute_default: f16[2, 4, 8, 16][512, 16, 64, 1] = aten.permute.default(primals_1, [0, 2, 1, 3])
    permute_default_1: f16[2, 4, 8, 16][512, 16, 64, 1] = aten.permute.default(primals_2, [0, 2, 1, 3])
    permute_default_2: f16[2, 4, 8, 16][512, 16, 64, 1] = aten.permute.default(primals_3, [0, 2, 1, 3])
    _scaled_dot_product_flash_attention_for_cpu_default = aten._scaled_dot_product_flash_attention_for_cpu.default(permute_default, permute_default_1, permute_default_2, attn_mask=primals_4, scale=0.25)
    # decomposed_masked: return torch.ops.aten._safe_softmax(both_scaled(q, k) + mask, -1) @ v
    getitem: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_flash_attention_for_cpu_default[0]
    getitem_1: f32[2, 4, 8][32, 1, 4] = _scaled_dot_product_flash_attention_for_cpu_default[1]
    _scaled_dot_product_flash_attention_for_cpu_backward_default = aten._scaled_dot_product_flash_attention_for_cpu_backward.default(tangents_1, permute_default, permute_default_1, permute_default_2, getitem, getitem_1, 0.0, False, attn_mask=primals_4, scale=0.25)
    getitem_2: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_flash_attention_for_cpu_backward_default[0]
    getitem_3: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_flash_attention_for_cpu_backward_default[1]
    getitem_4: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_flash_attention_for_cpu_backward_default[2]
    # <genexpr>: return (part.permute(0, 2, 1, 3) for part in parts)
    permute_default_3: f16[2, 8, 4, 16] = aten.permute.default(getitem_4, [0, 2, 1, 3])
    permute_default_4: f16[2, 8, 4, 16] = aten.permute.default(getitem_3, [0, 2, 1, 3])
    permute_default_5: f16[2, 8, 4, 16] = aten.permute.default(getitem_2, [0, 2, 1, 3])
    return [getitem, permute_default_5, permute_default_4, permute_default_3, None]
