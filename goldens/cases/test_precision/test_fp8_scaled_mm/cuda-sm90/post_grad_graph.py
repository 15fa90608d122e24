# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: float8_e4m3fn[512, 256], arg1_1: float8_e4m3fn[128, 256], arg2_1: f32[()]):
    # f: return torch._scaled_mm(x, weight.t(), scale, scale, out_dtype=torch.bfloat16).relu()
    permute: float8_e4m3fn[256, 512][1, 256] = aten.permute.default(arg0_1, [1, 0])
    _scaled_mm: bf16[128, 512] = aten._scaled_mm.default(arg1_1, permute, arg2_1, arg2_1, None, None, torch.bfloat16)
    relu: bf16[128, 512] = aten.relu.default(_scaled_mm)
    return (relu,)
