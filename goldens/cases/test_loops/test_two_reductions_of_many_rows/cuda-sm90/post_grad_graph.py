# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[32768, 768]):
    # <lambda>: captured = compile_stages(lambda x: (x.sum(-1), x.sum(0)), torch.randn(32768, 768))
    sum_1: f32[32768] = aten.sum.dim_IntList(arg0_1, [-1])
    sum_2: f32[768] = aten.sum.dim_IntList(arg0_1, [0])
    return (sum_1, sum_2)
