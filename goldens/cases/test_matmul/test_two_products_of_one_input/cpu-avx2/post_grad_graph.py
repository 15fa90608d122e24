# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[128, 512], arg1_1: f32[512, 1408], arg2_1: f32[512, 1408]):
    # f: return F.silu(x @ gate) * (x @ up)
    mm: f32[128, 1408] = aten.mm.default(arg0_1, arg1_1)
    neg: f32[128, 1408] = aten.neg.default(mm)
    exp: f32[128, 1408] = aten.exp.default(neg)
    add: f32[128, 1408] = aten.add.Tensor(exp, 1)
    div: f32[128, 1408] = aten.div.Tensor(mm, add)
    mm_1: f32[128, 1408] = aten.mm.default(arg0_1, arg2_1)
    mul: f32[128, 1408] = aten.mul.Tensor(div, mm_1)
    return (mul,)
