# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1

def graph_0_forward(
    primals_1: f32[64, 64],
    primals_2: f32[64, 64],
    primals_3: f32[64, 64],
    primals_4: f32[64, 64],
):
    # f: first = x.exp()
    exp: f32[64, 64] = aten.exp.default(primals_1)
    # f: x = F.gelu(x @ weight)
    mm: f32[64, 64] = aten.mm.default(exp, primals_2)
    mul: f32[64, 64] = aten.mul.Tensor(mm, 0.5)
    mul_1: f32[64, 64] = aten.mul.Tensor(mm, 0.7071067811865476)
    erf: f32[64, 64] = aten.erf.default(mul_1)
    add: f32[64, 64] = aten.add.Tensor(erf, 1)
    mul_2: f32[64, 64] = aten.mul.Tensor(mul, add)
    mm_1: f32[64, 64] = aten.mm.default(mul_2, primals_3)
    mul_3: f32[64, 64] = aten.mul.Tensor(mm_1, 0.5)
    mul_4: f32[64, 64] = aten.mul.Tensor(mm_1, 0.7071067811865476)
    erf_1: f32[64, 64] = aten.erf.default(mul_4)
    add_1: f32[64, 64] = aten.add.Tensor(erf_1, 1)
    mul_5: f32[64, 64] = aten.mul.Tensor(mul_3, add_1)
    mm_2: f32[64, 64] = aten.mm.default(mul_5, primals_4)
    mul_6: f32[64, 64] = aten.mul.Tensor(mm_2, 0.5)
    mul_7: f32[64, 64] = aten.mul.Tensor(mm_2, 0.7071067811865476)
    erf_2: f32[64, 64] = aten.erf.default(mul_7)
    add_2: f32[64, 64] = aten.add.Tensor(erf_2, 1)
    mul_8: f32[64, 64] = aten.mul.Tensor(mul_6, add_2)
    # f: return x * first.cos()
    cos: f32[64, 64] = aten.cos.default(exp)
    mul_9: f32[64, 64] = aten.mul.Tensor(mul_8, cos)
    # f: x = F.gelu(x @ weight)
    permute: f32[64, 64][1, 64] = aten.permute.default(mul_5, [1, 0])
    permute_1: f32[64, 64][1, 64] = aten.permute.default(primals_4, [1, 0])
    permute_2: f32[64, 64][1, 64] = aten.permute.default(mul_2, [1, 0])
    permute_3: f32[64, 64][1, 64] = aten.permute.default(primals_3, [1, 0])
    permute_5: f32[64, 64][1, 64] = aten.permute.default(primals_2, [1, 0])
    return (mul_9, exp, mm, mm_1, mm_2, cos, permute, permute_1, permute_2, permute_3, permute_5)


def graph_0_backward(
    exp: f32[64, 64],
    mm: f32[64, 64],
    mm_1: f32[64, 64],
    mm_2: f32[64, 64],
    cos: f32[64, 64],
    permute: f32[64, 64][1, 64],
    permute_1: f32[64, 64][1, 64],
    permute_2: f32[64, 64][1, 64],
    permute_3: f32[64, 64][1, 64],
    permute_5: f32[64, 64][1, 64],
    tangents_1: f32[64, 64],
):
    # f: x = F.gelu(x @ weight)
    mul_6: f32[64, 64] = aten.mul.Tensor(mm_2, 0.5)
    mul_7: f32[64, 64] = aten.mul.Tensor(mm_2, 0.7071067811865476)
    erf_2: f32[64, 64] = aten.erf.default(mul_7)
    add_2: f32[64, 64] = aten.add.Tensor(erf_2, 1)
    mul_8: f32[64, 64] = aten.mul.Tensor(mul_6, add_2)
    # f: return x * first.cos()
    mul_10: f32[64, 64] = aten.mul.Tensor(tangents_1, mul_8)
    mul_11: f32[64, 64] = aten.mul.Tensor(tangents_1, cos)
    sin: f32[64, 64] = aten.sin.default(exp)
    neg: f32[64, 64] = aten.neg.default(sin)
    mul_12: f32[64, 64] = aten.mul.Tensor(mul_10, neg)
    # f: x = F.gelu(x @ weight)
    mul_14: f32[64, 64] = aten.mul.Tensor(add_2, 0.5)
    mul_15: f32[64, 64] = aten.mul.Tensor(mm_2, mm_2)
    mul_16: f32[64, 64] = aten.mul.Tensor(mul_15, -0.5)
    exp_1: f32[64, 64] = aten.exp.default(mul_16)
    mul_17: f32[64, 64] = aten.mul.Tensor(exp_1, 0.3989422804014327)
    mul_18: f32[64, 64] = aten.mul.Tensor(mm_2, mul_17)
    add_4: f32[64, 64] = aten.add.Tensor(mul_14, mul_18)
    mul_19: f32[64, 64] = aten.mul.Tensor(mul_11, add_4)
    mm_3: f32[64, 64] = aten.mm.default(permute, mul_19)
    mm_4: f32[64, 64] = aten.mm.default(mul_19, permute_1)
    mul_4: f32[64, 64] = aten.mul.Tensor(mm_1, 0.7071067811865476)
    erf_1: f32[64, 64] = aten.erf.default(mul_4)
    add_1: f32[64, 64] = aten.add.Tensor(erf_1, 1)
    mul_21: f32[64, 64] = aten.mul.Tensor(add_1, 0.5)
    mul_22: f32[64, 64] = aten.mul.Tensor(mm_1, mm_1)
    mul_23: f32[64, 64] = aten.mul.Tensor(mul_22, -0.5)
    exp_2: f32[64, 64] = aten.exp.default(mul_23)
    mul_24: f32[64, 64] = aten.mul.Tensor(exp_2, 0.3989422804014327)
    mul_25: f32[64, 64] = aten.mul.Tensor(mm_1, mul_24)
    add_6: f32[64, 64] = aten.add.Tensor(mul_21, mul_25)
    mul_26: f32[64, 64] = aten.mul.Tensor(mm_4, add_6)
    mm_5: f32[64, 64] = aten.mm.default(permute_2, mul_26)
    mm_6: f32[64, 64] = aten.mm.default(mul_26, permute_3)
    mul_1: f32[64, 64] = aten.mul.Tensor(mm, 0.7071067811865476)
    erf: f32[64, 64] = aten.erf.default(mul_1)
    add: f32[64, 64] = aten.add.Tensor(erf, 1)
    mul_28: f32[64, 64] = aten.mul.Tensor(add, 0.5)
    mul_29: f32[64, 64] = aten.mul.Tensor(mm, mm)
    mul_30: f32[64, 64] = aten.mul.Tensor(mul_29, -0.5)
    exp_3: f32[64, 64] = aten.exp.default(mul_30)
    mul_31: f32[64, 64] = aten.mul.Tensor(exp_3, 0.3989422804014327)
    mul_32: f32[64, 64] = aten.mul.Tensor(mm, mul_31)
    add_8: f32[64, 64] = aten.add.Tensor(mul_28, mul_32)
    mul_33: f32[64, 64] = aten.mul.Tensor(mm_6, add_8)
    permute_4: f32[64, 64][1, 64] = aten.permute.default(exp, [1, 0])
    mm_7: f32[64, 64] = aten.mm.default(permute_4, mul_33)
    addmm_default: f32[64, 64] = aten.addmm.default(mul_12, mul_33, permute_5)
    # f: first = x.exp()
    mul_34: f32[64, 64] = aten.mul.Tensor(addmm_default, exp)
    return (mul_34, mm_7, mm_5, mm_3)
