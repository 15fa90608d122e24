# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[128, 256], arg1_1: i64[128, 8]):
    # <lambda>: lambda x, index: torch.gather(x, 1, index) * 2, torch.randn(128, 256), torch.zeros(128, 8, dtype=torch.int64)
    gather: f32[128, 8] = aten.gather.default(arg0_1, 1, arg1_1)
    mul: f32[128, 8] = aten.mul.Tensor(gather, 2)
    return (mul,)
