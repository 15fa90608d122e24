# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: bf16[512, 512], arg1_1: f16[512, 512]):
    # f: return x.to(torch.float16) @ weight
    convert_element_type: f16[512, 512] = prims.convert_element_type.default(arg0_1, torch.float16)
    mm: f16[512, 512] = aten.mm.default(convert_element_type, arg1_1)
    return (mm,)
