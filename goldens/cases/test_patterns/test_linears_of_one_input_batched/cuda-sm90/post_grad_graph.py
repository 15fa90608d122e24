# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(
    arg0_1: f32[64, 32],
    arg1_1: f32[24, 32],
    arg2_1: f32[24, 32],
    arg3_1: f32[24, 32],
    arg4_1: f32[24, 32],
    arg5_1: f32[24, 32],
    arg6_1: f32[24, 32],
):
    cat: f32[144, 32] = aten.cat.default([arg1_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1])
    permute: f32[32, 144][1, 32] = aten.permute.default(cat, [1, 0])
    mm: f32[64, 144] = aten.mm.default(arg0_1, permute)
    # f: return torch.cat([F.linear(x, weight) for weight in weights], 1).sigmoid()
    splitwithsizes_cat_replace: f32[64, 144] = torch._inductor.fx_passes.post_grad.splitwithsizes_cat_replace(input_=mm)
    sigmoid: f32[64, 144] = aten.sigmoid.default(splitwithsizes_cat_replace)
    return (sigmoid,)
