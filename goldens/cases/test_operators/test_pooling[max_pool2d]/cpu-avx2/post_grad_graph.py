# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[2, 4, 8, 8]):
    # <lambda>: captured = compile_stages(lambda x: getattr(F, name)(x, *arguments), torch.randn(2, 4, 8, 8))
    _low_memory_max_pool_with_offsets = prims._low_memory_max_pool_with_offsets.default(arg0_1, [2, 2], [2, 2], [0, 0], [1, 1], False)
    getitem: f32[2, 4, 4, 4] = _low_memory_max_pool_with_offsets[0]
    return (getitem,)
