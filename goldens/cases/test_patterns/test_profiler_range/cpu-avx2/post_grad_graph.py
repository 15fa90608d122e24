# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 64]):
    # f: x = x.sin()
    sin: f32[64, 64] = aten.sin.default(arg0_1)
    # f: return x.cos()
    cos: f32[64, 64] = aten.cos.default(sin)
    return (cos,)
