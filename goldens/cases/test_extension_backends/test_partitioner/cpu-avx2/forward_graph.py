# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: forward_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[64]):
    # f: return x.sin().cos().exp()
    sin: f32[64] = aten.sin.default(primals_1)
    cos: f32[64] = aten.cos.default(sin)
    exp: f32[64] = aten.exp.default(cos)
    return (exp, primals_1, sin, exp)


graph_0_forward_saves = [primals_1, sin, exp]
