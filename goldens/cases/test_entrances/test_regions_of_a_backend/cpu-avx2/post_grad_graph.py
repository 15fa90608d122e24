# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 128]):
    # f: z = (y * 2).cos()
    mul: f32[64, 128] = aten.mul.Tensor(arg0_1, 2)
    cos: f32[64, 128] = aten.cos.default(mul)
    return (cos,)
