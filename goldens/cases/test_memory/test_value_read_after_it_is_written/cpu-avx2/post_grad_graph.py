# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[128, 64], arg1_1: f32[4, 64], arg2_1: i64[4]):
    # f: updated = x.index_put((index,), values)
    index_put: f32[128, 64] = aten.index_put.default(arg0_1, [arg2_1], arg1_1)
    # f: return updated.sin(), x.cos()
    sin: f32[128, 64] = aten.sin.default(index_put)
    cos: f32[128, 64] = aten.cos.default(arg0_1)
    return (sin, cos)
