# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: aot_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(primals_1: f32[16], primals_2: f32[16], primals_3: f32[8, 16], tangents_1: f32[8, 16]):
    var_mean = aten.var_mean.correction(primals_3, [1], correction=0, keepdim=True)
    getitem: f32[8, 1] = var_mean[0]
    getitem_1: f32[8, 1] = var_mean[1]
    add: f32[8, 1] = aten.add.Tensor(getitem, 1e-05)
    rsqrt: f32[8, 1] = aten.rsqrt.default(add)
    sub: f32[8, 16] = aten.sub.Tensor(primals_3, getitem_1)
    mul: f32[8, 16] = aten.mul.Tensor(sub, rsqrt)
    mul_1: f32[8, 16] = aten.mul.Tensor(mul, primals_1)
    add_1: f32[8, 16] = aten.add.Tensor(mul_1, primals_2)
    sub_1: f32[8, 16] = aten.sub.Tensor(primals_3, getitem_1)
    mul_2: f32[8, 16] = aten.mul.Tensor(sub_1, rsqrt)
    mul_7: f32[8, 16] = aten.mul.Tensor(tangents_1, mul_2)
    sum_3: f32[16] = aten.sum.dim_IntList(mul_7, [0])
    sum_4: f32[16] = aten.sum.dim_IntList(tangents_1, [0])
    return [add_1, sum_3, sum_4, None]
