# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(
    primals_1: f32[256, 128],
    primals_2: f32[256],
    primals_3: f32[64, 128],
    primals_4: f32[256],
    primals_5: f32[256],
):
    # f: return model(x)
    convert_element_type: bf16[256] = prims.convert_element_type.default(primals_2, torch.bfloat16)
    convert_element_type_1: bf16[256, 128] = prims.convert_element_type.default(primals_1, torch.bfloat16)
    convert_element_type_2: bf16[64, 128] = prims.convert_element_type.default(primals_3, torch.bfloat16)
    permute: bf16[128, 256][1, 128] = aten.permute.default(convert_element_type_1, [1, 0])
    addmm: bf16[64, 256] = aten.addmm.default(convert_element_type, convert_element_type_2, permute)
    convert_element_type_6: f32[64, 256] = prims.convert_element_type.default(addmm, torch.float32)
    var_mean = aten.var_mean.correction(convert_element_type_6, [1], correction=0, keepdim=True)
    getitem: f32[64, 1] = var_mean[0]
    getitem_1: f32[64, 1] = var_mean[1]
    add: f32[64, 1] = aten.add.Tensor(getitem, 1e-05)
    rsqrt: f32[64, 1] = aten.rsqrt.default(add)
    sub: f32[64, 256] = aten.sub.Tensor(convert_element_type_6, getitem_1)
    mul: f32[64, 256] = aten.mul.Tensor(sub, rsqrt)
    mul_1: f32[64, 256] = aten.mul.Tensor(mul, primals_4)
    add_1: f32[64, 256] = aten.add.Tensor(mul_1, primals_5)
    convert_element_type_7: bf16[64, 256] = prims.convert_element_type.default(add_1, torch.bfloat16)
    convert_element_type_8: bf16[64, 1] = prims.convert_element_type.default(getitem_1, torch.bfloat16)
    convert_element_type_9: bf16[64, 1] = prims.convert_element_type.default(rsqrt, torch.bfloat16)
    return (convert_element_type_7, primals_4, convert_element_type_2, addmm, convert_element_type_8, convert_element_type_9)


def graph_0_backward(
    primals_4: f32[256],
    convert_element_type_2: bf16[64, 128],
    addmm: bf16[64, 256],
    convert_element_type_8: bf16[64, 1],
    convert_element_type_9: bf16[64, 1],
    tangents_1: bf16[64, 256],
):
    # f: return model(x)
    convert_element_type_10: f32[64, 256] = prims.convert_element_type.default(tangents_1, torch.float32)
    convert_element_type_6: f32[64, 256] = prims.convert_element_type.default(addmm, torch.float32)
    sub_1: f32[64, 256] = aten.sub.Tensor(convert_element_type_6, convert_element_type_8)
    mul_2: f32[64, 256] = aten.mul.Tensor(sub_1, convert_element_type_9)
    mul_3: f32[64, 256] = aten.mul.Tensor(convert_element_type_10, primals_4)
    mul_4: f32[64, 256] = aten.mul.Tensor(mul_3, 256)
    sum_1: f32[64, 1] = aten.sum.dim_IntList(mul_3, [1], True)
    mul_5: f32[64, 256] = aten.mul.Tensor(mul_3, mul_2)
    sum_2: f32[64, 1] = aten.sum.dim_IntList(mul_5, [1], True)
    mul_6: f32[64, 256] = aten.mul.Tensor(mul_2, sum_2)
    sub_2: f32[64, 256] = aten.sub.Tensor(mul_4, sum_1)
    sub_3: f32[64, 256] = aten.sub.Tensor(sub_2, mul_6)
    div: bf16[64, 1] = aten.div.Tensor(convert_element_type_9, 256)
    mul_7: f32[64, 256] = aten.mul.Tensor(div, sub_3)
    mul_8: f32[64, 256] = aten.mul.Tensor(convert_element_type_10, mul_2)
    sum_3: f32[256] = aten.sum.dim_IntList(mul_8, [0])
    sum_4: f32[256] = aten.sum.dim_IntList(convert_element_type_10, [0])
    convert_element_type_12: bf16[64, 256] = prims.convert_element_type.default(mul_7, torch.bfloat16)
    permute_1: bf16[256, 64][1, 256] = aten.permute.default(convert_element_type_12, [1, 0])
    mm: bf16[256, 128] = aten.mm.default(permute_1, convert_element_type_2)
    sum_5: bf16[1, 256] = aten.sum.dim_IntList(convert_element_type_12, [0], True)
    view: bf16[256] = aten.reshape.default(sum_5, [256])
    convert_element_type_15: f32[256, 128] = prims.convert_element_type.default(mm, torch.float32)
    convert_element_type_16: f32[256] = prims.convert_element_type.default(view, torch.float32)
    return (convert_element_type_15, convert_element_type_16, None, sum_3, sum_4)
