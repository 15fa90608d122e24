# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[2, 8, 16, 16]):
    # <lambda>: captured = compile_stages(lambda x: F.max_pool2d(x, 2), torch.randn(2, 8, 16, 16), train=True)
    _low_memory_max_pool_with_offsets = prims._low_memory_max_pool_with_offsets.default(primals_1, [2, 2], [2, 2], [0, 0], [1, 1], False)
    getitem: f32[2, 8, 8, 8] = _low_memory_max_pool_with_offsets[0]
    getitem_1: i8[2, 8, 8, 8] = _low_memory_max_pool_with_offsets[1]
    return (getitem, getitem_1)


def graph_0_backward(getitem_1: i8[2, 8, 8, 8], tangents_1: f32[2, 8, 8, 8]):
    # <lambda>: captured = compile_stages(lambda x: F.max_pool2d(x, 2), torch.randn(2, 8, 16, 16), train=True)
    view: f32[16, 64] = aten.reshape.default(tangents_1, [16, 64])
    _low_memory_max_pool_offsets_to_indices: i64[2, 8, 8, 8] = prims._low_memory_max_pool_offsets_to_indices.default(getitem_1, [2, 2], [16, 16], [2, 2], [0, 0], [1, 1])
    view_1: i64[16, 64] = aten.reshape.default(_low_memory_max_pool_offsets_to_indices, [16, 64])
    full_default: f32[16, 256] = aten.full.default([16, 256], 0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    scatter_add: f32[16, 256] = aten.scatter_add.default(full_default, 1, view_1, view)
    view_2: f32[2, 8, 16, 16] = aten.reshape.default(scatter_add, [2, 8, 16, 16])
    return (view_2,)
