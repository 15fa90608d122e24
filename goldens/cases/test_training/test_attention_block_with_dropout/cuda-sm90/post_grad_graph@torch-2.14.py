# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1

def graph_0_forward(
    primals_1: f32[2, 32, 64],
    primals_2: f32[192],
    primals_3: f32[192, 64],
    primals_4: f32[64, 64],
    primals_5: f32[64],
    primals_6: f32[64],
    primals_7: f32[64],
    primals_8: f32[128, 64],
    primals_9: f32[128],
    primals_10: f32[64, 128],
    primals_11: f32[64],
    primals_12: f32[64],
    primals_13: f32[64],
):
    permute: f32[32, 2, 64][64, 2048, 1] = aten.permute.default(primals_1, [1, 0, 2])
    permute_1: f32[64, 192][1, 64] = aten.permute.default(primals_3, [1, 0])
    clone: f32[32, 2, 64] = aten.clone.default(permute, memory_format=torch.contiguous_format)
    view: f32[64, 64] = aten.reshape.default(clone, [64, 64])
    mm: f32[64, 192] = aten.mm.default(view, permute_1)
    view_1: f32[32, 2, 192] = aten.reshape.default(mm, [32, 2, 192])
    add: f32[32, 2, 192] = aten.add.Tensor(view_1, primals_2)
    view_2: f32[32, 2, 3, 64] = aten.reshape.default(add, [32, 2, 3, 64])
    unsqueeze: f32[1, 32, 2, 3, 64] = aten.unsqueeze.default(view_2, 0)
    permute_2: f32[3, 32, 2, 1, 64][64, 384, 192, 12288, 1] = aten.permute.default(unsqueeze, [3, 1, 2, 0, 4])
    squeeze: f32[3, 32, 2, 64][64, 384, 192, 1] = aten.squeeze.dim(permute_2, -2)
    clone_1: f32[3, 32, 2, 64] = aten.clone.default(squeeze, memory_format=torch.contiguous_format)
    select: f32[32, 2, 64] = aten.select.int(clone_1, 0, 0)
    select_1: f32[32, 2, 64] = aten.select.int(clone_1, 0, 1)
    select_2: f32[32, 2, 64] = aten.select.int(clone_1, 0, 2)
    view_3: f32[32, 8, 16] = aten.reshape.default(select, [32, 8, 16])
    permute_3: f32[8, 32, 16][16, 128, 1] = aten.permute.default(view_3, [1, 0, 2])
    view_4: f32[32, 8, 16] = aten.reshape.default(select_1, [32, 8, 16])
    permute_4: f32[8, 32, 16][16, 128, 1] = aten.permute.default(view_4, [1, 0, 2])
    view_5: f32[32, 8, 16] = aten.reshape.default(select_2, [32, 8, 16])
    permute_5: f32[8, 32, 16][16, 128, 1] = aten.permute.default(view_5, [1, 0, 2])
    view_6: f32[2, 4, 32, 16][64, 16, 128, 1] = aten.reshape.default(permute_3, [2, 4, 32, 16])
    view_7: f32[2, 4, 32, 16][64, 16, 128, 1] = aten.reshape.default(permute_4, [2, 4, 32, 16])
    view_8: f32[2, 4, 32, 16][64, 16, 128, 1] = aten.reshape.default(permute_5, [2, 4, 32, 16])
    _scaled_dot_product_efficient_attention = aten._scaled_dot_product_efficient_attention.default(view_6, view_7, view_8, None, True, 0.1)
    getitem: f32[2, 4, 32, 16][2048, 16, 64, 1] = _scaled_dot_product_efficient_attention[0]
    getitem_1: f32[2, 4, 32] = _scaled_dot_product_efficient_attention[1]
    getitem_2: i64[()] = _scaled_dot_product_efficient_attention[2]
    getitem_3: i64[()] = _scaled_dot_product_efficient_attention[3]
    permute_6: f32[32, 2, 4, 16][64, 2048, 16, 1] = aten.permute.default(getitem, [2, 0, 1, 3])
    clone_2: f32[32, 2, 4, 16] = aten.clone.default(permute_6, memory_format=torch.contiguous_format)
    view_9: f32[64, 64] = aten.reshape.default(clone_2, [64, 64])
    permute_7: f32[64, 64][1, 64] = aten.permute.default(primals_4, [1, 0])
    mm_default_2: f32[64, 64] = aten.mm.default(view_9, permute_7)
    add_tensor_2: f32[64, 64] = aten.add.Tensor(primals_5, mm_default_2)
    view_10: f32[32, 2, 64] = aten.reshape.default(add_tensor_2, [32, 2, 64])
    permute_8: f32[2, 32, 64][64, 128, 1] = aten.permute.default(view_10, [1, 0, 2])
    inductor_seeds_default: i64[3] = prims.inductor_seeds.default(3, device('cuda:0'))
    inductor_lookup_seed_default: i64[()] = prims.inductor_lookup_seed.default(inductor_seeds_default, 0)
    inductor_random_default_2: f32[32, 2, 64] = prims.inductor_random.default([32, 2, 64], inductor_lookup_seed_default, 'rand')
    permute_9: f32[2, 32, 64][64, 128, 1] = aten.permute.default(inductor_random_default_2, [1, 0, 2])
    gt: b8[2, 32, 64][64, 128, 1] = aten.gt.Scalar(permute_9, 0.1)
    mul: f32[2, 32, 64][64, 128, 1] = aten.mul.Tensor(gt, permute_8)
    mul_1: f32[2, 32, 64][64, 128, 1] = aten.mul.Tensor(mul, 1.1111111111111112)
    add_1: f32[2, 32, 64] = aten.add.Tensor(primals_1, mul_1)
    var_mean = aten.var_mean.correction(add_1, [2], correction=0, keepdim=True)
    getitem_4: f32[2, 32, 1] = var_mean[0]
    getitem_5: f32[2, 32, 1] = var_mean[1]
    add_2: f32[2, 32, 1] = aten.add.Tensor(getitem_4, 1e-05)
    rsqrt: f32[2, 32, 1] = aten.rsqrt.default(add_2)
    sub: f32[2, 32, 64] = aten.sub.Tensor(add_1, getitem_5)
    mul_2: f32[2, 32, 64] = aten.mul.Tensor(sub, rsqrt)
    mul_3: f32[2, 32, 64] = aten.mul.Tensor(mul_2, primals_6)
    add_3: f32[2, 32, 64] = aten.add.Tensor(mul_3, primals_7)
    view_11: f32[64, 64] = aten.reshape.default(add_3, [64, 64])
    permute_10: f32[64, 128][1, 64] = aten.permute.default(primals_8, [1, 0])
    mm_default_1: f32[64, 128] = aten.mm.default(view_11, permute_10)
    add_tensor_1: f32[64, 128] = aten.add.Tensor(primals_9, mm_default_1)
    view_12: f32[2, 32, 128] = aten.reshape.default(add_tensor_1, [2, 32, 128])
    relu: f32[2, 32, 128] = aten.relu.default(view_12)
    inductor_lookup_seed_default_1: i64[()] = prims.inductor_lookup_seed.default(inductor_seeds_default, 1)
    inductor_random_default_1: f32[2, 32, 128] = prims.inductor_random.default([2, 32, 128], inductor_lookup_seed_default_1, 'rand')
    gt_1: b8[2, 32, 128] = aten.gt.Scalar(inductor_random_default_1, 0.1)
    mul_4: f32[2, 32, 128] = aten.mul.Tensor(gt_1, relu)
    mul_5: f32[2, 32, 128] = aten.mul.Tensor(mul_4, 1.1111111111111112)
    view_13: f32[64, 128] = aten.reshape.default(mul_5, [64, 128])
    permute_11: f32[128, 64][1, 128] = aten.permute.default(primals_10, [1, 0])
    mm_default: f32[64, 64] = aten.mm.default(view_13, permute_11)
    add_tensor: f32[64, 64] = aten.add.Tensor(primals_11, mm_default)
    view_14: f32[2, 32, 64] = aten.reshape.default(add_tensor, [2, 32, 64])
    inductor_lookup_seed_default_2: i64[()] = prims.inductor_lookup_seed.default(inductor_seeds_default, 2)
    inductor_random_default: f32[2, 32, 64] = prims.inductor_random.default([2, 32, 64], inductor_lookup_seed_default_2, 'rand')
    gt_2: b8[2, 32, 64] = aten.gt.Scalar(inductor_random_default, 0.1)
    mul_6: f32[2, 32, 64] = aten.mul.Tensor(gt_2, view_14)
    mul_7: f32[2, 32, 64] = aten.mul.Tensor(mul_6, 1.1111111111111112)
    add_4: f32[2, 32, 64] = aten.add.Tensor(add_3, mul_7)
    var_mean_1 = aten.var_mean.correction(add_4, [2], correction=0, keepdim=True)
    getitem_6: f32[2, 32, 1] = var_mean_1[0]
    getitem_7: f32[2, 32, 1] = var_mean_1[1]
    add_5: f32[2, 32, 1] = aten.add.Tensor(getitem_6, 1e-05)
    rsqrt_1: f32[2, 32, 1] = aten.rsqrt.default(add_5)
    sub_1: f32[2, 32, 64] = aten.sub.Tensor(add_4, getitem_7)
    mul_8: f32[2, 32, 64] = aten.mul.Tensor(sub_1, rsqrt_1)
    mul_9: f32[2, 32, 64] = aten.mul.Tensor(mul_8, primals_12)
    add_6: f32[2, 32, 64] = aten.add.Tensor(mul_9, primals_13)
    sub_2: f32[2, 32, 64] = aten.sub.Tensor(add_4, getitem_7)
    mul_10: f32[2, 32, 64] = aten.mul.Tensor(sub_2, rsqrt_1)
    div: f32[2, 32, 1] = aten.div.Tensor(rsqrt_1, 64)
    le: b8[2, 32, 128] = aten.le.Scalar(relu, 0)
    div_1: f32[2, 32, 1] = aten.div.Tensor(rsqrt, 64)
    return (add_6, primals_4, primals_6, primals_8, primals_10, primals_12, view, view_6, view_7, view_8, getitem, getitem_1, getitem_2, getitem_3, view_9, gt, mul_2, view_11, gt_1, view_13, gt_2, mul_10, div, le, div_1)


def graph_0_backward(
    primals_4: f32[64, 64],
    primals_6: f32[64],
    primals_8: f32[128, 64],
    primals_10: f32[64, 128],
    primals_12: f32[64],
    view: f32[64, 64],
    view_6: f32[2, 4, 32, 16][64, 16, 128, 1],
    view_7: f32[2, 4, 32, 16][64, 16, 128, 1],
    view_8: f32[2, 4, 32, 16][64, 16, 128, 1],
    getitem: f32[2, 4, 32, 16][2048, 16, 64, 1],
    getitem_1: f32[2, 4, 32],
    getitem_2: i64[()],
    getitem_3: i64[()],
    view_9: f32[64, 64],
    gt: b8[2, 32, 64][64, 128, 1],
    mul_2: f32[2, 32, 64],
    view_11: f32[64, 64],
    gt_1: b8[2, 32, 128],
    view_13: f32[64, 128],
    gt_2: b8[2, 32, 64],
    mul_10: f32[2, 32, 64],
    div: f32[2, 32, 1],
    le: b8[2, 32, 128],
    div_1: f32[2, 32, 1],
    tangents_1: f32[2, 32, 64],
):
    mul_11: f32[2, 32, 64] = aten.mul.Tensor(tangents_1, primals_12)
    mul_12: f32[2, 32, 64] = aten.mul.Tensor(mul_11, 64)
    sum_1: f32[2, 32, 1] = aten.sum.dim_IntList(mul_11, [2], True)
    mul_13: f32[2, 32, 64] = aten.mul.Tensor(mul_11, mul_10)
    sum_2: f32[2, 32, 1] = aten.sum.dim_IntList(mul_13, [2], True)
    mul_14: f32[2, 32, 64] = aten.mul.Tensor(mul_10, sum_2)
    sub_3: f32[2, 32, 64] = aten.sub.Tensor(mul_12, sum_1)
    sub_4: f32[2, 32, 64] = aten.sub.Tensor(sub_3, mul_14)
    mul_15: f32[2, 32, 64] = aten.mul.Tensor(div, sub_4)
    mul_16: f32[2, 32, 64] = aten.mul.Tensor(tangents_1, mul_10)
    sum_3: f32[64] = aten.sum.dim_IntList(mul_16, [0, 1])
    sum_4: f32[64] = aten.sum.dim_IntList(tangents_1, [0, 1])
    convert_element_type: f32[2, 32, 64] = prims.convert_element_type.default(gt_2, torch.float32)
    mul_17: f32[2, 32, 64] = aten.mul.Tensor(convert_element_type, 1.1111111111111112)
    mul_18: f32[2, 32, 64] = aten.mul.Tensor(mul_15, mul_17)
    view_15: f32[64, 64] = aten.reshape.default(mul_18, [64, 64])
    permute_11: f32[128, 64][1, 128] = aten.permute.default(primals_10, [1, 0])
    permute_12: f32[64, 128] = aten.permute.default(permute_11, [1, 0])
    mm_1: f32[64, 128] = aten.mm.default(view_15, permute_12)
    permute_13: f32[64, 64][1, 64] = aten.permute.default(view_15, [1, 0])
    mm_2: f32[64, 128] = aten.mm.default(permute_13, view_13)
    sum_5: f32[1, 64] = aten.sum.dim_IntList(view_15, [0], True)
    view_16: f32[64] = aten.reshape.default(sum_5, [64])
    view_17: f32[2, 32, 128] = aten.reshape.default(mm_1, [2, 32, 128])
    convert_element_type_1: f32[2, 32, 128] = prims.convert_element_type.default(gt_1, torch.float32)
    mul_19: f32[2, 32, 128] = aten.mul.Tensor(convert_element_type_1, 1.1111111111111112)
    mul_20: f32[2, 32, 128] = aten.mul.Tensor(view_17, mul_19)
    full_default: f32[()] = aten.full.default([], 0.0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    where: f32[2, 32, 128] = aten.where.self(le, full_default, mul_20)
    view_18: f32[64, 128] = aten.reshape.default(where, [64, 128])
    permute_10: f32[64, 128][1, 64] = aten.permute.default(primals_8, [1, 0])
    permute_16: f32[128, 64] = aten.permute.default(permute_10, [1, 0])
    mm_3: f32[64, 64] = aten.mm.default(view_18, permute_16)
    permute_17: f32[128, 64][1, 128] = aten.permute.default(view_18, [1, 0])
    mm_4: f32[128, 64] = aten.mm.default(permute_17, view_11)
    sum_6: f32[1, 128] = aten.sum.dim_IntList(view_18, [0], True)
    view_19: f32[128] = aten.reshape.default(sum_6, [128])
    view_20: f32[2, 32, 64] = aten.reshape.default(mm_3, [2, 32, 64])
    add_7: f32[2, 32, 64] = aten.add.Tensor(mul_15, view_20)
    mul_22: f32[2, 32, 64] = aten.mul.Tensor(add_7, primals_6)
    mul_23: f32[2, 32, 64] = aten.mul.Tensor(mul_22, 64)
    sum_7: f32[2, 32, 1] = aten.sum.dim_IntList(mul_22, [2], True)
    mul_24: f32[2, 32, 64] = aten.mul.Tensor(mul_22, mul_2)
    sum_8: f32[2, 32, 1] = aten.sum.dim_IntList(mul_24, [2], True)
    mul_25: f32[2, 32, 64] = aten.mul.Tensor(mul_2, sum_8)
    sub_6: f32[2, 32, 64] = aten.sub.Tensor(mul_23, sum_7)
    sub_7: f32[2, 32, 64] = aten.sub.Tensor(sub_6, mul_25)
    mul_26: f32[2, 32, 64] = aten.mul.Tensor(div_1, sub_7)
    mul_27: f32[2, 32, 64] = aten.mul.Tensor(add_7, mul_2)
    sum_9: f32[64] = aten.sum.dim_IntList(mul_27, [0, 1])
    sum_10: f32[64] = aten.sum.dim_IntList(add_7, [0, 1])
    convert_element_type_2: f32[2, 32, 64][64, 128, 1] = prims.convert_element_type.default(gt, torch.float32)
    mul_28: f32[2, 32, 64][64, 128, 1] = aten.mul.Tensor(convert_element_type_2, 1.1111111111111112)
    mul_29: f32[2, 32, 64] = aten.mul.Tensor(mul_26, mul_28)
    permute_20: f32[32, 2, 64][64, 2048, 1] = aten.permute.default(mul_29, [1, 0, 2])
    clone_7: f32[32, 2, 64] = aten.clone.default(permute_20, memory_format=torch.contiguous_format)
    view_21: f32[64, 64] = aten.reshape.default(clone_7, [64, 64])
    permute_7: f32[64, 64][1, 64] = aten.permute.default(primals_4, [1, 0])
    permute_21: f32[64, 64] = aten.permute.default(permute_7, [1, 0])
    mm_5: f32[64, 64] = aten.mm.default(view_21, permute_21)
    permute_22: f32[64, 64][1, 64] = aten.permute.default(view_21, [1, 0])
    mm_6: f32[64, 64] = aten.mm.default(permute_22, view_9)
    sum_11: f32[1, 64] = aten.sum.dim_IntList(view_21, [0], True)
    view_22: f32[64] = aten.reshape.default(sum_11, [64])
    view_23: f32[32, 2, 4, 16] = aten.reshape.default(mm_5, [32, 2, 4, 16])
    permute_25: f32[2, 4, 32, 16][64, 16, 128, 1] = aten.permute.default(view_23, [1, 2, 0, 3])
    _scaled_dot_product_efficient_attention_backward = aten._scaled_dot_product_efficient_attention_backward.default(permute_25, view_6, view_7, view_8, None, getitem, getitem_1, getitem_2, getitem_3, 0.1, [True, True, True, False])
    getitem_8: f32[2, 4, 32, 16][2048, 16, 64, 1] = _scaled_dot_product_efficient_attention_backward[0]
    getitem_9: f32[2, 4, 32, 16][2048, 16, 64, 1] = _scaled_dot_product_efficient_attention_backward[1]
    getitem_10: f32[2, 4, 32, 16][2048, 16, 64, 1] = _scaled_dot_product_efficient_attention_backward[2]
    clone_8: f32[2, 4, 32, 16] = aten.clone.default(getitem_10, memory_format=torch.contiguous_format)
    view_24: f32[8, 32, 16] = aten.reshape.default(clone_8, [8, 32, 16])
    clone_9: f32[2, 4, 32, 16] = aten.clone.default(getitem_9, memory_format=torch.contiguous_format)
    view_25: f32[8, 32, 16] = aten.reshape.default(clone_9, [8, 32, 16])
    clone_10: f32[2, 4, 32, 16] = aten.clone.default(getitem_8, memory_format=torch.contiguous_format)
    view_26: f32[8, 32, 16] = aten.reshape.default(clone_10, [8, 32, 16])
    permute_26: f32[32, 8, 16][16, 512, 1] = aten.permute.default(view_24, [1, 0, 2])
    clone_11: f32[32, 8, 16] = aten.clone.default(permute_26, memory_format=torch.contiguous_format)
    view_27: f32[32, 2, 64] = aten.reshape.default(clone_11, [32, 2, 64])
    permute_27: f32[32, 8, 16][16, 512, 1] = aten.permute.default(view_25, [1, 0, 2])
    clone_12: f32[32, 8, 16] = aten.clone.default(permute_27, memory_format=torch.contiguous_format)
    view_28: f32[32, 2, 64] = aten.reshape.default(clone_12, [32, 2, 64])
    permute_28: f32[32, 8, 16][16, 512, 1] = aten.permute.default(view_26, [1, 0, 2])
    clone_13: f32[32, 8, 16] = aten.clone.default(permute_28, memory_format=torch.contiguous_format)
    view_29: f32[32, 2, 64] = aten.reshape.default(clone_13, [32, 2, 64])
    full_default_1: f32[3, 32, 2, 64] = aten.full.default([3, 32, 2, 64], 0, dtype=torch.float32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    select_scatter_default: f32[3, 32, 2, 64] = aten.select_scatter.default(full_default_1, view_27, 0, 2)
    select_scatter_default_1: f32[3, 32, 2, 64] = aten.select_scatter.default(full_default_1, view_28, 0, 1)
    add_8: f32[3, 32, 2, 64] = aten.add.Tensor(select_scatter_default, select_scatter_default_1)
    select_scatter_default_2: f32[3, 32, 2, 64] = aten.select_scatter.default(full_default_1, view_29, 0, 0)
    add_9: f32[3, 32, 2, 64] = aten.add.Tensor(add_8, select_scatter_default_2)
    unsqueeze_1: f32[3, 32, 2, 1, 64] = aten.unsqueeze.default(add_9, 3)
    permute_29: f32[1, 32, 2, 3, 64][64, 128, 64, 4096, 1] = aten.permute.default(unsqueeze_1, [3, 1, 2, 0, 4])
    squeeze_1: f32[32, 2, 3, 64][128, 64, 4096, 1] = aten.squeeze.dim(permute_29, 0)
    clone_14: f32[32, 2, 3, 64] = aten.clone.default(squeeze_1, memory_format=torch.contiguous_format)
    view_30: f32[32, 2, 192] = aten.reshape.default(clone_14, [32, 2, 192])
    sum_12: f32[1, 1, 192] = aten.sum.dim_IntList(view_30, [0, 1], True)
    view_31: f32[192] = aten.reshape.default(sum_12, [192])
    view_32: f32[64, 192] = aten.reshape.default(view_30, [64, 192])
    permute_30: f32[192, 64][1, 192] = aten.permute.default(view_32, [1, 0])
    mm_7: f32[192, 64] = aten.mm.default(permute_30, view)
    return (None, view_31, mm_7, mm_6, view_22, sum_9, sum_10, mm_4, view_19, mm_2, view_16, sum_3, sum_4)
