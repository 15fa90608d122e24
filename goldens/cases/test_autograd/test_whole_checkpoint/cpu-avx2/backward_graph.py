# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: backward_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_backward(primals_1: f32[8, 8], primals_2: f32[8, 8], tangents_1: f32[8, 8]):
    # block: return ((x @ weight).sin() @ weight).exp()
    mm: f32[8, 8] = aten.mm.default(primals_1, primals_2)
    sin: f32[8, 8] = aten.sin.default(mm)
    mm_1: f32[8, 8] = aten.mm.default(sin, primals_2)
    exp: f32[8, 8] = aten.exp.default(mm_1)
    mul: f32[8, 8] = aten.mul.Tensor(tangents_1, exp)
    permute: f32[8, 8][1, 8] = aten.permute.default(sin, [1, 0])
    mm_2: f32[8, 8] = aten.mm.default(permute, mul)
    permute_1: f32[8, 8][1, 8] = aten.permute.default(primals_2, [1, 0])
    mm_3: f32[8, 8] = aten.mm.default(mul, permute_1)
    cos: f32[8, 8] = aten.cos.default(mm)
    mul_1: f32[8, 8] = aten.mul.Tensor(mm_3, cos)
    permute_2: f32[8, 8][1, 8] = aten.permute.default(primals_1, [1, 0])
    mm_4: f32[8, 8] = aten.mm.default(permute_2, mul_1)
    mm_5: f32[8, 8] = aten.mm.default(mul_1, permute_1)
    add: f32[8, 8] = aten.add.Tensor(mm_2, mm_4)
    return (mm_5, add)
