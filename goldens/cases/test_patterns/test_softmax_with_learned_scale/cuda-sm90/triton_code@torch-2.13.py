# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

# graph_0: triton_per_fused__softmax_abs_all_amax_eq_ge_mul_ne_neg_scalar_tensor_sub_where_0
@triton_heuristics.persistent_reduction(
    size_hints={'x': 64, 'r0_': 512},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={
        'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_per_fused__softmax_abs_all_amax_eq_ge_mul_ne_neg_scalar_tensor_sub_where_0',
        'mutated_arg_names': ['in_out_ptr0'],
        'optimize_mem': True,
        'no_x_dim': None,
        'atomic_add_found': False,
        'num_load': 2,
        'num_store': 1,
        'num_reduction': 4,
        'autotune_hints': set(),
        'tiling_scores': {'x': 0, 'r0_': 393216},
    },
)
@triton.jit
def triton_per_fused__softmax_abs_all_amax_eq_ge_mul_ne_neg_scalar_tensor_sub_where_0(in_out_ptr0, in_ptr0, in_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 64
    r0_numel = 512
    R0_BLOCK: tl.constexpr = 512
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]
    roffset = r0_offset
    rindex = r0_index
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (r0_1 + 512*x0), xmask, eviction_policy='evict_first', other=0.0)
    tmp1 = tl.load(in_ptr1 + (0))
    tmp2 = tl.broadcast_to(tmp1, [1, 1])
    tmp3 = tmp0 * tmp2
    tmp4 = tmp3 == tmp3
    tmp5 = tl_math.abs(tmp3)
    tmp6 = tl.full([1, 1], float("inf"), tl.float32)
    tmp7 = tmp5 != tmp6
    tmp8 = tmp4 & tmp7
    tmp9 = tmp8 == 0
    tmp10 = tl.broadcast_to(tmp9, [XBLOCK, R0_BLOCK])
    tmp12 = tl.where(xmask, tmp10, False)
    tmp13 = triton_helpers.any(tmp12, 1)[:, None].to(tl.int1)
    tmp14 = tl.full([1, 1], 0.0, tl.float32)
    tmp15 = tmp2 >= tmp14
    tmp16 = tl.full([1, 1], 1.0, tl.float32)
    tmp17 = tl.full([1, 1], -1.0, tl.float32)
    tmp18 = tl.where(tmp15, tmp16, tmp17)
    tmp19 = tmp0 * tmp18
    tmp20 = tl.broadcast_to(tmp19, [XBLOCK, R0_BLOCK])
    tmp22 = tl.where(xmask, tmp20, float("-inf"))
    tmp23 = triton_helpers.max2(tmp22, 1)[:, None].to(tl.float32)
    tmp24 = tl.broadcast_to(tmp3, [XBLOCK, R0_BLOCK])
    tmp26 = tl.where(xmask, tmp24, float("-inf"))
    tmp27 = triton_helpers.max2(tmp26, 1)[:, None].to(tl.float32)
    tmp28 = tmp13 == 0
    tmp29 = tmp19 - tmp23
    tmp30 = tmp18 * tmp2
    tmp31 = tmp29 * tmp30
    tmp32 = tmp3 - tmp27
    tmp33 = tl.where(tmp28, tmp31, tmp32)
    tmp34 = libdevice.exp(tmp33)
    tmp35 = tl.broadcast_to(tmp34, [XBLOCK, R0_BLOCK])
    tmp37 = tl.where(xmask, tmp35, 0)
    tmp38 = tl.sum(tmp37, 1)[:, None].to(tl.float32)
    tmp39 = (tmp34 / tmp38)
    tl.store(in_out_ptr0 + (r0_1 + 512*x0), tmp39, xmask)
