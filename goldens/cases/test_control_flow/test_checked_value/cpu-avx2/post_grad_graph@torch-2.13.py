# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: i64[()], arg1_1: f32[8]):
    # f: n = count.item()
    _local_scalar_dense: Sym(u1) = aten._local_scalar_dense.default(arg0_1)
    # f: torch._check(n >= 0)
    ge: Sym(u1 >= 0) = operator.ge(_local_scalar_dense, 0)
    _assert_scalar = aten._assert_scalar.default(ge, "Runtime assertion failed for expression s28 >= 0 on node 'ge'")
    # f: torch._check(n <= x.shape[0])
    le: Sym(u1 <= 8) = operator.le(_local_scalar_dense, 8)
    _assert_scalar_1 = aten._assert_scalar.default(le, "Runtime assertion failed for expression s28 <= 8 on node 'le'")
    # f: return x[:n].sum()
    slice_1: f32[u1] = aten.slice.Tensor(arg1_1, 0, 0, _local_scalar_dense)
    sum_1: f32[()] = aten.sum.default(slice_1)
    return (sum_1,)
