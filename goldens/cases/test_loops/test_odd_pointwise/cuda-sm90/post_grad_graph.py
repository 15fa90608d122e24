# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[1003]):
    # <lambda>: captured = compile_stages(lambda x: x.exp() + torch.tanh(x), torch.randn(1003))
    exp: f32[1003] = aten.exp.default(arg0_1)
    tanh: f32[1003] = aten.tanh.default(arg0_1)
    add: f32[1003] = aten.add.Tensor(exp, tanh)
    return (add,)
