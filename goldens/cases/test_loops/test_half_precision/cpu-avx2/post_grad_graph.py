# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f16[128, 200], arg1_1: f16[128, 200]):
    # <lambda>: captured = compile_stages(lambda x, y: (x.exp() * y).sigmoid(), *(torch.randn(128, 200).half() for _ in range(2)))
    exp: f16[128, 200] = aten.exp.default(arg0_1)
    mul: f16[128, 200] = aten.mul.Tensor(exp, arg1_1)
    sigmoid: f16[128, 200] = aten.sigmoid.default(mul)
    return (sigmoid,)
