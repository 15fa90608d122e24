# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: forward_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[8, 8], primals_2: f32[8, 8]):
    # f: return (x @ y).sin() + (x @ y).cos()
    mm: f32[8, 8] = aten.mm.default(primals_1, primals_2)
    sin: f32[8, 8] = aten.sin.default(mm)
    mm_1: f32[8, 8] = aten.mm.default(primals_1, primals_2)
    cos: f32[8, 8] = aten.cos.default(mm_1)
    add: f32[8, 8] = aten.add.Tensor(sin, cos)
    return (add, primals_1, primals_2, mm, mm_1)


graph_0_forward_saves = [primals_1, primals_2, mm, mm_1]
