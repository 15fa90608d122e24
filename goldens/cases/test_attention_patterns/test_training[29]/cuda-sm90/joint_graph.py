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
    _scaled_dot_product_cudnn_attention_default = aten._scaled_dot_product_cudnn_attention.default(permute_default, permute_default_1, permute_default_2, primals_4, True, scale=0.25)
    # decomposed_masked: return torch.ops.aten._safe_softmax(both_scaled(q, k) + mask, -1) @ v
    getitem: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_cudnn_attention_default[0]
    getitem_1: f32[2, 4, 8, 1] = _scaled_dot_product_cudnn_attention_default[1]
    getitem_2: i64[()] = _scaled_dot_product_cudnn_attention_default[6]
    getitem_3: i64[()] = _scaled_dot_product_cudnn_attention_default[7]
    _scaled_dot_product_cudnn_attention_backward_default = aten._scaled_dot_product_cudnn_attention_backward.default(tangents_1, permute_default, permute_default_1, permute_default_2, getitem, getitem_1, getitem_2, getitem_3, primals_4, None, None, 8, 8, 0.0, False, scale=0.25)
    getitem_4: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_cudnn_attention_backward_default[0]
    getitem_5: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_cudnn_attention_backward_default[1]
    getitem_6: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_cudnn_attention_backward_default[2]
    # <genexpr>: return (part.permute(0, 2, 1, 3) for part in parts)
    permute_default_3: f16[2, 8, 4, 16] = aten.permute.default(getitem_6, [0, 2, 1, 3])
    permute_default_4: f16[2, 8, 4, 16] = aten.permute.default(getitem_5, [0, 2, 1, 3])
    permute_default_5: f16[2, 8, 4, 16] = aten.permute.default(getitem_4, [0, 2, 1, 3])
    return [getitem, permute_default_5, permute_default_4, permute_default_3, None]
