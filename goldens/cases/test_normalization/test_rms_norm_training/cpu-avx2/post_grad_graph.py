# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[1024], primals_2: f32[256, 1024]):
    pow_1: f32[256, 1024] = aten.pow.Tensor_Scalar(primals_2, 2)
    mean: f32[256, 1] = aten.mean.dim(pow_1, [1], True)
    add: f32[256, 1] = aten.add.Scalar(mean, 1.1920928955078125e-07)
    rsqrt: f32[256, 1] = aten.rsqrt.default(add)
    mul: f32[256, 1024] = aten.mul.Tensor(primals_2, rsqrt)
    mul_1: f32[256, 1024] = aten.mul.Tensor(mul, primals_1)
    return (mul_1, primals_2, rsqrt)


def graph_0_backward(primals_2: f32[256, 1024], rsqrt: f32[256, 1], tangents_1: f32[256, 1024]):
    mul: f32[256, 1024] = aten.mul.Tensor(primals_2, rsqrt)
    mul_2: f32[256, 1024] = aten.mul.Tensor(tangents_1, mul)
    sum_1: f32[1, 1024] = aten.sum.dim_IntList(mul_2, [0], True)
    view: f32[1024] = aten.reshape.default(sum_1, [1024])
    return (view, None)
