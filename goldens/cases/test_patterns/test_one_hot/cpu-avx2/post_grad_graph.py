# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[512, 100], arg1_1: i64[512]):
    # f: return torch.zeros(512, 100, device=x.device).scatter(1, labels.unsqueeze(1), 1.0) - x
    unsqueeze: i64[512, 1] = aten.unsqueeze.default(arg1_1, 1)
    expand_default: i64[512, 100][1, 0] = aten.expand.default(unsqueeze, [512, 100])
    iota_default: i64[100] = prims.iota.default(100, start=0, step=1, dtype=torch.int64, device=device('cpu'), requires_grad=False)
    view_default: i64[1, 100] = aten.reshape.default(iota_default, [1, 100])
    eq_tensor: b8[512, 100] = aten.eq.Tensor(expand_default, view_default)
    scalar_tensor_default_1: f32[()] = aten.scalar_tensor.default(1.0, dtype=torch.float32, layout=torch.strided, device=device('cpu'))
    scalar_tensor_default: f32[()] = aten.scalar_tensor.default(0, dtype=torch.float32, layout=torch.strided, device=device('cpu'))
    where_self: f32[512, 100] = aten.where.self(eq_tensor, scalar_tensor_default_1, scalar_tensor_default)
    sub: f32[512, 100] = aten.sub.Tensor(where_self, arg0_1)
    return (sub,)
