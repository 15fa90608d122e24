# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[64, 64]):
    # f: y = x.sin() * 2
    sin: f32[64, 64] = l_x_.sin()
    y: f32[64, 64] = operator.mul(sin, 2)
    return (y,)


def graph_1(l_y_: f32[64, 64]):
    # torch_dynamo_resume_in_f: return y.cos() + 1
    cos: f32[64, 64] = l_y_.cos()
    add: f32[64, 64] = operator.add(cos, 1)
    return (add,)
