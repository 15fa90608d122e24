# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 256]):
    # f: return x.view(-1, 256).sin().view(64, 8, 32).view(64, 256).cos()
    sin: f32[64, 256] = aten.sin.default(arg0_1)
    cos: f32[64, 256] = aten.cos.default(sin)
    return (cos,)
