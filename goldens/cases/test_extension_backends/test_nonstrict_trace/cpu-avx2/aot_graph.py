# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: aot_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[8]):
    # <lambda>: captured = compile_stages(lambda x: nonstrict(x) + 1, torch.ones(8), fullgraph=True)
    sin: f32[8] = aten.sin.default(arg0_1)
    mul: f32[8] = aten.mul.Tensor(sin, 15)
    add: f32[8] = aten.add.Tensor(mul, 1)
    return (add,)
