# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: bf16[64, 256], arg1_1: f32[256]):
    # f: return (x.float() * scale).to(torch.bfloat16) + x
    convert_element_type: f32[64, 256] = prims.convert_element_type.default(arg0_1, torch.float32)
    mul: f32[64, 256] = aten.mul.Tensor(convert_element_type, arg1_1)
    convert_element_type_1: bf16[64, 256] = prims.convert_element_type.default(mul, torch.bfloat16)
    add: bf16[64, 256] = aten.add.Tensor(convert_element_type_1, arg0_1)
    return (add,)
