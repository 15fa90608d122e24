# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f16[64, 256]):
    # f: return x.to(torch.float32).to(torch.bfloat16).to(torch.float32) + 1
    convert_element_type_default: bf16[64, 256] = prims.convert_element_type.default(arg0_1, torch.bfloat16)
    convert_element_type_2: f32[64, 256] = prims.convert_element_type.default(convert_element_type_default, torch.float32)
    add: f32[64, 256] = aten.add.Tensor(convert_element_type_2, 1)
    return (add,)
