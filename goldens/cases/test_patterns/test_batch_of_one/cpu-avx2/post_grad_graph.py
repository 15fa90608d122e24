# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[1, 64, 128], arg1_1: f32[1, 128, 32]):
    bmm: f32[1, 64, 32] = aten.bmm.default(arg0_1, arg1_1)
    return (bmm,)
