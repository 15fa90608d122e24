# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 128]):
    # <lambda>: captured = compile_stages(lambda x: torch.sum(x, axis=1, keepdims=True) + x, torch.randn(64, 128))
    sum_1: f32[64, 1] = aten.sum.dim_IntList(arg0_1, [1], True)
    add: f32[64, 128] = aten.add.Tensor(sum_1, arg0_1)
    return (add,)
