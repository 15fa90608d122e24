# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64], arg1_1: f32[128, 32], arg2_1: f32[32, 200]):
    # <lambda>: lambda a, b, c: (a.sin(), b.cos() + 1, c.sum(-1)), torch.randn(64), torch.randn(128, 32), torch.randn(32, 200)
    sin: f32[64] = aten.sin.default(arg0_1)
    cos: f32[128, 32] = aten.cos.default(arg1_1)
    add: f32[128, 32] = aten.add.Tensor(cos, 1)
    sum_1: f32[32] = aten.sum.dim_IntList(arg2_1, [-1])
    return (sin, add, sum_1)
