# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[256, 2048], arg1_1: f32[256, 2048]):
    # <lambda>: captured = compile_stages(lambda x, y: (x * y).sum(-1), torch.randn(256, 2048), torch.randn(256, 2048))
    mul: f32[256, 2048] = aten.mul.Tensor(arg0_1, arg1_1)
    sum_1: f32[256] = aten.sum.dim_IntList(mul, [-1])
    return (sum_1,)
