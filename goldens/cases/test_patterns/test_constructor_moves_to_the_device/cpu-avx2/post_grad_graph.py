# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 128]):
    # f: return x[torch.arange(0, 64, 2)] + x[torch.ones(32, dtype=torch.int64).cumsum(0).flip(0)]
    iota: i64[32] = prims.iota.default(32, start=0, step=2, dtype=torch.int64, device=device('cpu'), requires_grad=False)
    index: f32[32, 128] = aten.index.Tensor(arg0_1, [iota])
    full_default: i64[32] = aten.full.default([32], 1, dtype=torch.int64, layout=torch.strided, device=device('cpu'), pin_memory=False)
    iota_default: i64[32] = prims.iota.default(32, start=1, step=1, dtype=torch.int64, device=device('cpu'), requires_grad=False)
    mul_tensor: i64[32] = aten.mul.Tensor(iota_default, 1)
    expand_default: i64[32] = aten.expand.default(mul_tensor, [32])
    rev: i64[32] = prims.rev.default(expand_default, [0])
    index_1: f32[32, 128] = aten.index.Tensor(arg0_1, [rev])
    add: f32[32, 128] = aten.add.Tensor(index, index_1)
    return (add,)
