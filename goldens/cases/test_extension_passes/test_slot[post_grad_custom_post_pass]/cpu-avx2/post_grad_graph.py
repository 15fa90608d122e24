# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[64]):
    # wave: return (x.sin() + 1).relu()
    sin: f32[64] = aten.cos.default(primals_1)
    add: f32[64] = aten.add.Tensor(sin, 1)
    relu: f32[64] = aten.relu.default(add)
    le: b8[64] = aten.le.Scalar(relu, 0)
    return (relu, primals_1, le)


def graph_0_backward(primals_1: f32[64], le: b8[64], tangents_1: f32[64]):
    # wave: return (x.sin() + 1).relu()
    full_default: f32[()] = aten.full.default([], 0.0, dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    where: f32[64] = aten.where.self(le, full_default, tangents_1)
    cos: f32[64] = aten.cos.default(primals_1)
    mul: f32[64] = aten.mul.Tensor(where, cos)
    return (mul,)
