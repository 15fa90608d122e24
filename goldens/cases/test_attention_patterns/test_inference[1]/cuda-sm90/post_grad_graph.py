# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f16[2, 4, 8, 16], arg1_1: f16[2, 4, 8, 16], arg2_1: f16[2, 4, 8, 16]):
    _scaled_dot_product_cudnn_attention_default = aten._scaled_dot_product_cudnn_attention.default(arg1_1, arg0_1, arg2_1, None, False, scale=0.25)
    # divided: return (scores(q, k) / 4.0).softmax(-1) @ v
    getitem: f16[2, 4, 8, 16] = _scaled_dot_product_cudnn_attention_default[0]
    return (getitem,)
