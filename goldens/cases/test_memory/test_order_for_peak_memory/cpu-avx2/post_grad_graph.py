# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 128], arg1_1: f32[128, 2048], arg2_1: f32[128, 2048], arg3_1: f32[128, 2048]):
    # <listcomp>: wide = [torch.mm(x, weight) for weight in weights]
    mm: f32[64, 2048] = aten.mm.default(arg0_1, arg1_1)
    # <listcomp>: return torch.stack([torch.mm(each, each.t()).sum() for each in wide])
    permute: f32[2048, 64][1, 2048] = aten.permute.default(mm, [1, 0])
    mm_3: f32[64, 64] = aten.mm.default(mm, permute)
    sum_1: f32[()] = aten.sum.default(mm_3)
    # f: return torch.stack([torch.mm(each, each.t()).sum() for each in wide])
    unsqueeze: f32[1] = aten.unsqueeze.default(sum_1, 0)
    # <listcomp>: wide = [torch.mm(x, weight) for weight in weights]
    mm_1: f32[64, 2048] = aten.mm.default(arg0_1, arg2_1)
    # <listcomp>: return torch.stack([torch.mm(each, each.t()).sum() for each in wide])
    permute_1: f32[2048, 64][1, 2048] = aten.permute.default(mm_1, [1, 0])
    mm_4: f32[64, 64] = aten.mm.default(mm_1, permute_1)
    sum_2: f32[()] = aten.sum.default(mm_4)
    # f: return torch.stack([torch.mm(each, each.t()).sum() for each in wide])
    unsqueeze_1: f32[1] = aten.unsqueeze.default(sum_2, 0)
    # <listcomp>: wide = [torch.mm(x, weight) for weight in weights]
    mm_2: f32[64, 2048] = aten.mm.default(arg0_1, arg3_1)
    # <listcomp>: return torch.stack([torch.mm(each, each.t()).sum() for each in wide])
    permute_2: f32[2048, 64][1, 2048] = aten.permute.default(mm_2, [1, 0])
    mm_5: f32[64, 64] = aten.mm.default(mm_2, permute_2)
    sum_3: f32[()] = aten.sum.default(mm_5)
    # f: return torch.stack([torch.mm(each, each.t()).sum() for each in wide])
    unsqueeze_2: f32[1] = aten.unsqueeze.default(sum_3, 0)
    cat: f32[3] = aten.cat.default([unsqueeze, unsqueeze_1, unsqueeze_2])
    return (cat,)
