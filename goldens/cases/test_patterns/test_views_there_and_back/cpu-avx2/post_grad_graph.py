# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 256]):
    # f: split = x.view(64, 8, 32).permute(1, 0, 2).permute(1, 0, 2).view(64, 256)
    view: f32[64, 8, 32] = aten.reshape.default(arg0_1, [64, 8, 32])
    view_1: f32[64, 256] = aten.reshape.default(view, [64, 256])
    # f: return split.view(64, 256).sin()
    sin: f32[64, 256] = aten.sin.default(view_1)
    return (sin,)
