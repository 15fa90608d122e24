# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

# graph_0: triton_red_fused_cat_prepare_softmax_online_view_0
@triton_heuristics.reduction(
    size_hints={'x': 64, 'r0_': 32},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'ks0': 'i64', 'ks1': 'i64', 'ks2': 'i64', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_red_fused_cat_prepare_softmax_online_view_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 4,
        'num_store': 2,
        'num_reduction': 2,
        'autotune_hints': set(),
        'tiling_scores': {'x': 640, 'r0_': 5120},
    },
)
@triton.jit
def triton_red_fused_cat_prepare_softmax_online_view_0(in_ptr0, in_ptr1, out_ptr0, out_ptr1, ks0, ks1, ks2, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = xindex
    _tmp16 = tl.full([XBLOCK, R0_BLOCK], float("-inf"), tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_1 = r0_index
        tmp0 = (r0_1 + ks0*x0).to(tl.int32)
        tmp1 = tl.full([1, 1], 0, tl.int64)
        tmp2 = tmp0 >= tmp1
        tmp3 = (r0_1 + ks0*x0).to(tl.int64)
        tmp4 = (tmp3).to(tl.int64)
        tmp5 = (ks0*ks1).to(tl.int64)
        tmp6 = (tmp5).to(tl.int64)
        tmp7 = tmp4 < tmp6
        tmp8 = tl.load(in_ptr0 + (r0_1 + ks0*x0), r0_mask & tmp7 & xmask, eviction_policy='evict_last', other=0.0)
        tmp9 = (ks0*ks1).to(tl.int32)
        tmp10 = tmp0 >= tmp9
        tmp11 = (ks0*ks1 + ks0*ks2).to(tl.int32)
        tmp12 = tmp0 < tmp11
        tmp13 = tl.load(in_ptr1 + (r0_1 + ks0*x0 + ((-1)*ks0*ks1)), r0_mask & tmp10 & xmask, eviction_policy='evict_last', other=0.0)
        tmp14 = tl.where(tmp7, tmp8, tmp13)
        tmp15 = tl.broadcast_to(tmp14, [XBLOCK, R0_BLOCK])
        tmp17 = triton_helpers.maximum(_tmp16, tmp15)
        _tmp16 = tl.where(r0_mask & xmask, tmp17, _tmp16)
    tmp16 = triton_helpers.max2(_tmp16, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp16, xmask)
    _tmp36 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_1 = r0_index
        tmp18 = (r0_1 + ks0*x0).to(tl.int32)
        tmp19 = tl.full([1, 1], 0, tl.int64)
        tmp20 = tmp18 >= tmp19
        tmp21 = (r0_1 + ks0*x0).to(tl.int64)
        tmp22 = (tmp21).to(tl.int64)
        tmp23 = (ks0*ks1).to(tl.int64)
        tmp24 = (tmp23).to(tl.int64)
        tmp25 = tmp22 < tmp24
        tmp26 = tl.load(in_ptr0 + (r0_1 + ks0*x0), r0_mask & tmp25 & xmask, eviction_policy='evict_last', other=0.0)
        tmp27 = (ks0*ks1).to(tl.int32)
        tmp28 = tmp18 >= tmp27
        tmp29 = (ks0*ks1 + ks0*ks2).to(tl.int32)
        tmp30 = tmp18 < tmp29
        tmp31 = tl.load(in_ptr1 + (r0_1 + ks0*x0 + ((-1)*ks0*ks1)), r0_mask & tmp28 & xmask, eviction_policy='evict_last', other=0.0)
        tmp32 = tl.where(tmp25, tmp26, tmp31)
        tmp33 = tmp32 - tmp16
        tmp34 = libdevice.exp(tmp33)
        tmp35 = tl.broadcast_to(tmp34, [XBLOCK, R0_BLOCK])
        tmp37 = _tmp36 + tmp35
        _tmp36 = tl.where(r0_mask & xmask, tmp37, _tmp36)
    tmp36 = tl.sum(_tmp36, 1)[:, None]
    tl.store(out_ptr1 + (x0), tmp36, xmask)


# graph_0: triton_poi_fused__softmax_cat_view_1
@triton_heuristics.pointwise(
    size_hints={'x': 2048},
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'out_ptr0': '*fp32', 'ks0': 'i64', 'ks1': 'i64', 'ks2': 'i64', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_poi_fused__softmax_cat_view_1',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 4,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__softmax_cat_view_1(in_ptr0, in_ptr1, in_ptr2, in_ptr3, out_ptr0, ks0, ks1, ks2, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x2 = xindex
    x0 = (xindex % ks0)
    x1 = xindex // ks0
    tmp15 = tl.load(in_ptr2 + (x1), xmask, eviction_policy='evict_last')
    tmp18 = tl.load(in_ptr3 + (x1), xmask, eviction_policy='evict_last')
    tmp0 = (x2).to(tl.int32)
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = (x2).to(tl.int64)
    tmp4 = (tmp3).to(tl.int64)
    tmp5 = (ks0*ks1).to(tl.int64)
    tmp6 = (tmp5).to(tl.int64)
    tmp7 = tmp4 < tmp6
    tmp8 = tl.load(in_ptr0 + (x0 + ks0*x1), tmp7 & xmask, eviction_policy='evict_last', other=0.0)
    tmp9 = (ks0*ks1).to(tl.int32)
    tmp10 = tmp0 >= tmp9
    tmp11 = (ks0*ks1 + ks0*ks2).to(tl.int32)
    tmp12 = tmp0 < tmp11
    tmp13 = tl.load(in_ptr1 + (x0 + ks0*x1 + ((-1)*ks0*ks1)), tmp10 & xmask, eviction_policy='evict_last', other=0.0)
    tmp14 = tl.where(tmp7, tmp8, tmp13)
    tmp16 = tmp14 - tmp15
    tmp17 = libdevice.exp(tmp16)
    tmp19 = (tmp17 / tmp18)
    tl.store(out_ptr0 + (x2), tmp19, xmask)
