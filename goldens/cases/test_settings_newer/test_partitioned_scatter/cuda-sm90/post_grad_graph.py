# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[8192, 64], arg1_1: i64[8192]):
    # f: return torch.zeros(16, 64, device=values.device).index_put((index,), values, accumulate=True)
    full_default: f32[16, 64] = aten.full.default([16, 64], 0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    iota_default: i64[8192] = prims.iota.default(8192, start=0, step=1, dtype=torch.int64, device=device('cuda:0'), requires_grad=False)
    bitwise_and_scalar: i64[8192] = aten.bitwise_and.Scalar(iota_default, 63)
    full_default_1: f32[1024, 64] = aten.full.default([1024, 64], 0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    mul_tensor: i64[8192] = aten.mul.Tensor(bitwise_and_scalar, 16)
    add_tensor: i64[8192] = aten.add.Tensor(arg1_1, mul_tensor)
    index_put_default: f32[1024, 64] = aten.index_put_.default(full_default_1, [add_tensor], arg0_1, True)
    view_default: f32[64, 16, 64] = aten.view.default(index_put_default, [64, 16, 64])
    sum_dim_int_list: f32[16, 64] = aten.sum.dim_IntList(view_default, [0])
    add_tensor_1: f32[16, 64] = aten.add.Tensor(full_default, sum_dim_int_list)
    return (add_tensor_1,)
