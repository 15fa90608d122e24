# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[64]):
    # squares: return (x.sin() ** 2).sum()
    sin: f32[64] = l_x_.sin()
    pow_1: f32[64] = operator.pow(sin, 2)
    sum_1: f32[()] = pow_1.sum()
    return (sum_1,)
