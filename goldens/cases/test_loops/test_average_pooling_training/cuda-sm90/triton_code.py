# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0_forward: triton_poi_fused_avg_pool2d_0
@triton_heuristics.pointwise(
    size_hints={'x': 4096},
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'autotune_hints': set(),
        'kernel_name': 'triton_poi_fused_avg_pool2d_0',
        'mutated_arg_names': [],
        'optimize_mem': False,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 9,
        'num_store': 1,
        'num_reduction': 0,
        'tiling_scores': {'x': 180224},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_avg_pool2d_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x1 = ((xindex // 16) % 16)
    x0 = (xindex % 16)
    x4 = xindex
    tmp0 = (-1) + x1
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = tl.full([1], 16, tl.int64)
    tmp4 = tmp0 < tmp3
    tmp5 = tmp2 & tmp4
    tmp6 = (-1) + x0
    tmp7 = tmp6 >= tmp1
    tmp8 = tmp6 < tmp3
    tmp9 = tmp7 & tmp8
    tmp10 = tmp5 & tmp9
    tmp11 = tl.load(in_ptr0 + ((-17) + x4), tmp10, other=0.0)
    tmp12 = x0
    tmp13 = tmp12 >= tmp1
    tmp14 = tmp12 < tmp3
    tmp15 = tmp13 & tmp14
    tmp16 = tmp5 & tmp15
    tmp17 = tl.load(in_ptr0 + ((-16) + x4), tmp16, other=0.0)
    tmp18 = tmp11 + tmp17
    tmp19 = 1 + x0
    tmp20 = tmp19 >= tmp1
    tmp21 = tmp19 < tmp3
    tmp22 = tmp20 & tmp21
    tmp23 = tmp5 & tmp22
    tmp24 = tl.load(in_ptr0 + ((-15) + x4), tmp23, other=0.0)
    tmp25 = tmp18 + tmp24
    tmp26 = x1
    tmp27 = tmp26 >= tmp1
    tmp28 = tmp26 < tmp3
    tmp29 = tmp27 & tmp28
    tmp30 = tmp29 & tmp9
    tmp31 = tl.load(in_ptr0 + ((-1) + x4), tmp30, other=0.0)
    tmp32 = tmp25 + tmp31
    tmp33 = tmp29 & tmp15
    tmp34 = tl.load(in_ptr0 + (x4), tmp33, other=0.0)
    tmp35 = tmp32 + tmp34
    tmp36 = tmp29 & tmp22
    tmp37 = tl.load(in_ptr0 + (1 + x4), tmp36, other=0.0)
    tmp38 = tmp35 + tmp37
    tmp39 = 1 + x1
    tmp40 = tmp39 >= tmp1
    tmp41 = tmp39 < tmp3
    tmp42 = tmp40 & tmp41
    tmp43 = tmp42 & tmp9
    tmp44 = tl.load(in_ptr0 + (15 + x4), tmp43, other=0.0)
    tmp45 = tmp38 + tmp44
    tmp46 = tmp42 & tmp15
    tmp47 = tl.load(in_ptr0 + (16 + x4), tmp46, other=0.0)
    tmp48 = tmp45 + tmp47
    tmp49 = tmp42 & tmp22
    tmp50 = tl.load(in_ptr0 + (17 + x4), tmp49, other=0.0)
    tmp51 = tmp48 + tmp50
    tmp52 = 1 + ((-1)*x0) + ((-1)*x1) + x0*x1 + ((17) * ((17) <= (2 + x0)) + (2 + x0) * ((2 + x0) < (17)))*((17) * ((17) <= (2 + x1)) + (2 + x1) * ((2 + x1) < (17))) + ((-1)*x0*((17) * ((17) <= (2 + x1)) + (2 + x1) * ((2 + x1) < (17)))) + ((-1)*x1*((17) * ((17) <= (2 + x0)) + (2 + x0) * ((2 + x0) < (17)))) + ((17) * ((17) <= (2 + x0)) + (2 + x0) * ((2 + x0) < (17))) + ((17) * ((17) <= (2 + x1)) + (2 + x1) * ((2 + x1) < (17)))
    tmp53 = (tmp51 / tmp52)
    tl.store(out_ptr0 + (x4), tmp53, None)


# graph_0_backward: triton_poi_fused_avg_pool2d_backward_0
@triton_heuristics.pointwise(
    size_hints={'y': 256, 'x': 16}, tile_hint=TileHint.SQUARE,
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'ynumel': 'i32', 'xnumel': 'i32', 'YBLOCK': 'constexpr', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid2D',
        'autotune_hints': set(),
        'kernel_name': 'triton_poi_fused_avg_pool2d_backward_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 9,
        'num_store': 1,
        'num_reduction': 0,
        'tiling_scores': {'y': 65536, 'x': 114688},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_avg_pool2d_backward_0(in_ptr0, out_ptr0, ynumel, xnumel, YBLOCK : tl.constexpr, XBLOCK : tl.constexpr):
    ynumel = 256
    xnumel = 16
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < ynumel
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < xnumel
    x2 = xindex
    y0 = (yindex % 16)
    y1 = yindex // 16
    y3 = yindex
    tmp0 = tl.load(in_ptr0 + (16*((((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) * ((((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16))))) + ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) * (((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) < (((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))))) + 256*y1 + ((((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) * ((((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16))))) + ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) * (((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) < (((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0))))))), xmask & ymask, eviction_policy='evict_last')
    tmp11 = tl.load(in_ptr0 + (16*((((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) * ((((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16))))) + ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) * (((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) < (((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))))) + 256*y1 + ((1 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) * ((1 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16))))) + ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) * (((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) < (1 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0))))))), xmask & ymask, eviction_policy='evict_last')
    tmp18 = tl.load(in_ptr0 + (16*((((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) * ((((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16))))) + ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) * (((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) < (((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))))) + 256*y1 + ((2 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) * ((2 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16))))) + ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) * (((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) < (2 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0))))))), xmask & ymask, eviction_policy='evict_last')
    tmp25 = tl.load(in_ptr0 + (16*((1 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) * ((1 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16))))) + ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) * (((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) < (1 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))))) + 256*y1 + ((((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) * ((((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16))))) + ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) * (((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) < (((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0))))))), xmask & ymask, eviction_policy='evict_last')
    tmp32 = tl.load(in_ptr0 + (16*((1 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) * ((1 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16))))) + ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) * (((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) < (1 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))))) + 256*y1 + ((1 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) * ((1 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16))))) + ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) * (((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) < (1 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0))))))), xmask & ymask, eviction_policy='evict_last')
    tmp37 = tl.load(in_ptr0 + (16*((1 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) * ((1 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16))))) + ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) * (((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) < (1 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))))) + 256*y1 + ((2 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) * ((2 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16))))) + ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) * (((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) < (2 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0))))))), xmask & ymask, eviction_policy='evict_last')
    tmp42 = tl.load(in_ptr0 + (16*((2 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) * ((2 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16))))) + ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) * (((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) < (2 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))))) + 256*y1 + ((((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) * ((((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16))))) + ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) * (((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) < (((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0))))))), xmask & ymask, eviction_policy='evict_last')
    tmp49 = tl.load(in_ptr0 + (16*((2 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) * ((2 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16))))) + ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) * (((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) < (2 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))))) + 256*y1 + ((1 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) * ((1 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16))))) + ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) * (((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) < (1 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0))))))), xmask & ymask, eviction_policy='evict_last')
    tmp54 = tl.load(in_ptr0 + (16*((2 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) * ((2 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16))))) + ((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) * (((-1) + ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))) < (2 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))))) + 256*y1 + ((2 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) * ((2 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))) <= ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16))))) + ((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) * (((-1) + ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))) < (2 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0))))))), xmask & ymask, eviction_policy='evict_last')
    tmp1 = (tmp0 / 9)
    tmp2 = ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))
    tmp3 = ((16) * ((16) <= (2 + y0)) + (2 + y0) * ((2 + y0) < (16)))
    tmp4 = tmp2 < tmp3
    tmp5 = ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))
    tmp6 = ((16) * ((16) <= (2 + x2)) + (2 + x2) * ((2 + x2) < (16)))
    tmp7 = tmp5 < tmp6
    tmp8 = tmp4 & tmp7
    tmp9 = tl.full([1, 1], 0.0, tl.float32)
    tmp10 = tl.where(tmp8, tmp1, tmp9)
    tmp12 = (tmp11 / 9)
    tmp13 = 1 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))
    tmp14 = tmp13 < tmp6
    tmp15 = tmp4 & tmp14
    tmp16 = tmp10 + tmp12
    tmp17 = tl.where(tmp15, tmp16, tmp10)
    tmp19 = (tmp18 / 9)
    tmp20 = 2 + ((0) * ((0) >= ((-1) + x2)) + ((-1) + x2) * (((-1) + x2) > (0)))
    tmp21 = tmp20 < tmp6
    tmp22 = tmp4 & tmp21
    tmp23 = tmp17 + tmp19
    tmp24 = tl.where(tmp22, tmp23, tmp17)
    tmp26 = (tmp25 / 9)
    tmp27 = 1 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))
    tmp28 = tmp27 < tmp3
    tmp29 = tmp28 & tmp7
    tmp30 = tmp24 + tmp26
    tmp31 = tl.where(tmp29, tmp30, tmp24)
    tmp33 = (tmp32 / 9)
    tmp34 = tmp28 & tmp14
    tmp35 = tmp31 + tmp33
    tmp36 = tl.where(tmp34, tmp35, tmp31)
    tmp38 = (tmp37 / 9)
    tmp39 = tmp28 & tmp21
    tmp40 = tmp36 + tmp38
    tmp41 = tl.where(tmp39, tmp40, tmp36)
    tmp43 = (tmp42 / 9)
    tmp44 = 2 + ((0) * ((0) >= ((-1) + y0)) + ((-1) + y0) * (((-1) + y0) > (0)))
    tmp45 = tmp44 < tmp3
    tmp46 = tmp45 & tmp7
    tmp47 = tmp41 + tmp43
    tmp48 = tl.where(tmp46, tmp47, tmp41)
    tmp50 = (tmp49 / 9)
    tmp51 = tmp45 & tmp14
    tmp52 = tmp48 + tmp50
    tmp53 = tl.where(tmp51, tmp52, tmp48)
    tmp55 = (tmp54 / 9)
    tmp56 = tmp45 & tmp21
    tmp57 = tmp53 + tmp55
    tmp58 = tl.where(tmp56, tmp57, tmp53)
    tl.store(out_ptr0 + (x2 + 16*y3), tmp58, xmask & ymask)
