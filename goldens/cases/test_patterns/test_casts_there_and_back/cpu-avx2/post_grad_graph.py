# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f16[64, 256]):
    # f: return x.to(torch.float32).to(torch.bfloat16).to(torch.float32) + 1
    convert_element_type: f32[64, 256] = prims.convert_element_type.default(arg0_1, torch.float32)
    add: f32[64, 256] = aten.add.Tensor(convert_element_type, 1)
    return (add,)
