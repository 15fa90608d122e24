# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[128, 64], arg1_1: f32[512, 64], arg2_1: i64[512, 64]):
    # f: return base.scatter_add(0, index, values * 2)
    mul: f32[512, 64] = aten.mul.Tensor(arg1_1, 2)
    scatter_add: f32[128, 64] = aten.scatter_add.default(arg0_1, 0, arg2_1, mul)
    return (scatter_add,)
