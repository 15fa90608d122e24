# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[2, 4, 8, 8], arg1_1: f32[4, 4, 2, 2]):
    # <lambda>: lambda x, w: F.conv2d(x, w, padding="same"), torch.randn(2, 4, 8, 8), torch.randn(4, 4, 2, 2)
    constant_pad_nd: f32[2, 4, 9, 9] = aten.constant_pad_nd.default(arg0_1, [0, 1, 0, 1])
    convolution: f32[2, 4, 8, 8] = aten.convolution.default(constant_pad_nd, arg1_1, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    return (convolution,)
