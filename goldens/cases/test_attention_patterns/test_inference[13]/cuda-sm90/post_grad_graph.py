# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f16[8, 8, 16], arg1_1: f16[8, 8, 16], arg2_1: f16[8, 8, 16]):
    unsqueeze_default: f16[1, 8, 8, 16] = aten.unsqueeze.default(arg1_1, 0)
    unsqueeze_default_1: f16[1, 8, 8, 16] = aten.unsqueeze.default(arg0_1, 0)
    unsqueeze_default_2: f16[1, 8, 8, 16] = aten.unsqueeze.default(arg2_1, 0)
    _scaled_dot_product_cudnn_attention_default = aten._scaled_dot_product_cudnn_attention.default(unsqueeze_default, unsqueeze_default_1, unsqueeze_default_2, None, False, scale=1.0)
    getitem: f16[1, 8, 8, 16] = _scaled_dot_product_cudnn_attention_default[0]
    # batched: return torch.bmm(torch.bmm(q, k.transpose(1, 2)).softmax(-1), v)
    squeeze_dim: f16[8, 8, 16] = aten.squeeze.dim(getitem, 0)
    return (squeeze_dim,)
