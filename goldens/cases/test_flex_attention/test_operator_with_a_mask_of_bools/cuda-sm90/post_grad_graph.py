# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(
    arg0_1: bf16[1, 4, 256, 64],
    arg1_1: bf16[1, 4, 256, 64],
    arg2_1: bf16[1, 4, 256, 64],
    arg3_1: b8[256, 256],
):
    logical_not: b8[256, 256] = aten.logical_not.default(arg3_1)
    full_default_1: bf16[()] @ cpu = aten.full.default([], -65536.0, dtype=torch.bfloat16, layout=torch.strided, device=device('cpu'), pin_memory=False)
    full_default: bf16[()] @ cpu = aten.full.default([], 0.0, dtype=torch.bfloat16, layout=torch.strided, device=device('cpu'), pin_memory=False)
    where: bf16[256, 256] = aten.where.self(logical_not, full_default_1, full_default)
    _scaled_dot_product_cudnn_attention = aten._scaled_dot_product_cudnn_attention.default(arg0_1, arg1_1, arg2_1, where, False)
    getitem: bf16[1, 4, 256, 64] = _scaled_dot_product_cudnn_attention[0]
    return (getitem,)
