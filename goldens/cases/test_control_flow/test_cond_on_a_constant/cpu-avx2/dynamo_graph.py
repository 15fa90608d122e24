# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[8]):
    # <lambda>: captured = compile_stages(lambda x: torch.cond(x.shape[0] > 4, torch.sin, torch.cos, (x,)), torch.randn(8))
    sin: f32[8] = torch._VariableFunctionsClass.sin(l_x_)
    return (sin,)
