# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 128]):
    # <lambda>: captured = compile_stages(lambda x: x[torch.arange(0, 64, 2)] + 1, torch.randn(64, 128))
    iota_default: i64[32] = prims.iota.default(32, start=0, step=2, dtype=torch.int64, device=device('cuda:0'), requires_grad=False)
    index: f32[32, 128] = aten.index.Tensor(arg0_1, [iota_default])
    add: f32[32, 128] = aten.add.Tensor(index, 1)
    return (add,)
