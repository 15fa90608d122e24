# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[128, 3000]):
    # <lambda>: captured = compile_stages(lambda x: x.var(-1), torch.randn(128, 3000))
    var: f32[128] = aten.var.correction(arg0_1, [-1], correction=1)
    return (var,)
