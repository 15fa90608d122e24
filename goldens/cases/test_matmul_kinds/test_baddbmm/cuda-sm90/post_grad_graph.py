# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f16[4, 64, 64], arg1_1: f16[4, 64, 64], arg2_1: f16[4, 64, 64]):
    baddbmm: f16[4, 64, 64] = aten.baddbmm.default(arg0_1, arg1_1, arg2_1)
    return (baddbmm,)
