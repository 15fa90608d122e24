# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(
    primals_1: f32[1024, 256],
    primals_2: f32[1024],
    primals_3: f32[128, 256],
    primals_4: f32[256, 1024],
    primals_5: f32[256],
):
    permute: f32[256, 1024][1, 256] = aten.permute.default(primals_1, [1, 0])
    addmm: f32[128, 1024] = aten.addmm.default(primals_2, primals_3, permute)
    mul: f32[128, 1024] = aten.mul.Tensor(addmm, 0.5)
    mul_1: f32[128, 1024] = aten.mul.Tensor(addmm, 0.7071067811865476)
    erf: f32[128, 1024] = aten.erf.default(mul_1)
    add: f32[128, 1024] = aten.add.Tensor(erf, 1)
    mul_2: f32[128, 1024] = aten.mul.Tensor(mul, add)
    permute_1: f32[1024, 256][1, 1024] = aten.permute.default(primals_4, [1, 0])
    addmm_1: f32[128, 256] = aten.addmm.default(primals_5, mul_2, permute_1)
    return (addmm_1, primals_3, primals_4, addmm, mul_2)


def graph_0_backward(
    primals_3: f32[128, 256],
    primals_4: f32[256, 1024],
    addmm: f32[128, 1024],
    mul_2: f32[128, 1024],
    tangents_1: f32[128, 256],
):
    permute_1: f32[1024, 256][1, 1024] = aten.permute.default(primals_4, [1, 0])
    permute_2: f32[256, 1024] = aten.permute.default(permute_1, [1, 0])
    mm: f32[128, 1024] = aten.mm.default(tangents_1, permute_2)
    permute_3: f32[256, 128][1, 256] = aten.permute.default(tangents_1, [1, 0])
    mm_1: f32[256, 1024] = aten.mm.default(permute_3, mul_2)
    sum_1: f32[1, 256] = aten.sum.dim_IntList(tangents_1, [0], True)
    view: f32[256] = aten.reshape.default(sum_1, [256])
    mul_1: f32[128, 1024] = aten.mul.Tensor(addmm, 0.7071067811865476)
    erf: f32[128, 1024] = aten.erf.default(mul_1)
    add: f32[128, 1024] = aten.add.Tensor(erf, 1)
    mul_4: f32[128, 1024] = aten.mul.Tensor(add, 0.5)
    mul_5: f32[128, 1024] = aten.mul.Tensor(addmm, addmm)
    mul_6: f32[128, 1024] = aten.mul.Tensor(mul_5, -0.5)
    exp: f32[128, 1024] = aten.exp.default(mul_6)
    mul_7: f32[128, 1024] = aten.mul.Tensor(exp, 0.3989422804014327)
    mul_8: f32[128, 1024] = aten.mul.Tensor(addmm, mul_7)
    add_2: f32[128, 1024] = aten.add.Tensor(mul_4, mul_8)
    mul_9: f32[128, 1024] = aten.mul.Tensor(mm, add_2)
    permute_6: f32[1024, 128][1, 1024] = aten.permute.default(mul_9, [1, 0])
    mm_2: f32[1024, 256] = aten.mm.default(permute_6, primals_3)
    sum_2: f32[1, 1024] = aten.sum.dim_IntList(mul_9, [0], True)
    view_1: f32[1024] = aten.reshape.default(sum_2, [1024])
    return (mm_2, view_1, None, mm_1, view)
