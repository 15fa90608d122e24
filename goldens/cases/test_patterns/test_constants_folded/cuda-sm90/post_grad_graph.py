# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[256, 4]):
    # f: return x * mask + (1 - mask)
    full_default: f32[256, 4] = aten.full.default([256, 4], 0.0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    # f: mask = torch.ones(x.shape[0], 1, device=x.device).expand(-1, 4).reshape(-1, 4)
    full: f32[256, 1] = aten.full.default([256, 1], 1, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    expand: f32[256, 4][1, 0] = aten.expand.default(full, [-1, 4])
    # f: return x * mask + (1 - mask)
    mul: f32[256, 4] = aten.mul.Tensor(arg0_1, expand)
    return (mul,)
