# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[256, 512]):
    # <lambda>: captured = compile_stages(lambda x: (x.sum(-1), x.amax(-1), x.argmax(-1)), torch.randn(256, 512))
    sum_1: f32[256] = aten.sum.dim_IntList(arg0_1, [-1])
    amax: f32[256] = aten.amax.default(arg0_1, [-1])
    argmax: i64[256] = aten.argmax.default(arg0_1, -1)
    return (sum_1, amax, argmax)
