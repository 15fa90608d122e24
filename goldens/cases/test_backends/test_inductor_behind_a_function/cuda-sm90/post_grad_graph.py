# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64]):
    # <lambda>: captured = compile_stages(lambda x: torch.sin(x) + 1, torch.randn(64), backend=backend)
    cos: f32[64] = aten.cos.default(arg0_1)
    add: f32[64] = aten.add.Tensor(cos, 1)
    return (add,)
