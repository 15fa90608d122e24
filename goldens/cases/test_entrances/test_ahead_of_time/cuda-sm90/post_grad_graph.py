# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 128], arg1_1: f32[128, 32]):
    # projected: return torch.sin(x @ w).sum(-1)
    mm: f32[64, 32] = aten.mm.default(arg0_1, arg1_1)
    sin: f32[64, 32] = aten.sin.default(mm)
    sum_1: f32[64] = aten.sum.dim_IntList(sin, [-1])
    return (sum_1,)
