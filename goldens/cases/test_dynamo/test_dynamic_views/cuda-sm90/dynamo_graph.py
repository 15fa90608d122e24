# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(s77: Sym(s77), s27: Sym(s27), l_x_: f32[s77, s27], s36: Sym(s36), l_weight_: f32[s36, s27]):
    # f: return torch.cat([x.view(length * width), weight.view(-1)]).view(-1, width).softmax(-1) @ weight.t()
    mul: Sym(s27*s77) = operator.mul(s77, s27)
    view: f32[s27*s77] = l_x_.view(mul)
    view_1: f32[s27*s36] = l_weight_.view(-1)
    cat: f32[s27*s36 + s27*s77] = torch._VariableFunctionsClass.cat([view, view_1])
    view_2: f32[s36 + s77, s27] = cat.view(-1, s27)
    softmax: f32[s36 + s77, s27] = view_2.softmax(-1)
    t: f32[s27, s36][1, s27] = l_weight_.t()
    matmul: f32[s36 + s77, s36] = operator.matmul(softmax, t)
    return (matmul,)
