# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[32, 64], arg1_1: f32[32, 8]):
    # f: x = x * 2
    mul: f32[32, 64] = aten.mul.Tensor(arg0_1, 2)
    # f: x[:, 2:10] = y.sin()
    slice_1: f32[32, 8][64, 1] = aten.slice.Tensor(mul, 1, 2, 10)
    sin: f32[32, 8] = aten.sin.default(arg1_1)
    copy: f32[32, 8][64, 1] = aten.copy.default(slice_1, sin)
    slice_scatter_default: f32[32, 64] = aten.slice_scatter.default(mul, copy, 1, 2, 10)
    # f: x[3].add_(1)
    select_1: f32[64] = aten.select.int(slice_scatter_default, 0, 3)
    add: f32[64] = aten.add.Tensor(select_1, 1)
    select_scatter_default: f32[32, 64] = aten.select_scatter.default(slice_scatter_default, add, 0, 3)
    return (select_scatter_default,)
