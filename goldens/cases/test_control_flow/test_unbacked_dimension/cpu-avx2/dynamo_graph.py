# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(u0: Sym(u0), l_args_0_: f32[u0, 4]):
    ge: Sym(u0 >= 0) = operator.ge(u0, 0)
    _assert_scalar_default = aten._assert_scalar.default(ge, "Runtime assertion failed for expression u0 >= 0 on node 'ge'")
    sin: f32[u0, 4] = torch._VariableFunctionsClass.sin(l_args_0_)
    return (sin,)
