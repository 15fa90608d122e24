# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 3]):
    # <lambda>: captured = compile_stages(lambda x: x * 2 + 1, torch.randn(64, 3))
    mul: f32[64, 3] = aten.mul.Tensor(arg0_1, 2)
    add: f32[64, 3] = aten.add.Tensor(mul, 1)
    return (add,)
