# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f16[2, 8, 4, 16], arg1_1: f16[2, 8, 4, 16], arg2_1: f16[2, 8, 4, 16], arg3_1: f16[2, 8]):
    permute_default: f16[2, 4, 8, 16][512, 16, 64, 1] = aten.permute.default(arg0_1, [0, 2, 1, 3])
    permute_default_1: f16[2, 4, 8, 16][512, 16, 64, 1] = aten.permute.default(arg1_1, [0, 2, 1, 3])
    permute_default_2: f16[2, 4, 8, 16][512, 16, 64, 1] = aten.permute.default(arg2_1, [0, 2, 1, 3])
    eq_scalar: b8[2, 8] = aten.eq.Scalar(arg3_1, 1)
    view_default: b8[2, 1, 1, 8] = aten.reshape.default(eq_scalar, [2, 1, 1, 8])
    expand_default: b8[2, 4, 8, 8][8, 0, 0, 1] = aten.expand.default(view_default, [2, 4, 8, 8])
    logical_not_default: b8[2, 4, 8, 8] = aten.logical_not.default(expand_default)
    scalar_tensor_default_1: f16[()] @ cpu = aten.scalar_tensor.default(-65504.0, dtype=torch.float16, layout=torch.strided, device=device('cpu'))
    scalar_tensor_default: f16[()] @ cpu = aten.scalar_tensor.default(0.0, dtype=torch.float16, device=device('cpu'), pin_memory=False)
    where_self: f16[2, 4, 8, 8] = aten.where.self(logical_not_default, scalar_tensor_default_1, scalar_tensor_default)
    _scaled_dot_product_cudnn_attention_default = aten._scaled_dot_product_cudnn_attention.default(permute_default, permute_default_1, permute_default_2, where_self, False, scale=0.25)
    # query_scaled_filled: return filled(scores(q.div(4.0), k), kept) @ v
    getitem: f16[2, 4, 8, 16][512, 16, 64, 1] = _scaled_dot_product_cudnn_attention_default[0]
    return (getitem,)
