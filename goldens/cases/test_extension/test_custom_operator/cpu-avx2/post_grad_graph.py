# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 64]):
    # <lambda>: captured = compile_stages(lambda x: clip_norm(x.relu(), 1.0) + 1, torch.randn(64, 64))
    relu: f32[64, 64] = aten.relu.default(arg0_1)
    clip_norm: f32[64, 64] = cases.clip_norm.default(relu, 1.0)
    add: f32[64, 64] = aten.add.Tensor(clip_norm, 1)
    return (add,)
