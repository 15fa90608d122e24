# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: aot_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[8]):
    full: f32[()] = aten.full.default([], 1, dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    expand: f32[8][0] = aten.expand.default(full, [8])
    cos: f32[8] = aten.cos.default(arg0_1)
    mul: f32[8] = aten.mul.Tensor(expand, cos)
    return (mul,)
