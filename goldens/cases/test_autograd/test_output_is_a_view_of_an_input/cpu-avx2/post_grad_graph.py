# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[8]):
    # <lambda>: captured = compile_stages(lambda x: (x.view(2, 4), x + 1), torch.randn(8))
    view: f32[2, 4] = aten.reshape.default(arg0_1, [2, 4])
    add: f32[8] = aten.add.Tensor(arg0_1, 1)
    return (view, add)
