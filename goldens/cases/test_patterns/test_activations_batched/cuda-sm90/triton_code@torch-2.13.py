# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

# graph_0: triton_poi_fused_split_0
@triton_heuristics.pointwise(
    size_hints={'x': 16384},
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_poi_fused_split_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 6,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
        'tiling_scores': {'x': 180000},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_split_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 15000
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x2 = xindex // 2500
    x0 = (xindex % 50)
    x1 = ((xindex // 50) % 50)
    x3 = (xindex % 2500)
    tmp0 = (x2).to(tl.int32)
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = (x2).to(tl.int64)
    tmp4 = (tmp3).to(tl.int64)
    tmp5 = tl.full([1], 1, tl.int64)
    tmp6 = tmp4 < tmp5
    tmp7 = tl.load(in_ptr0 + (x0 + 300*x1), tmp6 & xmask, eviction_policy='evict_last', other=0.0)
    tmp8 = tmp4 >= tmp5
    tmp9 = tl.full([1], 2, tl.int64)
    tmp10 = tmp4 < tmp9
    tmp11 = tmp8 & tmp10
    tmp12 = tl.load(in_ptr0 + (50 + x0 + 300*x1), tmp11 & xmask, eviction_policy='evict_last', other=0.0)
    tmp13 = tmp4 >= tmp9
    tmp14 = tl.full([1], 3, tl.int64)
    tmp15 = tmp4 < tmp14
    tmp16 = tmp13 & tmp15
    tmp17 = tl.load(in_ptr0 + (100 + x0 + 300*x1), tmp16 & xmask, eviction_policy='evict_last', other=0.0)
    tmp18 = tmp4 >= tmp14
    tmp19 = tl.full([1], 4, tl.int64)
    tmp20 = tmp4 < tmp19
    tmp21 = tmp18 & tmp20
    tmp22 = tl.load(in_ptr0 + (150 + x0 + 300*x1), tmp21 & xmask, eviction_policy='evict_last', other=0.0)
    tmp23 = tmp4 >= tmp19
    tmp24 = tl.full([1], 5, tl.int64)
    tmp25 = tmp4 < tmp24
    tmp26 = tmp23 & tmp25
    tmp27 = tl.load(in_ptr0 + (200 + x0 + 300*x1), tmp26 & xmask, eviction_policy='evict_last', other=0.0)
    tmp28 = tmp0 >= tmp24
    tmp29 = tl.full([1], 6, tl.int64)
    tmp30 = tmp0 < tmp29
    tmp31 = tl.load(in_ptr0 + (250 + x0 + 300*x1), tmp28 & xmask, eviction_policy='evict_last', other=0.0)
    tmp32 = tl.where(tmp26, tmp27, tmp31)
    tmp33 = tl.where(tmp21, tmp22, tmp32)
    tmp34 = tl.where(tmp16, tmp17, tmp33)
    tmp35 = tl.where(tmp11, tmp12, tmp34)
    tmp36 = tl.where(tmp6, tmp7, tmp35)
    tl.store(out_ptr0 + (x3 + 2528*x2), tmp36, xmask)


# graph_0: triton_poi_fused_cat_relu_tanh_1
@triton_heuristics.pointwise(
    size_hints={'x': 16384},
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_poi_fused_cat_relu_tanh_1',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 6,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
        'tiling_scores': {'x': 480000},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_cat_relu_tanh_1(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 15000
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 50
    x0 = (xindex % 50)
    x2 = xindex
    tmp0 = (x1).to(tl.int32)
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = (x1).to(tl.int64)
    tmp4 = (tmp3).to(tl.int64)
    tmp5 = tl.full([1], 50, tl.int64)
    tmp6 = tmp4 < tmp5
    tmp7 = tl.load(in_ptr0 + (x0 + 50*(x1)), tmp6 & xmask, other=0.0)
    tmp8 = tl.full([1], 0, tl.int32)
    tmp9 = triton_helpers.maximum(tmp8, tmp7)
    tmp10 = libdevice.tanh(tmp9)
    tmp11 = tl.full(tmp10.shape, 0.0, tmp10.dtype)
    tmp12 = tl.where(tmp6, tmp10, tmp11)
    tmp13 = tmp4 >= tmp5
    tmp14 = tl.full([1], 100, tl.int64)
    tmp15 = tmp4 < tmp14
    tmp16 = tmp13 & tmp15
    tmp17 = tl.load(in_ptr0 + (2528 + x0 + 50*((-50) + x1)), tmp16 & xmask, other=0.0)
    tmp18 = tl.full([1], 0, tl.int32)
    tmp19 = triton_helpers.maximum(tmp18, tmp17)
    tmp20 = libdevice.tanh(tmp19)
    tmp21 = tl.full(tmp20.shape, 0.0, tmp20.dtype)
    tmp22 = tl.where(tmp16, tmp20, tmp21)
    tmp23 = tmp4 >= tmp14
    tmp24 = tl.full([1], 150, tl.int64)
    tmp25 = tmp4 < tmp24
    tmp26 = tmp23 & tmp25
    tmp27 = tl.load(in_ptr0 + (5056 + x0 + 50*((-100) + x1)), tmp26 & xmask, other=0.0)
    tmp28 = tl.full([1], 0, tl.int32)
    tmp29 = triton_helpers.maximum(tmp28, tmp27)
    tmp30 = libdevice.tanh(tmp29)
    tmp31 = tl.full(tmp30.shape, 0.0, tmp30.dtype)
    tmp32 = tl.where(tmp26, tmp30, tmp31)
    tmp33 = tmp4 >= tmp24
    tmp34 = tl.full([1], 200, tl.int64)
    tmp35 = tmp4 < tmp34
    tmp36 = tmp33 & tmp35
    tmp37 = tl.load(in_ptr0 + (7584 + x0 + 50*((-150) + x1)), tmp36 & xmask, other=0.0)
    tmp38 = tl.full([1], 0, tl.int32)
    tmp39 = triton_helpers.maximum(tmp38, tmp37)
    tmp40 = libdevice.tanh(tmp39)
    tmp41 = tl.full(tmp40.shape, 0.0, tmp40.dtype)
    tmp42 = tl.where(tmp36, tmp40, tmp41)
    tmp43 = tmp4 >= tmp34
    tmp44 = tl.full([1], 250, tl.int64)
    tmp45 = tmp4 < tmp44
    tmp46 = tmp43 & tmp45
    tmp47 = tl.load(in_ptr0 + (10112 + x0 + 50*((-200) + x1)), tmp46 & xmask, other=0.0)
    tmp48 = tl.full([1], 0, tl.int32)
    tmp49 = triton_helpers.maximum(tmp48, tmp47)
    tmp50 = libdevice.tanh(tmp49)
    tmp51 = tl.full(tmp50.shape, 0.0, tmp50.dtype)
    tmp52 = tl.where(tmp46, tmp50, tmp51)
    tmp53 = tmp0 >= tmp44
    tmp54 = tl.full([1], 300, tl.int64)
    tmp55 = tmp0 < tmp54
    tmp56 = tl.load(in_ptr0 + (12640 + x0 + 50*((-250) + x1)), tmp53 & xmask, other=0.0)
    tmp57 = tl.full([1], 0, tl.int32)
    tmp58 = triton_helpers.maximum(tmp57, tmp56)
    tmp59 = libdevice.tanh(tmp58)
    tmp60 = tl.full(tmp59.shape, 0.0, tmp59.dtype)
    tmp61 = tl.where(tmp53, tmp59, tmp60)
    tmp62 = tl.where(tmp46, tmp52, tmp61)
    tmp63 = tl.where(tmp36, tmp42, tmp62)
    tmp64 = tl.where(tmp26, tmp32, tmp63)
    tmp65 = tl.where(tmp16, tmp22, tmp64)
    tmp66 = tl.where(tmp6, tmp12, tmp65)
    tl.store(out_ptr0 + (x2), tmp66, xmask)
