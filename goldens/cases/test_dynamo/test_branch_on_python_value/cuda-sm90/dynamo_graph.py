# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[64, 64]):
    # f: return x * scale if scale > 1 else x + scale
    mul: f32[64, 64] = operator.mul(l_x_, 2.0)
    return (mul,)
