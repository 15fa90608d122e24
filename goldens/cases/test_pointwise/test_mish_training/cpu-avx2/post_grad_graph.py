# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[256, 1024]):
    exp: f32[256, 1024] = aten.exp.default(primals_1)
    log1p: f32[256, 1024] = aten.log1p.default(exp)
    gt: b8[256, 1024] = aten.gt.Scalar(primals_1, 20)
    where: f32[256, 1024] = aten.where.self(gt, primals_1, log1p)
    tanh: f32[256, 1024] = aten.tanh.default(where)
    mul: f32[256, 1024] = aten.mul.Tensor(primals_1, tanh)
    return (mul, primals_1)


def graph_0_backward(primals_1: f32[256, 1024], tangents_1: f32[256, 1024]):
    exp: f32[256, 1024] = aten.exp.default(primals_1)
    log1p: f32[256, 1024] = aten.log1p.default(exp)
    gt: b8[256, 1024] = aten.gt.Scalar(primals_1, 20)
    where: f32[256, 1024] = aten.where.self(gt, primals_1, log1p)
    tanh: f32[256, 1024] = aten.tanh.default(where)
    sigmoid: f32[256, 1024] = aten.sigmoid.default(primals_1)
    mul_1: f32[256, 1024] = aten.mul.Tensor(primals_1, sigmoid)
    mul_2: f32[256, 1024] = aten.mul.Tensor(tanh, tanh)
    sub: f32[256, 1024] = aten.sub.Tensor(1, mul_2)
    mul_3: f32[256, 1024] = aten.mul.Tensor(mul_1, sub)
    add: f32[256, 1024] = aten.add.Tensor(tanh, mul_3)
    mul_4: f32[256, 1024] = aten.mul.Tensor(tangents_1, add)
    return (mul_4,)
