# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[8]):
    # <lambda>: captured = compile_stages(lambda x: sized(x) * 2, torch.randn(8), config=config)
    sized: f32[u0] = cases.sized.default(arg0_1)
    sym_size_int: Sym(u0) = aten.sym_size.int(sized, 0)
    ge: Sym(u0 >= 0) = operator.ge(sym_size_int, 0)
    _assert_scalar = aten._assert_scalar.default(ge, "Runtime assertion failed for expression u0 >= 0 on node 'ge'")
    mul_1: f32[u0] = aten.mul.Tensor(sized, 2)
    return (mul_1,)
