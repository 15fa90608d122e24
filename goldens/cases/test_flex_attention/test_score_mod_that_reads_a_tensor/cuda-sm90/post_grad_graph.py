# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(
    arg0_1: bf16[1, 4, 256, 64],
    arg1_1: bf16[1, 4, 256, 64],
    arg2_1: bf16[1, 4, 256, 64],
    arg3_1: f32[4],
):
    # f: return flex_attention(q, k, v, score_mod=alibi)
    full_3: i32[1, 1] = aten.full.default([1, 1], 1, dtype=torch.int32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    full_default_1: i32[1, 1, 1, 2] = aten.full.default([1, 1, 1, 2], 0, dtype=torch.int32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    iota_3: i64[1] = prims.iota.default(1, start=0, step=1, dtype=torch.int64, device=device('cuda:0'), requires_grad=False)
    unsqueeze_4: i64[1, 1] = aten.unsqueeze.default(iota_3, -1)
    unsqueeze_5: i64[1, 1, 1] = aten.unsqueeze.default(unsqueeze_4, -1)
    unsqueeze_6: i64[1, 1, 1, 1] = aten.unsqueeze.default(unsqueeze_5, -1)
    iota_2: i64[1] = prims.iota.default(1, start=0, step=1, dtype=torch.int64, device=device('cuda:0'), requires_grad=False)
    unsqueeze_2: i64[1, 1] = aten.unsqueeze.default(iota_2, -1)
    unsqueeze_3: i64[1, 1, 1] = aten.unsqueeze.default(unsqueeze_2, -1)
    iota: i32[1] = prims.iota.default(1, start=0, step=1, dtype=torch.int32, device=device('cuda:0'), requires_grad=False)
    unsqueeze: i32[1, 1] = aten.unsqueeze.default(iota, -1)
    iota_1: i32[1] = prims.iota.default(1, start=0, step=1, dtype=torch.int32, device=device('cuda:0'), requires_grad=False)
    full: i32[1, 1, 1] = aten.full.default([1, 1, 1], 1, dtype=torch.int32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    unsqueeze_1: i32[1, 1, 1, 1] = aten.unsqueeze.default(full, 3)
    lt: b8[1, 1, 1, 1] = aten.lt.Tensor(iota_1, unsqueeze_1)
    full_default: i32[1, 1, 1, 1] = aten.full.default([1, 1, 1, 1], 0, dtype=torch.int32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    full_default_2: i32[()] = aten.full.default([], 1, dtype=torch.int32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    where: i32[1, 1, 1, 1] = aten.where.self(lt, full_default, full_default_2)
    full_default_3: i32[1, 1, 1, 1] = aten.full.default([1, 1, 1, 1], 1, dtype=torch.int32, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    index_put: i32[1, 1, 1, 2] = aten.index_put_.default(full_default_1, [unsqueeze_6, unsqueeze_3, unsqueeze, where], full_default_3)
    slice_3: i32[1, 1, 1, 1] = aten.slice.Tensor(index_put, 3, 0, 1)
    permute_1: i32[1, 1, 1, 1] = aten.permute.default(slice_3, [0, 1, 3, 2])
    sort = aten.sort.stable(permute_1, stable=True, descending=True)
    getitem_1: i64[1, 1, 1, 1] = sort[1]
    sdpa_score0 = self.sdpa_score0
    sdpa_mask0 = self.sdpa_mask0
    sum_1: i64[1, 1, 1] = aten.sum.dim_IntList(permute_1, [-1])
    convert_element_type: i32[1, 1, 1] = prims.convert_element_type.default(sum_1, torch.int32)
    convert_element_type_1: i32[1, 1, 1, 1] = prims.convert_element_type.default(getitem_1, torch.int32)
    flex_attention = higher_order.flex_attention(arg0_1, arg1_1, arg2_1, sdpa_score0, (1, 1, full, full_default, None, None, convert_element_type, convert_element_type_1, None, None, 1073741824, 1073741824, sdpa_mask0), 0.125, {'BACKEND': 'AUTO', 'PRESCALE_QK': False, 'ROWS_GUARANTEED_SAFE': False, 'BLOCKS_ARE_CONTIGUOUS': False, 'WRITE_DQ': True, 'OUTPUT_LOGSUMEXP': False, 'OUTPUT_MAX': False}, (arg3_1,), ())
    getitem_2: bf16[1, 4, 256, 64] = flex_attention[0]
    return (getitem_2,)


def graph_0__sdpa_score0(
    arg0_1: bf16[()],
    arg1_1: i32[()],
    arg2_1: i32[()],
    arg3_1: i32[()],
    arg4_1: i32[()],
    arg5_1: f32[4],
):
    # f: return flex_attention(q, k, v, score_mod=alibi)
    index: f32[()] = aten.index.Tensor(arg5_1, [arg2_1])
    sub: i32[()] = aten.sub.Tensor(arg4_1, arg3_1)
    mul: f32[()] = aten.mul.Tensor(index, sub)
    add: f32[()] = aten.add.Tensor(arg0_1, mul)
    return add


def graph_0__sdpa_mask0(arg0_1: i32[()], arg1_1: i32[()], arg2_1: i32[()], arg3_1: i32[()]):
    # f: return flex_attention(q, k, v, score_mod=alibi)
    full_default: b8[()] = aten.full.default([], True, dtype=torch.bool, layout=torch.strided, device=device('cuda:0'), pin_memory=False)
    return full_default
