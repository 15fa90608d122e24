# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64]):
    # wave: return (x.sin() + 1).relu()
    sin: f32[64] = aten.sin.default(arg0_1)
    add: f32[64] = aten.add.Tensor(sin, 1)
    relu: f32[64] = aten.relu.default(add)
    return (relu,)
