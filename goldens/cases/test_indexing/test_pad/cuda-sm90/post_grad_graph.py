# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 61]):
    # <lambda>: captured = compile_stages(lambda x: F.pad(x, (1, 2)).sin(), torch.randn(64, 61))
    constant_pad_nd: f32[64, 64] = aten.constant_pad_nd.default(arg0_1, [1, 2], 0.0)
    sin: f32[64, 64] = aten.sin.default(constant_pad_nd)
    return (sin,)
