# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[32, 32]):
    # f: x.view(-1)[:10].mul_(2)
    view_1: f32[1024] = aten.reshape.default(arg0_1, [-1])
    view: f32[1024] = aten.reshape.default(arg0_1, [-1])
    slice_1: f32[10] = aten.slice.Tensor(view, 0, 0, 10)
    mul: f32[10] = aten.mul.Tensor(slice_1, 2)
    slice_scatter_default: f32[1024] = aten.slice_scatter.default(view_1, mul, 0, 0, 10)
    view_2: f32[32, 32] = aten.reshape.default(slice_scatter_default, [32, 32])
    # f: return x + 1
    add: f32[32, 32] = aten.add.Tensor(view_2, 1)
    # f: x.view(-1)[:10].mul_(2)
    copy_: f32[32, 32] = aten.copy_.default(arg0_1, view_2)
    return (add,)
