# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[4, 64], arg1_1: f32[64, 32]):
    # f: ones = torch.ones(x.shape, dtype=torch.int64, device=x.device)
    full_default: i64[4, 64] = aten.full.default([4, 64], 1, dtype=torch.int64, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    # f: return table[torch.cumsum(ones, 1) - 1] + x.unsqueeze(-1)
    iota_default: i64[64] = prims.iota.default(64, start=1, step=1, dtype=torch.int64, device=device('cuda:0'), requires_grad=False)
    mul_tensor: i64[64] = aten.mul.Tensor(iota_default, 1)
    view_default: i64[1, 64] = aten.view.default(mul_tensor, [1, 64])
    expand_default: i64[4, 64][0, 1] = aten.expand.default(view_default, [4, 64])
    sub: i64[4, 64] = aten.sub.Tensor(expand_default, 1)
    index: f32[4, 64, 32] = aten.index.Tensor(arg1_1, [sub])
    unsqueeze: f32[4, 64, 1] = aten.unsqueeze.default(arg0_1, -1)
    add: f32[4, 64, 32] = aten.add.Tensor(index, unsqueeze)
    return (add,)
