# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1

def graph_0(arg0_1: f32[64, 96], arg1_1: f32[64, 32]):
    # f: a, b = torch.split(torch.cat([x.sin(), y.cos()], 1), [96, 32], 1)
    sin: f32[64, 96] = aten.sin.default(arg0_1)
    cos: f32[64, 32] = aten.cos.default(arg1_1)
    cat_splitwithsizes_replace = torch._inductor.fx_passes.post_grad.cat_splitwithsizes_replace(input_=[sin, cos])
    getitem: f32[64, 96] = cat_splitwithsizes_replace[0]
    getitem_1: f32[64, 32] = cat_splitwithsizes_replace[1]
    # f: return a * 2, b + 1
    mul: f32[64, 96] = aten.mul.Tensor(getitem, 2)
    add: f32[64, 32] = aten.add.Tensor(getitem_1, 1)
    return (mul, add)
