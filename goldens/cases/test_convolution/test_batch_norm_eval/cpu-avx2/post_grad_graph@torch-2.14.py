# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1

def graph_0(
    arg0_1: f32[32, 16, 3, 3],
    arg1_1: f32[4, 16, 32, 32],
    arg2_1: f32[32],
    arg3_1: f32[32],
    arg4_1: f32[32],
    arg5_1: f32[32],
):
    convolution: f32[4, 32, 32, 32] = aten.convolution.default(arg1_1, arg0_1, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)
    unsqueeze: f32[32, 1] = aten.unsqueeze.default(arg2_1, -1)
    unsqueeze_1: f32[32, 1, 1] = aten.unsqueeze.default(unsqueeze, -1)
    sub: f32[4, 32, 32, 32] = aten.sub.Tensor(convolution, unsqueeze_1)
    add: f32[32] = aten.add.Tensor(arg3_1, 1e-05)
    rsqrt: f32[32] = aten.rsqrt.default(add)
    unsqueeze_2: f32[32, 1] = aten.unsqueeze.default(rsqrt, -1)
    unsqueeze_3: f32[32, 1, 1] = aten.unsqueeze.default(unsqueeze_2, -1)
    mul: f32[4, 32, 32, 32] = aten.mul.Tensor(sub, unsqueeze_3)
    unsqueeze_4: f32[32, 1] = aten.unsqueeze.default(arg4_1, -1)
    unsqueeze_5: f32[32, 1, 1] = aten.unsqueeze.default(unsqueeze_4, -1)
    mul_1: f32[4, 32, 32, 32] = aten.mul.Tensor(mul, unsqueeze_5)
    unsqueeze_6: f32[32, 1] = aten.unsqueeze.default(arg5_1, -1)
    unsqueeze_7: f32[32, 1, 1] = aten.unsqueeze.default(unsqueeze_6, -1)
    add_1: f32[4, 32, 32, 32] = aten.add.Tensor(mul_1, unsqueeze_7)
    relu: f32[4, 32, 32, 32] = aten.relu.default(add_1)
    return (relu,)
