# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: forward_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_forward(
    primals_1: bf16[1, 4, 256, 64],
    primals_2: bf16[1, 4, 256, 64],
    primals_3: bf16[1, 4, 256, 64],
):
    _scaled_dot_product_cudnn_attention = aten._scaled_dot_product_cudnn_attention.default(primals_1, primals_2, primals_3, None, True, 0.1)
    getitem: bf16[1, 4, 256, 64] = _scaled_dot_product_cudnn_attention[0]
    getitem_1: f32[1, 4, 256, 1] = _scaled_dot_product_cudnn_attention[1]
    getitem_6: i64[()] = _scaled_dot_product_cudnn_attention[6]
    getitem_7: i64[()] = _scaled_dot_product_cudnn_attention[7]
    return (getitem, primals_1, primals_2, primals_3, getitem, getitem_1, getitem_6, getitem_7)


graph_0_forward_saves = [primals_1, primals_2, primals_3, getitem, getitem_1, getitem_6, getitem_7]
