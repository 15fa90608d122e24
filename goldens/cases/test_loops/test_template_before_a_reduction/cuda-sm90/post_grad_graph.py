# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f16[256, 128], arg1_1: f16[128, 512]):
    # f: y = (x @ weight).relu()
    mm: f16[256, 512] = aten.mm.default(arg0_1, arg1_1)
    relu: f16[256, 512] = aten.relu.default(mm)
    # f: return y, y.sum(-1)
    sum_1: f16[256] = aten.sum.dim_IntList(relu, [-1])
    return (relu, sum_1)
