# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 256]):
    # <lambda>: captured = compile_stages(lambda x: (x.view(torch.int32).view(torch.float32) + 1).sin(), torch.randn(64, 256))
    add: f32[64, 256] = aten.add.Tensor(arg0_1, 1)
    sin: f32[64, 256] = aten.sin.default(add)
    return (sin,)
