# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: joint_graph, torch: 2.15.0, triton: 3.9.0, normaliser: 1

def graph_0_joint(
    primals_1: f16[2, 4, 8, 16],
    primals_2: f16[2, 4, 8, 16],
    primals_3: f16[2, 4, 8, 16],
    tangents_1: f16[2, 4, 8, 16],
):
    _scaled_dot_product_flash_attention_default = aten._scaled_dot_product_flash_attention.default(primals_2, primals_1, primals_3, 0.1, scale=0.25)
    # divided_dropped: return F.dropout((scores(q, k) / 4.0).softmax(-1), 0.1) @ v
    getitem: f16[2, 4, 8, 16] = _scaled_dot_product_flash_attention_default[0]
    getitem_1: f32[2, 4, 8] = _scaled_dot_product_flash_attention_default[1]
    getitem_2: u64[2] = _scaled_dot_product_flash_attention_default[6]
    getitem_3: u64[()] = _scaled_dot_product_flash_attention_default[7]
    _scaled_dot_product_flash_attention_backward_default = aten._scaled_dot_product_flash_attention_backward.default(tangents_1, primals_2, primals_1, primals_3, getitem, getitem_1, None, None, 8, 8, 0.1, False, getitem_2, getitem_3, scale=0.25)
    # scores: return torch.matmul(query, key.transpose(-2, -1))
    getitem_4: f16[2, 4, 8, 16] = _scaled_dot_product_flash_attention_backward_default[0]
    getitem_5: f16[2, 4, 8, 16] = _scaled_dot_product_flash_attention_backward_default[1]
    # divided_dropped: return F.dropout((scores(q, k) / 4.0).softmax(-1), 0.1) @ v
    getitem_6: f16[2, 4, 8, 16] = _scaled_dot_product_flash_attention_backward_default[2]
    return [getitem, getitem_5, getitem_4, getitem_6]
