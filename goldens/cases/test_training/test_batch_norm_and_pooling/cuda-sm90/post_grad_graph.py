# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(
    primals_1: f32[16, 3, 3, 3],
    primals_2: f32[2, 3, 16, 16],
    primals_3: i64[()],
    primals_4: f32[16],
    primals_5: f32[16],
    primals_6: f32[16],
    primals_7: f32[16],
):
    convolution: f32[2, 16, 14, 14] = aten.convolution.default(primals_2, primals_1, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    add: i64[()] = aten.add.Tensor(primals_3, 1)
    var_mean = aten.var_mean.correction(convolution, [0, 2, 3], correction=0, keepdim=True)
    getitem: f32[1, 16, 1, 1] = var_mean[0]
    getitem_1: f32[1, 16, 1, 1] = var_mean[1]
    add_1: f32[1, 16, 1, 1] = aten.add.Tensor(getitem, 1e-05)
    rsqrt: f32[1, 16, 1, 1] = aten.rsqrt.default(add_1)
    sub: f32[2, 16, 14, 14] = aten.sub.Tensor(convolution, getitem_1)
    mul: f32[2, 16, 14, 14] = aten.mul.Tensor(sub, rsqrt)
    squeeze: f32[16] = aten.squeeze.dims(getitem_1, [0, 2, 3])
    mul_1: f32[16] = aten.mul.Tensor(squeeze, 0.1)
    mul_2: f32[16] = aten.mul.Tensor(primals_4, 0.9)
    add_2: f32[16] = aten.add.Tensor(mul_1, mul_2)
    squeeze_2: f32[16] = aten.squeeze.dims(getitem, [0, 2, 3])
    mul_3: f32[16] = aten.mul.Tensor(squeeze_2, 1.0025575447570332)
    mul_4: f32[16] = aten.mul.Tensor(mul_3, 0.1)
    mul_5: f32[16] = aten.mul.Tensor(primals_5, 0.9)
    add_3: f32[16] = aten.add.Tensor(mul_4, mul_5)
    unsqueeze: f32[16, 1] = aten.unsqueeze.default(primals_6, -1)
    unsqueeze_1: f32[16, 1, 1] = aten.unsqueeze.default(unsqueeze, -1)
    mul_6: f32[2, 16, 14, 14] = aten.mul.Tensor(mul, unsqueeze_1)
    unsqueeze_2: f32[16, 1] = aten.unsqueeze.default(primals_7, -1)
    unsqueeze_3: f32[16, 1, 1] = aten.unsqueeze.default(unsqueeze_2, -1)
    add_4: f32[2, 16, 14, 14] = aten.add.Tensor(mul_6, unsqueeze_3)
    relu: f32[2, 16, 14, 14] = aten.relu.default(add_4)
    mean: f32[2, 16, 1, 1] = aten.mean.dim(relu, [-1, -2], True)
    copy_: i64[()] = aten.copy_.default(primals_3, add)
    copy__1: f32[16] = aten.copy_.default(primals_4, add_2)
    copy__2: f32[16] = aten.copy_.default(primals_5, add_3)
    return (mean, primals_1, primals_2, primals_6, primals_7, convolution, getitem_1, rsqrt)


def graph_0_backward(
    primals_1: f32[16, 3, 3, 3],
    primals_2: f32[2, 3, 16, 16],
    primals_6: f32[16],
    primals_7: f32[16],
    convolution: f32[2, 16, 14, 14],
    getitem_1: f32[1, 16, 1, 1],
    rsqrt: f32[1, 16, 1, 1],
    tangents_1: f32[2, 16, 1, 1],
):
    expand: f32[2, 16, 14, 14][16, 1, 0, 0] = aten.expand.default(tangents_1, [2, 16, 14, 14])
    div: f32[2, 16, 14, 14] = aten.div.Scalar(expand, 196)
    sub: f32[2, 16, 14, 14] = aten.sub.Tensor(convolution, getitem_1)
    mul: f32[2, 16, 14, 14] = aten.mul.Tensor(sub, rsqrt)
    unsqueeze: f32[16, 1] = aten.unsqueeze.default(primals_6, -1)
    unsqueeze_1: f32[16, 1, 1] = aten.unsqueeze.default(unsqueeze, -1)
    mul_6: f32[2, 16, 14, 14] = aten.mul.Tensor(mul, unsqueeze_1)
    unsqueeze_2: f32[16, 1] = aten.unsqueeze.default(primals_7, -1)
    unsqueeze_3: f32[16, 1, 1] = aten.unsqueeze.default(unsqueeze_2, -1)
    add_4: f32[2, 16, 14, 14] = aten.add.Tensor(mul_6, unsqueeze_3)
    relu: f32[2, 16, 14, 14] = aten.relu.default(add_4)
    le: b8[2, 16, 14, 14] = aten.le.Scalar(relu, 0)
    full_default: f32[()] = aten.full.default([], 0.0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    where: f32[2, 16, 14, 14] = aten.where.self(le, full_default, div)
    squeeze: f32[16] = aten.squeeze.dims(getitem_1, [0, 2, 3])
    unsqueeze_4: f32[1, 16] = aten.unsqueeze.default(squeeze, 0)
    unsqueeze_5: f32[1, 16, 1] = aten.unsqueeze.default(unsqueeze_4, 2)
    unsqueeze_6: f32[1, 16, 1, 1] = aten.unsqueeze.default(unsqueeze_5, 3)
    sum_1: f32[16] = aten.sum.dim_IntList(where, [0, 2, 3])
    sub_1: f32[2, 16, 14, 14] = aten.sub.Tensor(convolution, unsqueeze_6)
    mul_7: f32[2, 16, 14, 14] = aten.mul.Tensor(where, sub_1)
    sum_2: f32[16] = aten.sum.dim_IntList(mul_7, [0, 2, 3])
    mul_8: f32[16] = aten.mul.Tensor(sum_1, 0.002551020408163265)
    unsqueeze_7: f32[1, 16] = aten.unsqueeze.default(mul_8, 0)
    unsqueeze_8: f32[1, 16, 1] = aten.unsqueeze.default(unsqueeze_7, 2)
    unsqueeze_9: f32[1, 16, 1, 1] = aten.unsqueeze.default(unsqueeze_8, 3)
    mul_9: f32[16] = aten.mul.Tensor(sum_2, 0.002551020408163265)
    squeeze_1: f32[16] = aten.squeeze.dims(rsqrt, [0, 2, 3])
    mul_10: f32[16] = aten.mul.Tensor(squeeze_1, squeeze_1)
    mul_11: f32[16] = aten.mul.Tensor(mul_9, mul_10)
    unsqueeze_10: f32[1, 16] = aten.unsqueeze.default(mul_11, 0)
    unsqueeze_11: f32[1, 16, 1] = aten.unsqueeze.default(unsqueeze_10, 2)
    unsqueeze_12: f32[1, 16, 1, 1] = aten.unsqueeze.default(unsqueeze_11, 3)
    mul_12: f32[16] = aten.mul.Tensor(squeeze_1, primals_6)
    unsqueeze_13: f32[1, 16] = aten.unsqueeze.default(mul_12, 0)
    unsqueeze_14: f32[1, 16, 1] = aten.unsqueeze.default(unsqueeze_13, 2)
    unsqueeze_15: f32[1, 16, 1, 1] = aten.unsqueeze.default(unsqueeze_14, 3)
    mul_13: f32[2, 16, 14, 14] = aten.mul.Tensor(sub_1, unsqueeze_12)
    sub_3: f32[2, 16, 14, 14] = aten.sub.Tensor(where, mul_13)
    sub_4: f32[2, 16, 14, 14] = aten.sub.Tensor(sub_3, unsqueeze_9)
    mul_14: f32[2, 16, 14, 14] = aten.mul.Tensor(sub_4, unsqueeze_15)
    mul_15: f32[16] = aten.mul.Tensor(sum_2, squeeze_1)
    convolution_backward = aten.convolution_backward.default(mul_14, primals_2, primals_1, [0], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [False, True, False])
    getitem_3: f32[16, 3, 3, 3] = convolution_backward[1]
    return (getitem_3, None, None, None, None, mul_15, sum_1)
