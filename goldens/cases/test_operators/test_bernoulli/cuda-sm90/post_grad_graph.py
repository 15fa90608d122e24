# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64]):
    inductor_seeds_default: i64[1] = prims.inductor_seeds.default(1, device('cuda:0'))
    # <lambda>: captured = compile_stages(lambda x: torch.bernoulli(x), torch.rand(64))
    inductor_lookup_seed_default: i64[()] = prims.inductor_lookup_seed.default(inductor_seeds_default, 0)
    inductor_random_default: f32[64] = prims.inductor_random.default([64], inductor_lookup_seed_default, 'rand')
    lt: b8[64] = aten.lt.Tensor(inductor_random_default, arg0_1)
    convert_element_type: f32[64] = prims.convert_element_type.default(lt, torch.float32)
    return (convert_element_type,)
