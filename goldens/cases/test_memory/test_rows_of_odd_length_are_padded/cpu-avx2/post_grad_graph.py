# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[2048, 64], arg1_1: f32[64, 2047]):
    # f: return torch.softmax(x @ weight, -1) @ weight.t()
    mm: f32[2048, 2047] = aten.mm.default(arg0_1, arg1_1)
    amax: f32[2048, 1] = aten.amax.default(mm, [-1], True)
    sub: f32[2048, 2047] = aten.sub.Tensor(mm, amax)
    exp: f32[2048, 2047] = aten.exp.default(sub)
    sum_1: f32[2048, 1] = aten.sum.dim_IntList(exp, [-1], True)
    div: f32[2048, 2047] = aten.div.Tensor(exp, sum_1)
    permute: f32[2047, 64][1, 2047] = aten.permute.default(arg1_1, [1, 0])
    mm_1: f32[2048, 64] = aten.mm.default(div, permute)
    return (mm_1,)
