# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[8]):
    # selected_by_a_mask: return x[x > 0] * 2
    gt: b8[8] = operator.gt(l_x_, 0)
    getitem: f32[u0] = l_x_[gt]
    sym_size_int: Sym(u0) = aten.sym_size.int(getitem, 0)
    ge: Sym(u0 >= 0) = operator.ge(sym_size_int, 0)
    _assert_scalar_default = aten._assert_scalar.default(ge, "Runtime assertion failed for expression u0 >= 0 on node 'ge'")
    le: Sym(u0 <= 8) = operator.le(sym_size_int, 8)
    _assert_scalar_default_1 = aten._assert_scalar.default(le, "Runtime assertion failed for expression u0 <= 8 on node 'le'")
    mul: f32[u0] = operator.mul(getitem, 2)
    return (mul,)
