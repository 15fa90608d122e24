# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[4, 4, 3, 3], arg1_1: f32[2, 4, 16, 16]):
    convolution: f32[2, 4, 7, 7] = aten.convolution.default(arg1_1, arg0_1, None, [2, 2], [1, 1], [2, 2], False, [0, 0], 1)
    return (convolution,)
