# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.14.1, triton: 3.8.0, normaliser: 1

# graph_0_forward: triton_poi_fused__to_copy_add_cos_mul_neg_sin_0
@triton_heuristics.pointwise(
    size_hints={'x': 4096},
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*bf16', 'out_ptr1': '*fp32', 'out_ptr2': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_poi_fused__to_copy_add_cos_mul_neg_sin_0',
        'mutated_arg_names': [],
        'optimize_mem': False,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 2,
        'num_reduction': 0,
        'autotune_hints': set(),
        'tiling_scores': {'x': 73728},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy_add_cos_mul_neg_sin_0(in_ptr0, out_ptr1, out_ptr2, xnumel, XBLOCK : tl.constexpr):
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None).to(tl.float32)
    tmp1 = tmp0.to(tl.float32)
    tmp2 = tl.full([1], 1.5, tl.float32)
    tmp3 = tmp1 * tmp2
    tmp4 = tmp3 * tmp2
    tmp5 = tl.full([1], 1.0, tl.float32)
    tmp6 = tmp4 + tmp5
    tmp7 = tmp6 * tmp2
    tmp8 = tl.full([1], 2.0, tl.float32)
    tmp9 = tmp7 + tmp8
    tmp10 = tmp9 * tmp2
    tmp11 = tl.full([1], 3.0, tl.float32)
    tmp12 = tmp10 + tmp11
    tmp13 = tmp12 * tmp2
    tmp14 = tl.full([1], 4.0, tl.float32)
    tmp15 = tmp13 + tmp14
    tmp16 = tmp15 * tmp2
    tmp17 = tl.full([1], 5.0, tl.float32)
    tmp18 = tmp16 + tmp17
    tmp19 = tmp18 * tmp2
    tmp20 = tl.full([1], 6.0, tl.float32)
    tmp21 = tmp19 + tmp20
    tmp22 = tmp21 * tmp2
    tmp23 = tl.full([1], 7.0, tl.float32)
    tmp24 = tmp22 + tmp23
    tmp25 = tmp24 * tmp2
    tmp26 = tl.full([1], 8.0, tl.float32)
    tmp27 = tmp25 + tmp26
    tmp28 = tmp27 * tmp2
    tmp29 = tl.full([1], 9.0, tl.float32)
    tmp30 = tmp28 + tmp29
    tmp31 = tl_math.cos(tmp30)
    tmp32 = tl_math.sin(tmp30)
    tmp33 = -tmp32
    tl.store(out_ptr1 + (x0), tmp31, None)
    tl.store(out_ptr2 + (x0), tmp33, None)


# graph_0_backward: triton_poi_fused__to_copy_mul_0
@triton_heuristics.pointwise(
    size_hints={'x': 4096},
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_poi_fused__to_copy_mul_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 2,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
        'tiling_scores': {'x': 49152},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy_mul_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.load(in_ptr1 + (x0), None)
    tmp2 = tmp0 * tmp1
    tmp3 = tl.full([1], 1.5, tl.float32)
    tmp4 = tmp2 * tmp3
    tmp5 = tmp4 * tmp3
    tmp6 = tmp5 * tmp3
    tmp7 = tmp6 * tmp3
    tmp8 = tmp7 * tmp3
    tmp9 = tmp8 * tmp3
    tmp10 = tmp9 * tmp3
    tmp11 = tmp10 * tmp3
    tmp12 = tmp11 * tmp3
    tmp13 = tmp12 * tmp3
    tmp14 = tmp13.to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp14, None)
