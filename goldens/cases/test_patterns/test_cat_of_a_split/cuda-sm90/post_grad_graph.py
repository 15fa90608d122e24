# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 128]):
    # f: return torch.cat(torch.split(x, [96, 32], 1), 1) * 2
    splitwithsizes_cat_replace: f32[64, 128] = torch._inductor.fx_passes.post_grad.splitwithsizes_cat_replace(input_=arg0_1)
    mul: f32[64, 128] = aten.mul.Tensor(splitwithsizes_cat_replace, 2)
    return (mul,)
