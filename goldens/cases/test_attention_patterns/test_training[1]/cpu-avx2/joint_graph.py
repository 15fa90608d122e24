# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: joint_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_joint(
    primals_1: f16[2, 4, 8, 16],
    primals_2: f16[2, 4, 8, 16],
    primals_3: f16[2, 4, 8, 16],
    tangents_1: f16[2, 4, 8, 16],
):
    _scaled_dot_product_flash_attention_for_cpu_default = aten._scaled_dot_product_flash_attention_for_cpu.default(primals_2, primals_1, primals_3, scale=0.25)
    # divided: return (scores(q, k) / 4.0).softmax(-1) @ v
    getitem: f16[2, 4, 8, 16] = _scaled_dot_product_flash_attention_for_cpu_default[0]
    getitem_1: f32[2, 4, 8][32, 1, 4] = _scaled_dot_product_flash_attention_for_cpu_default[1]
    _scaled_dot_product_flash_attention_for_cpu_backward_default = aten._scaled_dot_product_flash_attention_for_cpu_backward.default(tangents_1, primals_2, primals_1, primals_3, getitem, getitem_1, 0.0, False, scale=0.25)
    # scores: return torch.matmul(query, key.transpose(-2, -1))
    getitem_2: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_flash_attention_for_cpu_backward_default[0]
    getitem_3: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_flash_attention_for_cpu_backward_default[1]
    # divided: return (scores(q, k) / 4.0).softmax(-1) @ v
    getitem_4: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_flash_attention_for_cpu_backward_default[2]
    return [getitem, getitem_3, getitem_2, getitem_4]
