# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[8, 1000]):
    inductor_seeds_default: i64[1] = prims.inductor_seeds.default(1, device('cpu'))
    # f: return torch.argmax(torch.softmax(logits, dim=-1) / noise, dim=-1, keepdim=True)
    amax: f32[8, 1] = aten.amax.default(arg0_1, [-1], True)
    sub: f32[8, 1000] = aten.sub.Tensor(arg0_1, amax)
    exp: f32[8, 1000] = aten.exp.default(sub)
    sum_1: f32[8, 1] = aten.sum.dim_IntList(exp, [-1], True)
    div: f32[8, 1000] = aten.div.Tensor(exp, sum_1)
    # f: noise = torch.empty_like(logits).exponential_(1.0)
    inductor_lookup_seed_default: i64[()] = prims.inductor_lookup_seed.default(inductor_seeds_default, 0)
    inductor_random_default: f32[8, 1000] = prims.inductor_random.default([8, 1000], inductor_lookup_seed_default, 'rand')
    ge: b8[8, 1000] = aten.ge.Scalar(inductor_random_default, 0.9999999403953552)
    full_default: f32[()] = aten.full.default([], -5.960464477539063e-08, dtype=torch.float32, layout=torch.strided, device=device('cpu'), pin_memory=False)
    log: f32[8, 1000] = aten.log.default(inductor_random_default)
    where: f32[8, 1000] = aten.where.self(ge, full_default, log)
    mul: f32[8, 1000] = aten.mul.Tensor(where, -1.0)
    # f: return torch.argmax(torch.softmax(logits, dim=-1) / noise, dim=-1, keepdim=True)
    div_1: f32[8, 1000] = aten.div.Tensor(div, mul)
    argmax: i64[8, 1] = aten.argmax.default(div_1, -1, True)
    return (argmax,)
