# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0_forward(primals_1: f32[256, 256], primals_2: f32[256], primals_3: f32[128, 256]):
    permute: f32[256, 256][1, 256] = aten.permute.default(primals_1, [1, 0])
    mm_default: f32[128, 256] = aten.mm.default(primals_3, permute)
    add_tensor: f32[128, 256] = aten.add.Tensor(primals_2, mm_default)
    inductor_seeds_default: i64[1] = prims.inductor_seeds.default(1, device('cuda:0'))
    inductor_lookup_seed_default: i64[()] = prims.inductor_lookup_seed.default(inductor_seeds_default, 0)
    inductor_random_default: f32[128, 256] = prims.inductor_random.default([128, 256], inductor_lookup_seed_default, 'rand')
    gt: b8[128, 256] = aten.gt.Scalar(inductor_random_default, 0.1)
    mul: f32[128, 256] = aten.mul.Tensor(gt, add_tensor)
    mul_1: f32[128, 256] = aten.mul.Tensor(mul, 1.1111111111111112)
    return (mul_1, primals_3, gt)


def graph_0_backward(primals_3: f32[128, 256], gt: b8[128, 256], tangents_1: f32[128, 256]):
    convert_element_type: f32[128, 256] = prims.convert_element_type.default(gt, torch.float32)
    mul_2: f32[128, 256] = aten.mul.Tensor(convert_element_type, 1.1111111111111112)
    mul_3: f32[128, 256] = aten.mul.Tensor(tangents_1, mul_2)
    permute_1: f32[256, 128][1, 256] = aten.permute.default(mul_3, [1, 0])
    mm: f32[256, 256] = aten.mm.default(permute_1, primals_3)
    sum_1: f32[1, 256] = aten.sum.dim_IntList(mul_3, [0], True)
    view: f32[256] = aten.reshape.default(sum_1, [256])
    return (mm, view, None)
