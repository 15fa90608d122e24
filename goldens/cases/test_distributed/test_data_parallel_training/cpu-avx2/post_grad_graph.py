# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_split_0_forward(primals_1: f32[32, 512], primals_2: f32[512, 512]):
    # forward: x = F.relu(layer(x))
    permute: f32[512, 512][1, 512] = aten.permute.default(primals_2, [1, 0])
    mm: f32[32, 512] = aten.mm.default(primals_1, permute)
    relu: f32[32, 512] = aten.relu.default(mm)
    le: b8[32, 512] = aten.le.Scalar(relu, 0)
    return (relu, primals_1, le)


def graph_0_split_0_backward(primals_1: f32[32, 512], le: b8[32, 512], tangents_1: f32[32, 512]):
    # forward: x = F.relu(layer(x))
    full_default: f32[()] = aten.full.default([], 0.0, dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    where: f32[32, 512] = aten.where.self(le, full_default, tangents_1)
    permute_1: f32[512, 32][1, 512] = aten.permute.default(where, [1, 0])
    mm_1: f32[512, 512] = aten.mm.default(permute_1, primals_1)
    return (None, mm_1)


def graph_0_split_1_forward(primals_1: f32[32, 512], primals_2: f32[512, 512]):
    # forward: x = F.relu(layer(x))
    permute: f32[512, 512][1, 512] = aten.permute.default(primals_2, [1, 0])
    mm: f32[32, 512] = aten.mm.default(primals_1, permute)
    relu: f32[32, 512] = aten.relu.default(mm)
    le: b8[32, 512] = aten.le.Scalar(relu, 0)
    return (relu, primals_1, primals_2, le)


def graph_0_split_1_backward(
    primals_1: f32[32, 512],
    primals_2: f32[512, 512],
    le: b8[32, 512],
    tangents_1: f32[32, 512],
):
    # forward: x = F.relu(layer(x))
    full_default: f32[()] = aten.full.default([], 0.0, dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    where: f32[32, 512] = aten.where.self(le, full_default, tangents_1)
    permute_1: f32[512, 32][1, 512] = aten.permute.default(where, [1, 0])
    mm_1: f32[512, 512] = aten.mm.default(permute_1, primals_1)
    permute: f32[512, 512][1, 512] = aten.permute.default(primals_2, [1, 0])
    permute_3: f32[512, 512] = aten.permute.default(permute, [1, 0])
    mm_2: f32[32, 512] = aten.mm.default(where, permute_3)
    return (mm_2, mm_1)


def graph_0_split_2_forward(primals_1: f32[32, 512], primals_2: f32[512, 512]):
    # forward: x = F.relu(layer(x))
    permute: f32[512, 512][1, 512] = aten.permute.default(primals_2, [1, 0])
    mm: f32[32, 512] = aten.mm.default(primals_1, permute)
    relu: f32[32, 512] = aten.relu.default(mm)
    le: b8[32, 512] = aten.le.Scalar(relu, 0)
    return (relu, primals_1, primals_2, le)


def graph_0_split_2_backward(
    primals_1: f32[32, 512],
    primals_2: f32[512, 512],
    le: b8[32, 512],
    tangents_1: f32[32, 512],
):
    # forward: x = F.relu(layer(x))
    full_default: f32[()] = aten.full.default([], 0.0, dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    where: f32[32, 512] = aten.where.self(le, full_default, tangents_1)
    permute_1: f32[512, 32][1, 512] = aten.permute.default(where, [1, 0])
    mm_1: f32[512, 512] = aten.mm.default(permute_1, primals_1)
    permute: f32[512, 512][1, 512] = aten.permute.default(primals_2, [1, 0])
    permute_3: f32[512, 512] = aten.permute.default(permute, [1, 0])
    mm_2: f32[32, 512] = aten.mm.default(where, permute_3)
    return (mm_2, mm_1)
