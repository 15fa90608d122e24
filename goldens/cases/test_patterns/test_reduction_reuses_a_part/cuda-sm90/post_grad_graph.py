# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[256, 1024]):
    # f: magnitude = x.abs()
    abs_1: f32[256, 1024] = aten.abs.default(arg0_1)
    # f: return magnitude.amax(-1, keepdim=True), magnitude.max()
    amax_default: f32[256, 1] = aten.amax.default(abs_1, [-1], True)
    max_default: f32[()] = aten.max.default(amax_default)
    return (amax_default, max_default)
