# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

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
        'autotune_hints': set(),
        'kernel_name': 'triton_poi_fused__to_copy_add_cos_mul_neg_sin_0',
        'mutated_arg_names': [],
        'optimize_mem': False,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 2,
        'num_reduction': 0,
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
    tmp4 = tl.full([1], 0.0, tl.float32)
    tmp5 = tmp3 + tmp4
    tmp6 = tmp5 * tmp2
    tmp7 = tl.full([1], 1.0, tl.float32)
    tmp8 = tmp6 + tmp7
    tmp9 = tmp8 * tmp2
    tmp10 = tl.full([1], 2.0, tl.float32)
    tmp11 = tmp9 + tmp10
    tmp12 = tmp11 * tmp2
    tmp13 = tl.full([1], 3.0, tl.float32)
    tmp14 = tmp12 + tmp13
    tmp15 = tmp14 * tmp2
    tmp16 = tl.full([1], 4.0, tl.float32)
    tmp17 = tmp15 + tmp16
    tmp18 = tmp17 * tmp2
    tmp19 = tl.full([1], 5.0, tl.float32)
    tmp20 = tmp18 + tmp19
    tmp21 = tmp20 * tmp2
    tmp22 = tl.full([1], 6.0, tl.float32)
    tmp23 = tmp21 + tmp22
    tmp24 = tmp23 * tmp2
    tmp25 = tl.full([1], 7.0, tl.float32)
    tmp26 = tmp24 + tmp25
    tmp27 = tmp26 * tmp2
    tmp28 = tl.full([1], 8.0, tl.float32)
    tmp29 = tmp27 + tmp28
    tmp30 = tmp29 * tmp2
    tmp31 = tl.full([1], 9.0, tl.float32)
    tmp32 = tmp30 + tmp31
    tmp33 = tl_math.cos(tmp32)
    tmp34 = tl_math.sin(tmp32)
    tmp35 = -tmp34
    tl.store(out_ptr1 + (x0), tmp33, None)
    tl.store(out_ptr2 + (x0), tmp35, None)


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
        'autotune_hints': set(),
        'kernel_name': 'triton_poi_fused__to_copy_mul_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 2,
        'num_store': 1,
        'num_reduction': 0,
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
