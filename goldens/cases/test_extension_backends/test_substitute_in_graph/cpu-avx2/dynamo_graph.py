# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[8]):
    # <lambda>: captured = compile_stages(lambda x: x * unreadable(2.0), torch.ones(8), fullgraph=True)
    mul: f32[8] = operator.mul(l_x_, 4.0)
    return (mul,)
