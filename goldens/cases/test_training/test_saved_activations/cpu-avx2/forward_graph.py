# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: forward_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[128, 256], primals_2: f32[256, 256]):
    # f: hidden = torch.tanh(x @ weight).cos()
    mm: f32[128, 256] = aten.mm.default(primals_1, primals_2)
    tanh: f32[128, 256] = aten.tanh.default(mm)
    cos: f32[128, 256] = aten.cos.default(tanh)
    # f: return (hidden * hidden.sum(-1, keepdim=True)).sin()
    sum_1: f32[128, 1] = aten.sum.dim_IntList(cos, [-1], True)
    mul: f32[128, 256] = aten.mul.Tensor(cos, sum_1)
    sin: f32[128, 256] = aten.sin.default(mul)
    # f: hidden = torch.tanh(x @ weight).cos()
    permute: f32[256, 128][1, 256] = aten.permute.default(primals_1, [1, 0])
    permute_1: f32[256, 256][1, 256] = aten.permute.default(primals_2, [1, 0])
    return (sin, mm, sum_1, permute, permute_1)


graph_0_forward_saves = [mm, sum_1, permute, permute_1]
