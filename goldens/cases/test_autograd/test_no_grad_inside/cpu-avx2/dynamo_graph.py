# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[8]):
    _set_grad_enabled = torch._C._set_grad_enabled(False)
    # f: y = x.sin()
    y: f32[8] = l_x_.sin()
    _set_grad_enabled_1 = torch._C._set_grad_enabled(True)
    # f: return y * x
    mul: f32[8] = operator.mul(y, l_x_)
    return (mul,)
