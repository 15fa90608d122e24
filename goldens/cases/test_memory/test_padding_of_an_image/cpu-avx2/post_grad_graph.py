# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[2, 3, 30, 30]):
    # <lambda>: captured = compile_stages(lambda x: F.pad(x.relu(), (1, 1, 2, 0), value=1.5) * 2, torch.randn(2, 3, 30, 30))
    relu: f32[2, 3, 30, 30] = aten.relu.default(arg0_1)
    constant_pad_nd: f32[2, 3, 32, 32] = aten.constant_pad_nd.default(relu, [1, 1, 2, 0], 1.5)
    mul: f32[2, 3, 32, 32] = aten.mul.Tensor(constant_pad_nd, 2)
    return (mul,)
