# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(
    arg0_1: f32[64, 32, 3, 3],
    arg1_1: f32[64],
    arg2_1: f32[4, 32, 28, 28],
    arg3_1: f32[64, 64, 1, 1],
    arg4_1: f32[64],
):
    convolution: f32[4, 64, 28, 28] = aten.convolution.default(arg2_1, arg0_1, arg1_1, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)
    relu: f32[4, 64, 28, 28] = aten.relu.default(convolution)
    convolution_1: f32[4, 64, 28, 28] = aten.convolution.default(relu, arg3_1, arg4_1, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    return (convolution_1,)
