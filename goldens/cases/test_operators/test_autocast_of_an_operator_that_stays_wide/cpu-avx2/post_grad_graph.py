# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[8, 8]):
    # f: return torch.softmax(x @ x, -1)
    convert_element_type_1: bf16[8, 8] = prims.convert_element_type.default(arg0_1, torch.bfloat16)
    convert_element_type: bf16[8, 8] = prims.convert_element_type.default(arg0_1, torch.bfloat16)
    mm: bf16[8, 8] = aten.mm.default(convert_element_type_1, convert_element_type)
    convert_element_type_4: f32[8, 8] = prims.convert_element_type.default(mm, torch.float32)
    amax: f32[8, 1] = aten.amax.default(convert_element_type_4, [-1], True)
    sub: f32[8, 8] = aten.sub.Tensor(convert_element_type_4, amax)
    exp: f32[8, 8] = aten.exp.default(sub)
    sum_1: f32[8, 1] = aten.sum.dim_IntList(exp, [-1], True)
    div: f32[8, 8] = aten.div.Tensor(exp, sum_1)
    convert_element_type_5: bf16[8, 8] = prims.convert_element_type.default(div, torch.bfloat16)
    return (convert_element_type_5,)
