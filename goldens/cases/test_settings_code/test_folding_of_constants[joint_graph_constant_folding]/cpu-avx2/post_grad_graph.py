# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64]):
    # f: return x * torch.ones_like(x)
    full: f32[64] = aten.full.default([64], 1, dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    mul: f32[64] = aten.mul.Tensor(arg0_1, full)
    return (mul,)
