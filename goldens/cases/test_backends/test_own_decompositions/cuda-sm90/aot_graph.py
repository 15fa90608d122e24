# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: aot_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[8, 16]):
    sigmoid: f32[8, 16] = aten.sigmoid.default(arg0_1)
    mul: f32[8, 16] = aten.mul.Tensor(arg0_1, sigmoid)
    return (mul,)
