# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1

def graph_0(arg0_1: f32[64, 256]):
    # f: return torch.cat([x * 1.0]).pow(1).sin() + torch.zeros_like(x)
    full_default: f32[64, 256] = aten.full.default([64, 256], 0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    sin: f32[64, 256] = aten.sin.default(arg0_1)
    return (sin,)
