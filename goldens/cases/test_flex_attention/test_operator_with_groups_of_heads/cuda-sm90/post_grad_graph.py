# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: bf16[1, 4, 256, 64], arg1_1: bf16[1, 1, 256, 64], arg2_1: bf16[1, 1, 256, 64]):
    _scaled_dot_product_cudnn_attention = aten._scaled_dot_product_cudnn_attention.default(arg0_1, arg1_1, arg2_1, None, False)
    getitem: bf16[1, 4, 256, 64] = _scaled_dot_product_cudnn_attention[0]
    return (getitem,)
