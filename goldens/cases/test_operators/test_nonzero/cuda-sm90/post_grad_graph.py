# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1
# known inputs: x

def graph_0(arg0_1: f32[64]):
    # <lambda>: captured = compile_stages(lambda x: x.nonzero() * 2, torch.ones(64), config=config)
    nonzero: i64[u0, 1] = aten.nonzero.default(arg0_1)
    sym_size_int: Sym(u0) = aten.sym_size.int(nonzero, 0)
    ge: Sym(u0 >= 0) = operator.ge(sym_size_int, 0)
    _assert_scalar = aten._assert_scalar.default(ge, "Runtime assertion failed for expression u0 >= 0 on node 'ge'")
    le: Sym(u0 <= 64) = operator.le(sym_size_int, 64)
    _assert_scalar_1 = aten._assert_scalar.default(le, "Runtime assertion failed for expression u0 <= 64 on node 'le'")
    mul_2: i64[u0, 1] = aten.mul.Tensor(nonzero, 2)
    return (mul_2,)
