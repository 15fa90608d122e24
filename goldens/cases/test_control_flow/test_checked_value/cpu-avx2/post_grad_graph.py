# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: i64[()], arg1_1: f32[8]):
    # f: n = count.item()
    _local_scalar_dense: Sym(u1) = aten._local_scalar_dense.default(arg0_1)
    # f: return x[:n].sum()
    slice_1: f32[u1] = aten.slice.Tensor(arg1_1, 0, 0, _local_scalar_dense)
    sum_1: f32[()] = aten.sum.default(slice_1)
    return (sum_1,)
