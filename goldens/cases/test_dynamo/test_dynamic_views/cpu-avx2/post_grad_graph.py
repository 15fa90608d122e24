# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(
    arg0_1: Sym(s77),
    arg1_1: Sym(s27),
    arg2_1: f32[s77, s27],
    arg3_1: Sym(s36),
    arg4_1: f32[s36, s27],
):
    # f: return torch.cat([x.view(length * width), weight.view(-1)]).view(-1, width).softmax(-1) @ weight.t()
    mul: Sym(s27*s77) = operator.mul(arg0_1, arg1_1)
    view: f32[s27*s77] = aten.reshape.default(arg2_1, [mul])
    view_1: f32[s27*s36] = aten.reshape.default(arg4_1, [-1])
    cat: f32[s27*s36 + s27*s77] = aten.cat.default([view, view_1])
    view_2: f32[s36 + s77, s27] = aten.reshape.default(cat, [-1, arg1_1])
    amax: f32[s36 + s77, 1] = aten.amax.default(view_2, [-1], True)
    sub_5: f32[s36 + s77, s27] = aten.sub.Tensor(view_2, amax)
    exp: f32[s36 + s77, s27] = aten.exp.default(sub_5)
    sum_1: f32[s36 + s77, 1] = aten.sum.dim_IntList(exp, [-1], True)
    div: f32[s36 + s77, s27] = aten.div.Tensor(exp, sum_1)
    permute: f32[s27, s36][1, s27] = aten.permute.default(arg4_1, [1, 0])
    mm: f32[s36 + s77, s36] = aten.mm.default(div, permute)
    return (mm,)
