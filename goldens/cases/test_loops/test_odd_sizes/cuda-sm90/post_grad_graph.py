# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[37, 1001], arg1_1: f32[37, 1001]):
    # <lambda>: captured = compile_stages(lambda x, y: (x.tanh() * y).sum(-1), torch.randn(37, 1001), torch.randn(37, 1001))
    tanh: f32[37, 1001] = aten.tanh.default(arg0_1)
    mul: f32[37, 1001] = aten.mul.Tensor(tanh, arg1_1)
    sum_1: f32[37] = aten.sum.dim_IntList(mul, [-1])
    return (sum_1,)
