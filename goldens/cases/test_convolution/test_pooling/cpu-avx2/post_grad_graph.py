# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[4, 16, 32, 32]):
    # <lambda>: captured = compile_stages(lambda x: pool(x).mean((2, 3)), torch.randn(4, 16, 32, 32))
    _low_memory_max_pool_with_offsets = prims._low_memory_max_pool_with_offsets.default(arg0_1, [2, 2], [2, 2], [0, 0], [1, 1], False)
    getitem: f32[4, 16, 16, 16] = _low_memory_max_pool_with_offsets[0]
    mean: f32[4, 16] = aten.mean.dim(getitem, [2, 3])
    return (mean,)
