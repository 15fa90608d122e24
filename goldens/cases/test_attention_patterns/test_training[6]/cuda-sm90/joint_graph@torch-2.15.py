# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: joint_graph, torch: 2.15.0, triton: 3.9.0, normaliser: 1

def graph_0_joint(
    primals_1: f16[2, 4, 8, 16],
    primals_2: f16[2, 4, 8, 16],
    primals_3: f16[2, 1, 1, 8],
    primals_4: f16[2, 4, 8, 16],
    tangents_1: f16[2, 4, 8, 16],
):
    expand_default: f16[2, 4, 8, 8][8, 0, 0, 1] = aten.expand.default(primals_3, [2, 4, 8, 8])
    constant_pad_nd_default: f16[2, 4, 8, 16] = aten.constant_pad_nd.default(expand_default, [0, 8], 0.0)
    slice_tensor: f16[2, 4, 8, 8][512, 128, 16, 1] = aten.slice.Tensor(constant_pad_nd_default, -1, 0, 8)
    _scaled_dot_product_efficient_attention_default = aten._scaled_dot_product_efficient_attention.default(primals_2, primals_1, primals_4, slice_tensor, True, 0.1, scale=0.25)
    # masked_dropped: return torch.dropout(torch.softmax(scores(q, k) / 4.0 + mask, -1), 0.1, True) @ v
    getitem: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_efficient_attention_default[0]
    getitem_1: f32[2, 4, 32] = _scaled_dot_product_efficient_attention_default[1]
    getitem_2: i64[()] = _scaled_dot_product_efficient_attention_default[2]
    getitem_3: i64[()] = _scaled_dot_product_efficient_attention_default[3]
    _scaled_dot_product_efficient_attention_backward_default = aten._scaled_dot_product_efficient_attention_backward.default(tangents_1, primals_2, primals_1, primals_4, slice_tensor, getitem, getitem_1, getitem_2, getitem_3, 0.1, [True, True, True, False], scale=0.25)
    # scores: return torch.matmul(query, key.transpose(-2, -1))
    getitem_4: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_efficient_attention_backward_default[0]
    getitem_5: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_efficient_attention_backward_default[1]
    # masked_dropped: return torch.dropout(torch.softmax(scores(q, k) / 4.0 + mask, -1), 0.1, True) @ v
    getitem_6: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_efficient_attention_backward_default[2]
    return [getitem, getitem_5, getitem_4, None, getitem_6]
