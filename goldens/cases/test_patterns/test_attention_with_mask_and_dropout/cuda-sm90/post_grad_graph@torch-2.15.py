# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.15.0, triton: 3.9.0, normaliser: 1

def graph_0_forward(
    primals_1: f16[2, 4, 128, 64],
    primals_2: f16[2, 4, 128, 64],
    primals_3: f16[2, 1, 128, 128],
    primals_4: f16[2, 4, 128, 64],
):
    expand_default: f16[2, 4, 128, 128][16384, 0, 128, 1] = aten.expand.default(primals_3, [2, 4, 128, 128])
    _scaled_dot_product_efficient_attention_default = aten._scaled_dot_product_efficient_attention.default(primals_2, primals_1, primals_4, expand_default, True, 0.1, scale=0.125)
    # f: return torch.dropout(torch.softmax(scores, -1), 0.1, True) @ value
    getitem: f16[2, 4, 128, 64][32768, 64, 256, 1] = _scaled_dot_product_efficient_attention_default[0]
    getitem_1: f32[2, 4, 128] = _scaled_dot_product_efficient_attention_default[1]
    getitem_2: i64[()] = _scaled_dot_product_efficient_attention_default[2]
    getitem_3: i64[()] = _scaled_dot_product_efficient_attention_default[3]
    return (getitem, primals_1, primals_2, primals_3, primals_4, getitem, getitem_1, getitem_2, getitem_3)


def graph_0_backward(
    primals_1: f16[2, 4, 128, 64],
    primals_2: f16[2, 4, 128, 64],
    primals_3: f16[2, 1, 128, 128],
    primals_4: f16[2, 4, 128, 64],
    getitem: f16[2, 4, 128, 64][32768, 64, 256, 1],
    getitem_1: f32[2, 4, 128],
    getitem_2: i64[()],
    getitem_3: i64[()],
    tangents_1: f16[2, 4, 128, 64],
):
    expand_default: f16[2, 4, 128, 128][16384, 0, 128, 1] = aten.expand.default(primals_3, [2, 4, 128, 128])
    _scaled_dot_product_efficient_attention_backward_default = aten._scaled_dot_product_efficient_attention_backward.default(tangents_1, primals_2, primals_1, primals_4, expand_default, getitem, getitem_1, getitem_2, getitem_3, 0.1, [True, True, True, False], scale=0.125)
    # f: scores = (query @ key.transpose(-2, -1)).div(8.0) + mask
    getitem_4: f16[2, 4, 128, 64][32768, 64, 256, 1] = _scaled_dot_product_efficient_attention_backward_default[0]
    getitem_5: f16[2, 4, 128, 64][32768, 64, 256, 1] = _scaled_dot_product_efficient_attention_backward_default[1]
    # f: return torch.dropout(torch.softmax(scores, -1), 0.1, True) @ value
    getitem_6: f16[2, 4, 128, 64][32768, 64, 256, 1] = _scaled_dot_product_efficient_attention_backward_default[2]
    return (getitem_5, getitem_4, None, getitem_6)
