# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[2, 4, 8, 8]):
    # <lambda>: captured = compile_stages(lambda x: getattr(F, name)(x, *arguments), torch.randn(2, 4, 8, 8))
    _adaptive_avg_pool2d: f32[2, 4, 2, 2] = aten._adaptive_avg_pool2d.default(arg0_1, [2, 2])
    return (_adaptive_avg_pool2d,)
