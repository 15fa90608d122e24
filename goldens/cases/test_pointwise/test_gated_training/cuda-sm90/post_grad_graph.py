# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[256, 1024], primals_2: f32[256, 1024]):
    # swiglu: return F.silu(gate) * up
    neg: f32[256, 1024] = aten.neg.default(primals_1)
    exp: f32[256, 1024] = aten.exp.default(neg)
    add: f32[256, 1024] = aten.add.Tensor(exp, 1)
    div: f32[256, 1024] = aten.div.Tensor(primals_1, add)
    mul: f32[256, 1024] = aten.mul.Tensor(div, primals_2)
    return (mul, primals_1, primals_2)


def graph_0_backward(primals_1: f32[256, 1024], primals_2: f32[256, 1024], tangents_1: f32[256, 1024]):
    # swiglu: return F.silu(gate) * up
    neg: f32[256, 1024] = aten.neg.default(primals_1)
    exp: f32[256, 1024] = aten.exp.default(neg)
    add: f32[256, 1024] = aten.add.Tensor(exp, 1)
    div: f32[256, 1024] = aten.div.Tensor(primals_1, add)
    mul_1: f32[256, 1024] = aten.mul.Tensor(tangents_1, div)
    mul_2: f32[256, 1024] = aten.mul.Tensor(tangents_1, primals_2)
    reciprocal: f32[256, 1024] = aten.reciprocal.default(add)
    mul_3: f32[256, 1024] = aten.mul.Tensor(reciprocal, 1)
    mul_4: f32[256, 1024] = aten.mul.Tensor(mul_2, mul_3)
    sub: f32[256, 1024] = aten.sub.Tensor(1, mul_3)
    mul_5: f32[256, 1024] = aten.mul.Tensor(primals_1, sub)
    add_2: f32[256, 1024] = aten.add.Tensor(mul_5, 1)
    mul_6: f32[256, 1024] = aten.mul.Tensor(mul_4, add_2)
    return (mul_6, mul_1)
