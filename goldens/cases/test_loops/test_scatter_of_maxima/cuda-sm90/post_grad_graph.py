# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 32], arg1_1: i64[256, 32], arg2_1: f32[256, 32]):
    # <lambda>: lambda base, index, values: base.scatter_reduce(0, index, values, "amax"),
    scatter_reduce: f32[64, 32] = aten.scatter_reduce.two(arg0_1, 0, arg1_1, arg2_1, 'amax')
    return (scatter_reduce,)
