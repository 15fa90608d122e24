# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

# graph_0: triton_poi_fused_add_mul_sin_0
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
        'kernel_name': 'triton_poi_fused_add_mul_sin_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
        'tiling_scores': {'x': 49152},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_mul_sin_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.full([1], 1.1, tl.float32)
    tmp2 = tmp0 * tmp1
    tmp3 = tl_math.sin(tmp2)
    tmp4 = tl.full([1], 0.1, tl.float32)
    tmp5 = tmp3 + tmp4
    tmp6 = tmp5 * tmp1
    tmp7 = tl_math.sin(tmp6)
    tmp8 = tmp7 + tmp4
    tmp9 = tmp8 * tmp1
    tmp10 = tl_math.sin(tmp9)
    tmp11 = tmp10 + tmp4
    tmp12 = tmp11 * tmp1
    tmp13 = tl_math.sin(tmp12)
    tmp14 = tmp13 + tmp4
    tmp15 = tmp14 * tmp1
    tmp16 = tl_math.sin(tmp15)
    tmp17 = tmp16 + tmp4
    tmp18 = tmp17 * tmp1
    tmp19 = tl_math.sin(tmp18)
    tmp20 = tmp19 + tmp4
    tmp21 = tmp20 * tmp1
    tmp22 = tl_math.sin(tmp21)
    tmp23 = tmp22 + tmp4
    tmp24 = tmp23 * tmp1
    tmp25 = tl_math.sin(tmp24)
    tmp26 = tmp25 + tmp4
    tmp27 = tmp26 * tmp1
    tmp28 = tl_math.sin(tmp27)
    tmp29 = tmp28 + tmp4
    tmp30 = tmp29 * tmp1
    tmp31 = tl_math.sin(tmp30)
    tmp32 = tmp31 + tmp4
    tmp33 = tmp32 * tmp1
    tmp34 = tl_math.sin(tmp33)
    tmp35 = tmp34 + tmp4
    tmp36 = tmp35 * tmp1
    tmp37 = tl_math.sin(tmp36)
    tmp38 = tmp37 + tmp4
    tmp39 = tmp38 * tmp1
    tmp40 = tl_math.sin(tmp39)
    tmp41 = tmp40 + tmp4
    tmp42 = tmp41 * tmp1
    tmp43 = tl_math.sin(tmp42)
    tmp44 = tmp43 + tmp4
    tmp45 = tmp44 * tmp1
    tmp46 = tl_math.sin(tmp45)
    tmp47 = tmp46 + tmp4
    tmp48 = tmp47 * tmp1
    tmp49 = tl_math.sin(tmp48)
    tmp50 = tmp49 + tmp4
    tmp51 = tmp50 * tmp1
    tmp52 = tl_math.sin(tmp51)
    tmp53 = tmp52 + tmp4
    tmp54 = tmp53 * tmp1
    tmp55 = tl_math.sin(tmp54)
    tmp56 = tmp55 + tmp4
    tmp57 = tmp56 * tmp1
    tmp58 = tl_math.sin(tmp57)
    tmp59 = tmp58 + tmp4
    tmp60 = tmp59 * tmp1
    tmp61 = tl_math.sin(tmp60)
    tmp62 = tmp61 + tmp4
    tl.store(out_ptr0 + (x0), tmp62, None)


# graph_0: triton_poi_fused_flip_1
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
        'kernel_name': 'triton_poi_fused_flip_1',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
        'tiling_scores': {'x': 49152},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_flip_1(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 64)
    x1 = xindex // 64
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (4032 + x0 + ((-64)*x1)), None)
    tl.store(out_ptr0 + (x2), tmp0, None)
