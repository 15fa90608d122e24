# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[8192, 512], arg1_1: f32[8192, 512]):
    # <lambda>: lambda x, y: ((x * y).sum(-1), (x * y).sum(0)), torch.randn(8192, 512), torch.randn(8192, 512)
    mul: f32[8192, 512] = aten.mul.Tensor(arg0_1, arg1_1)
    sum_1: f32[8192] = aten.sum.dim_IntList(mul, [-1])
    mul_1: f32[8192, 512] = aten.mul.Tensor(arg0_1, arg1_1)
    sum_2: f32[512] = aten.sum.dim_IntList(mul_1, [0])
    return (sum_1, sum_2)
