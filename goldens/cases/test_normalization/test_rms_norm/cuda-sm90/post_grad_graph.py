# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[1024], arg1_1: f32[256, 1024]):
    pow_1: f32[256, 1024] = aten.pow.Tensor_Scalar(arg1_1, 2)
    mean: f32[256, 1] = aten.mean.dim(pow_1, [1], True)
    add: f32[256, 1] = aten.add.Scalar(mean, 1.1920928955078125e-07)
    rsqrt: f32[256, 1] = aten.rsqrt.default(add)
    mul: f32[256, 1024] = aten.mul.Tensor(arg1_1, rsqrt)
    mul_1: f32[256, 1024] = aten.mul.Tensor(mul, arg0_1)
    return (mul_1,)
