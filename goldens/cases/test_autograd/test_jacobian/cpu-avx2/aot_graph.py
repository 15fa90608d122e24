# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: aot_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[4]):
    full: f32[4, 4] = aten.full.default([4, 4], 0, dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    full_1: f32[4] = aten.full.default([4], 1, dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    diagonal_scatter: f32[4, 4] = aten.diagonal_scatter.default(full, full_1)
    cos: f32[4] = aten.cos.default(arg0_1)
    view_1: f32[4, 4] = aten.view.default(diagonal_scatter, [4, 4])
    mul: f32[4, 4] = aten.mul.Tensor(view_1, cos)
    split_with_sizes = aten.split_with_sizes.default(mul, [4])
    getitem: f32[4, 4] = split_with_sizes[0]
    view_2: f32[4, 4] = aten.view.default(getitem, [4, 4])
    return (view_2,)
