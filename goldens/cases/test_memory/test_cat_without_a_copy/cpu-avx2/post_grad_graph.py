# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 128], arg1_1: f32[128, 96], arg2_1: f32[64, 32]):
    # f: return torch.cat([x @ weight, y.softmax(-1)], 1)
    mm: f32[64, 96] = aten.mm.default(arg0_1, arg1_1)
    amax: f32[64, 1] = aten.amax.default(arg2_1, [-1], True)
    sub: f32[64, 32] = aten.sub.Tensor(arg2_1, amax)
    exp: f32[64, 32] = aten.exp.default(sub)
    sum_1: f32[64, 1] = aten.sum.dim_IntList(exp, [-1], True)
    div: f32[64, 32] = aten.div.Tensor(exp, sum_1)
    cat: f32[64, 128] = aten.cat.default([mm, div], 1)
    return (cat,)
