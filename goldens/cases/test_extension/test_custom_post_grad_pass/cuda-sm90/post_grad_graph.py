# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 64]):
    # <lambda>: captured = compile_stages(lambda x: x.sin().relu() + 1, torch.randn(64, 64))
    sin: f32[64, 64] = aten.sin.default(arg0_1)
    relu: f32[64, 64] = aten.relu.default(sin)
    clamp_max_default: f32[64, 64] = aten.clamp_max.default(relu, 6.0)
    add: f32[64, 64] = aten.add.Tensor(clamp_max_default, 1)
    return (add,)
