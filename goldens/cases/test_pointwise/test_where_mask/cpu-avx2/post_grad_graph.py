# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: b8[128, 128], arg1_1: f32[128, 128]):
    # f: return torch.where(mask, scores, float("-inf")).exp()
    full_default: f32[()] = aten.full.default([], -inf, dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    where: f32[128, 128] = aten.where.self(arg0_1, arg1_1, full_default)
    exp: f32[128, 128] = aten.exp.default(where)
    return (exp,)
