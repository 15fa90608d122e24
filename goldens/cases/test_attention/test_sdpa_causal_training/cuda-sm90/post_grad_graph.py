# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(
    primals_1: bf16[2, 8, 256, 64],
    primals_2: bf16[2, 8, 256, 64],
    primals_3: bf16[2, 8, 256, 64],
):
    _scaled_dot_product_cudnn_attention = aten._scaled_dot_product_cudnn_attention.default(primals_1, primals_2, primals_3, None, True, 0.0, True)
    getitem: bf16[2, 8, 256, 64] = _scaled_dot_product_cudnn_attention[0]
    getitem_1: f32[2, 8, 256, 1] = _scaled_dot_product_cudnn_attention[1]
    getitem_6: i64[()] = _scaled_dot_product_cudnn_attention[6]
    getitem_7: i64[()] = _scaled_dot_product_cudnn_attention[7]
    return (getitem, primals_1, primals_2, primals_3, getitem, getitem_1, getitem_6, getitem_7)


def graph_0_backward(
    primals_1: bf16[2, 8, 256, 64],
    primals_2: bf16[2, 8, 256, 64],
    primals_3: bf16[2, 8, 256, 64],
    getitem: bf16[2, 8, 256, 64],
    getitem_1: f32[2, 8, 256, 1],
    getitem_6: i64[()],
    getitem_7: i64[()],
    tangents_1: bf16[2, 8, 256, 64],
):
    _scaled_dot_product_cudnn_attention_backward = aten._scaled_dot_product_cudnn_attention_backward.default(tangents_1, primals_1, primals_2, primals_3, getitem, getitem_1, getitem_6, getitem_7, None, None, None, 256, 256, 0.0, True)
    getitem_9: bf16[2, 8, 256, 64] = _scaled_dot_product_cudnn_attention_backward[0]
    getitem_10: bf16[2, 8, 256, 64] = _scaled_dot_product_cudnn_attention_backward[1]
    getitem_11: bf16[2, 8, 256, 64] = _scaled_dot_product_cudnn_attention_backward[2]
    return (getitem_9, getitem_10, getitem_11)
