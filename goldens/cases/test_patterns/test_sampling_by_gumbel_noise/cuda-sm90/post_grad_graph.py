# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[8, 1000]):
    inductor_seeds_default: i64[1] = prims.inductor_seeds.default(1, device('cuda:0'))
    prepare_softmax_online_default = prims.prepare_softmax_online.default(arg0_1, -1)
    # f: return torch.argmax(torch.softmax(logits, dim=-1) / noise, dim=-1, keepdim=True)
    getitem: f32[8, 1] = prepare_softmax_online_default[0]
    getitem_1: f32[8, 1] = prepare_softmax_online_default[1]
    sub_tensor: f32[8, 1000] = aten.sub.Tensor(arg0_1, getitem)
    exp_default: f32[8, 1000] = aten.exp.default(sub_tensor)
    div: f32[8, 1000] = aten.div.Tensor(exp_default, getitem_1)
    # f: noise = torch.empty_like(logits).exponential_(1.0)
    inductor_lookup_seed_default: i64[()] = prims.inductor_lookup_seed.default(inductor_seeds_default, 0)
    inductor_random_default: f32[8, 1000] = prims.inductor_random.default([8, 1000], inductor_lookup_seed_default, 'rand')
    ge: b8[8, 1000] = aten.ge.Scalar(inductor_random_default, 0.9999999403953552)
    full_default: f32[()] = aten.full.default([], -5.960464477539063e-08, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    log: f32[8, 1000] = aten.log.default(inductor_random_default)
    where: f32[8, 1000] = aten.where.self(ge, full_default, log)
    mul: f32[8, 1000] = aten.mul.Tensor(where, -1.0)
    # f: return torch.argmax(torch.softmax(logits, dim=-1) / noise, dim=-1, keepdim=True)
    div_1: f32[8, 1000] = aten.div.Tensor(div, mul)
    argmax: i64[8, 1] = aten.argmax.default(div_1, -1, True)
    return (argmax,)
