# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 64]):
    # f: return x * scale if scale > 1 else x + scale
    mul: f32[64, 64] = aten.mul.Tensor(arg0_1, 2.0)
    return (mul,)
