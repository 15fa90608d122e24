# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[1024, 64], arg1_1: f32[16, 64], arg2_1: i64[16]):
    # f: return torch.ops.aten.index_put(cache, [position], values)
    index_put: f32[1024, 64] = aten.index_put.default(arg0_1, [arg2_1], arg1_1)
    return (index_put,)
