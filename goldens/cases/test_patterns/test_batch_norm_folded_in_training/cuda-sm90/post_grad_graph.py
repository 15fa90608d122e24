# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(
    primals_1: f32[16, 8, 3, 3],
    primals_2: f32[16],
    primals_3: f32[2, 8, 16, 16],
    primals_4: f32[16],
    primals_5: f32[16],
    primals_6: f32[16],
    primals_7: f32[16],
):
    add: f32[16] = aten.add.Tensor(primals_5, 1e-05)
    rsqrt: f32[16] = aten.rsqrt.default(add)
    view: f32[16, 1, 1, 1] = aten.reshape.default(rsqrt, [-1, 1, 1, 1])
    view_1: f32[16, 1, 1, 1] = aten.reshape.default(primals_6, [16, 1, 1, 1])
    mul: f32[16, 1, 1, 1] = aten.mul.Tensor(view_1, view)
    mul_1: f32[16, 8, 3, 3] = aten.mul.Tensor(primals_1, mul)
    view_2: f32[16] = aten.reshape.default(mul, [16])
    sub: f32[16] = aten.sub.Tensor(primals_2, primals_4)
    mul_2: f32[16] = aten.mul.Tensor(view_2, sub)
    add_1: f32[16] = aten.add.Tensor(primals_7, mul_2)
    convolution: f32[2, 16, 14, 14] = aten.convolution.default(primals_3, mul_1, add_1, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    return (convolution, primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, mul_1)


def graph_0_backward(
    primals_1: f32[16, 8, 3, 3],
    primals_2: f32[16],
    primals_3: f32[2, 8, 16, 16],
    primals_4: f32[16],
    primals_5: f32[16],
    primals_6: f32[16],
    mul_1: f32[16, 8, 3, 3],
    tangents_1: f32[2, 16, 14, 14],
):
    sum_1: f32[16] = aten.sum.dim_IntList(tangents_1, [0, 2, 3])
    convolution_backward = aten.convolution_backward.default(tangents_1, primals_3, mul_1, [16], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [False, True, False])
    getitem_1: f32[16, 8, 3, 3] = convolution_backward[1]
    add: f32[16] = aten.add.Tensor(primals_5, 1e-05)
    rsqrt: f32[16] = aten.rsqrt.default(add)
    view: f32[16, 1, 1, 1] = aten.reshape.default(rsqrt, [-1, 1, 1, 1])
    view_1: f32[16, 1, 1, 1] = aten.reshape.default(primals_6, [16, 1, 1, 1])
    mul: f32[16, 1, 1, 1] = aten.mul.Tensor(view_1, view)
    view_2: f32[16] = aten.reshape.default(mul, [16])
    mul_3: f32[16] = aten.mul.Tensor(sum_1, view_2)
    sub: f32[16] = aten.sub.Tensor(primals_2, primals_4)
    mul_4: f32[16] = aten.mul.Tensor(sum_1, sub)
    view_3: f32[16, 1, 1, 1] = aten.reshape.default(mul_4, [16, 1, 1, 1])
    mul_5: f32[16, 8, 3, 3] = aten.mul.Tensor(getitem_1, primals_1)
    mul_6: f32[16, 8, 3, 3] = aten.mul.Tensor(getitem_1, mul)
    sum_2: f32[16, 1, 1, 1] = aten.sum.dim_IntList(mul_5, [1, 2, 3], True)
    add_2: f32[16, 1, 1, 1] = aten.add.Tensor(view_3, sum_2)
    mul_7: f32[16, 1, 1, 1] = aten.mul.Tensor(add_2, view)
    view_4: f32[16] = aten.reshape.default(mul_7, [16])
    return (mul_6, mul_3, None, None, None, view_4, sum_1)
