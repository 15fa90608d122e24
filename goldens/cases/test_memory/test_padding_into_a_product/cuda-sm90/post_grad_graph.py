# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[100, 64], arg1_1: f32[64, 64]):
    # <lambda>: lambda x, weight: F.pad(x * 2, (0, 0, 0, 28)) @ weight, torch.randn(100, 64), torch.randn(64, 64)
    mul: f32[100, 64] = aten.mul.Tensor(arg0_1, 2)
    constant_pad_nd: f32[128, 64] = aten.constant_pad_nd.default(mul, [0, 0, 0, 28], 0.0)
    mm: f32[128, 64] = aten.mm.default(constant_pad_nd, arg1_1)
    return (mm,)
