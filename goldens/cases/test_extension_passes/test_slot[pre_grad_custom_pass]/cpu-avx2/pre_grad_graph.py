# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: pre_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[64]):
    # wave: return (x.sin() + 1).relu()
    sin: f32[64] = l_x_.cos()
    add: f32[64] = operator.add(sin, 1)
    relu: f32[64] = add.relu()
    return (relu,)
