# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[8]):
    # <lambda>: captured = compile_stages(lambda x: opaque(x) + 1, torch.ones(8))
    opaque: f32[8] = test_extension_backends.opaque(l_x_)
    add: f32[8] = operator.add(opaque, 1)
    return (add,)
