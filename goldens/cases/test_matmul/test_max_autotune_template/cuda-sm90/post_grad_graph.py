# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f16[1024, 1024], arg1_1: f16[1024, 1024]):
    # f: return F.relu(x @ weight)
    mm: f16[1024, 1024] = aten.mm.default(arg0_1, arg1_1)
    relu: f16[1024, 1024] = aten.relu.default(mm)
    return (relu,)
