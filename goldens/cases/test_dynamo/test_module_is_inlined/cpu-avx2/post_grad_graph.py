# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 32], arg1_1: f32[64], arg2_1: f32[8, 32]):
    permute: f32[32, 64][1, 32] = aten.permute.default(arg0_1, [1, 0])
    addmm: f32[8, 64] = aten.addmm.default(arg1_1, arg2_1, permute)
    relu: f32[8, 64] = aten.relu.default(addmm)
    return (relu,)
