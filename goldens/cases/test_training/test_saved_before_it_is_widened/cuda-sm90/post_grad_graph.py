# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: bf16[64, 64], primals_2: bf16[64, 64]):
    # f: wide = (x @ weight).float()
    mm: bf16[64, 64] = aten.mm.default(primals_1, primals_2)
    convert_element_type_2: f32[64, 64] = prims.convert_element_type.default(mm, torch.float32)
    # f: wide = wide * 1.5 + step
    mul: f32[64, 64] = aten.mul.Tensor(convert_element_type_2, 1.5)
    add: f32[64, 64] = aten.add.Tensor(mul, 0)
    mul_1: f32[64, 64] = aten.mul.Tensor(add, 1.5)
    add_1: f32[64, 64] = aten.add.Tensor(mul_1, 1)
    mul_2: f32[64, 64] = aten.mul.Tensor(add_1, 1.5)
    add_2: f32[64, 64] = aten.add.Tensor(mul_2, 2)
    mul_3: f32[64, 64] = aten.mul.Tensor(add_2, 1.5)
    add_3: f32[64, 64] = aten.add.Tensor(mul_3, 3)
    mul_4: f32[64, 64] = aten.mul.Tensor(add_3, 1.5)
    add_4: f32[64, 64] = aten.add.Tensor(mul_4, 4)
    mul_5: f32[64, 64] = aten.mul.Tensor(add_4, 1.5)
    add_5: f32[64, 64] = aten.add.Tensor(mul_5, 5)
    mul_6: f32[64, 64] = aten.mul.Tensor(add_5, 1.5)
    add_6: f32[64, 64] = aten.add.Tensor(mul_6, 6)
    mul_7: f32[64, 64] = aten.mul.Tensor(add_6, 1.5)
    add_7: f32[64, 64] = aten.add.Tensor(mul_7, 7)
    mul_8: f32[64, 64] = aten.mul.Tensor(add_7, 1.5)
    add_8: f32[64, 64] = aten.add.Tensor(mul_8, 8)
    mul_9: f32[64, 64] = aten.mul.Tensor(add_8, 1.5)
    add_9: f32[64, 64] = aten.add.Tensor(mul_9, 9)
    # f: return wide.cos()
    cos: f32[64, 64] = aten.cos.default(add_9)
    sin: f32[64, 64] = aten.sin.default(add_9)
    neg: f32[64, 64] = aten.neg.default(sin)
    # f: wide = (x @ weight).float()
    permute: bf16[64, 64][1, 64] = aten.permute.default(primals_1, [1, 0])
    permute_1: bf16[64, 64][1, 64] = aten.permute.default(primals_2, [1, 0])
    return (cos, neg, permute, permute_1)


def graph_0_backward(
    neg: f32[64, 64],
    permute: bf16[64, 64][1, 64],
    permute_1: bf16[64, 64][1, 64],
    tangents_1: f32[64, 64],
):
    # f: return wide.cos()
    mul_10: f32[64, 64] = aten.mul.Tensor(tangents_1, neg)
    # f: wide = wide * 1.5 + step
    mul_11: f32[64, 64] = aten.mul.Tensor(mul_10, 1.5)
    mul_12: f32[64, 64] = aten.mul.Tensor(mul_11, 1.5)
    mul_13: f32[64, 64] = aten.mul.Tensor(mul_12, 1.5)
    mul_14: f32[64, 64] = aten.mul.Tensor(mul_13, 1.5)
    mul_15: f32[64, 64] = aten.mul.Tensor(mul_14, 1.5)
    mul_16: f32[64, 64] = aten.mul.Tensor(mul_15, 1.5)
    mul_17: f32[64, 64] = aten.mul.Tensor(mul_16, 1.5)
    mul_18: f32[64, 64] = aten.mul.Tensor(mul_17, 1.5)
    mul_19: f32[64, 64] = aten.mul.Tensor(mul_18, 1.5)
    mul_20: f32[64, 64] = aten.mul.Tensor(mul_19, 1.5)
    # f: wide = (x @ weight).float()
    convert_element_type_3: bf16[64, 64] = prims.convert_element_type.default(mul_20, torch.bfloat16)
    mm_1: bf16[64, 64] = aten.mm.default(permute, convert_element_type_3)
    mm_2: bf16[64, 64] = aten.mm.default(convert_element_type_3, permute_1)
    return (mm_2, mm_1)
