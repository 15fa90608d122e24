# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[4096]):
    # <lambda>: captured = compile_stages(lambda x: scale_by(x, 2.0).relu() + 1, torch.randn(4096))
    scale_by: f32[4096] = cases.scale_by.default(arg0_1, 2.0)
    relu: f32[4096] = aten.relu.default(scale_by)
    add: f32[4096] = aten.add.Tensor(relu, 1)
    return (add,)
