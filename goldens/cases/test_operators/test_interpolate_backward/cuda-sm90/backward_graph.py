# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: backward_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_backward(
    convert_element_type_1: i64[16, 1],
    clamp_max: i64[16, 1],
    convert_element_type_3: i64[16],
    clamp_max_1: i64[16],
    clamp_max_2: f32[16],
    clamp_max_3: f32[16, 1],
    tangents_1: f32[2, 4, 16, 16],
):
    # <lambda>: captured = compile_stages(lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"), x, train=True)
    mul_5: f32[2, 4, 16, 16] = aten.mul.Tensor(tangents_1, clamp_max_3)
    neg: f32[2, 4, 16, 16] = aten.neg.default(mul_5)
    add_7: f32[2, 4, 16, 16] = aten.add.Tensor(tangents_1, neg)
    mul_6: f32[2, 4, 16, 16] = aten.mul.Tensor(mul_5, clamp_max_2)
    neg_1: f32[2, 4, 16, 16] = aten.neg.default(mul_6)
    add_8: f32[2, 4, 16, 16] = aten.add.Tensor(mul_5, neg_1)
    mul_7: f32[2, 4, 16, 16] = aten.mul.Tensor(add_7, clamp_max_2)
    neg_2: f32[2, 4, 16, 16] = aten.neg.default(mul_7)
    add_9: f32[2, 4, 16, 16] = aten.add.Tensor(add_7, neg_2)
    full_default: f32[2, 4, 8, 8] = aten.full.default([2, 4, 8, 8], 0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    index_put: f32[2, 4, 8, 8] = aten.index_put.default(full_default, [None, None, clamp_max, clamp_max_1], mul_6, True)
    index_put_1: f32[2, 4, 8, 8] = aten.index_put.default(full_default, [None, None, clamp_max, convert_element_type_3], add_8, True)
    add_10: f32[2, 4, 8, 8] = aten.add.Tensor(index_put, index_put_1)
    index_put_2: f32[2, 4, 8, 8] = aten.index_put.default(full_default, [None, None, convert_element_type_1, clamp_max_1], mul_7, True)
    add_11: f32[2, 4, 8, 8] = aten.add.Tensor(add_10, index_put_2)
    index_put_3: f32[2, 4, 8, 8] = aten.index_put.default(full_default, [None, None, convert_element_type_1, convert_element_type_3], add_9, True)
    add_12: f32[2, 4, 8, 8] = aten.add.Tensor(add_11, index_put_3)
    return (add_12,)
