# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 256]):
    # f: return torch.ops.aten.slice.Tensor(cast, 1, 0, 256).sin()
    sin: f32[64, 256] = aten.sin.default(arg0_1)
    return (sin,)
