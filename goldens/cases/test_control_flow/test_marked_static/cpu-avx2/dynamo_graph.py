# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(s50: Sym(s50), l_args_0_: f32[8, s50]):
    sin: f32[8, s50] = torch._VariableFunctionsClass.sin(l_args_0_)
    return (sin,)
