# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[4096, 256]):
    # <lambda>: captured = compile_stages(lambda x: x.sum(0), torch.randn(4096, 256))
    sum_1: f32[256] = aten.sum.dim_IntList(arg0_1, [0])
    return (sum_1,)
