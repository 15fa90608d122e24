# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 64]):
    # f: y = x.sin() * 2
    sin: f32[64, 64] = aten.sin.default(arg0_1)
    mul: f32[64, 64] = aten.mul.Tensor(sin, 2)
    return (mul,)


def graph_1(arg0_1: f32[64, 64]):
    # torch_dynamo_resume_in_f: return y.cos() + 1
    cos: f32[64, 64] = aten.cos.default(arg0_1)
    add: f32[64, 64] = aten.add.Tensor(cos, 1)
    return (add,)
