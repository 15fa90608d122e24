# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: i8[32, 64], arg1_1: bf16[8, 64], arg2_1: bf16[32]):
    # f: return F.linear(x, weight.to(x.dtype)) * scale
    convert_element_type: bf16[32, 64] = prims.convert_element_type.default(arg0_1, torch.bfloat16)
    permute: bf16[64, 32][1, 64] = aten.permute.default(convert_element_type, [1, 0])
    mm: bf16[8, 32] = aten.mm.default(arg1_1, permute)
    mul: bf16[8, 32] = aten.mul.Tensor(mm, arg2_1)
    return (mul,)
