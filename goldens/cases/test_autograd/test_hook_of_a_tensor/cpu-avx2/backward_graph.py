# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: backward_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_backward(primals_1: f32[8], exp: f32[8], tangents_1: f32[8]):
    # f: return y.exp()
    mul: f32[8] = aten.mul.Tensor(tangents_1, exp)
    # <lambda>: y.register_hook(lambda grad: grad * 3)
    mul_1: f32[8] = aten.mul.Tensor(mul, 3)
    # f: y = x.sin()
    cos: f32[8] = aten.cos.default(primals_1)
    mul_2: f32[8] = aten.mul.Tensor(mul_1, cos)
    return (mul_2,)
