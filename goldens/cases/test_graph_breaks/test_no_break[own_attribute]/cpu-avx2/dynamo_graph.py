# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[8]):
    # own_attribute: y = x.sin()
    y: f32[8] = l_x_.sin()
    # own_attribute: return y * y.tag  # type: ignore[attr-defined]
    mul: f32[8] = operator.mul(y, 2.0)
    return (mul,)
