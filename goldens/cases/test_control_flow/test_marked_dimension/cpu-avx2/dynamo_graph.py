# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(s33: Sym(s33), l_args_0_: f32[s33, 4]):
    sin: f32[s33, 4] = torch._VariableFunctionsClass.sin(l_args_0_)
    return (sin,)
