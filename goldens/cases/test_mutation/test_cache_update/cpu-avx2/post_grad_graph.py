# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[2, 128, 64], arg1_1: i64[4], arg2_1: f32[2, 4, 64]):
    # f: cache.index_copy_(1, position, value)
    index_put: f32[2, 128, 64] = aten.index_put_.default(arg0_1, [None, arg1_1], arg2_1)
    # f: return cache.sum(1)
    sum_1: f32[2, 64] = aten.sum.dim_IntList(index_put, [1])
    return (sum_1,)
