# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: backward_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_backward(primals_1: f32[8], tangents_1: f32[8]):
    # <lambda>: captured = compile_stages(lambda x: x.sin().detach() * x, learned(8), train=True)
    sin: f32[8] = aten.sin.default(primals_1)
    mul_1: f32[8] = aten.mul.Tensor(tangents_1, sin)
    return (mul_1,)
