# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0: triton_per_fused__softmax_argmax_div_exponential_prepare_softmax_online_0
@triton_heuristics.persistent_reduction(
    size_hints={'x': 8, 'r0_': 1024},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr3': '*i64', 'load_seed_offset': 'i32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'},
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
        'kernel_name': 'triton_per_fused__softmax_argmax_div_exponential_prepare_softmax_online_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': None,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 1,
        'num_reduction': 5,
        'tiling_scores': {'x': 128, 'r0_': 32000},
    },
)
@triton.jit
def triton_per_fused__softmax_argmax_div_exponential_prepare_softmax_online_0(in_ptr0, in_ptr1, out_ptr3, load_seed_offset, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 8
    r0_numel = 1000
    R0_BLOCK: tl.constexpr = 1024
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = r0_index < r0_numel
    roffset = r0_offset
    rindex = r0_index
    r0_1 = r0_index
    x0 = xindex
    tmp3 = tl.load(in_ptr1 + (r0_1 + 1000*x0), r0_mask & xmask, other=0.0)
    tmp0 = tl.load(in_ptr0 + load_seed_offset)
    tmp1 = r0_1 + 1000*x0
    tmp2 = tl.rand(tmp0, (tmp1).to(tl.uint32))
    tmp4 = tl.broadcast_to(tmp3, [XBLOCK, R0_BLOCK])
    tmp6 = tl.broadcast_to(tmp4, [XBLOCK, R0_BLOCK])
    tmp8 = tl.where(r0_mask & xmask, tmp6, float("-inf"))
    tmp9 = triton_helpers.max2(tmp8, 1)[:, None].to(tl.float32)
    tmp10 = tmp4 - tmp9
    tmp11 = libdevice.exp(tmp10)
    tmp12 = tl.broadcast_to(tmp11, [XBLOCK, R0_BLOCK])
    tmp14 = tl.where(r0_mask & xmask, tmp12, 0)
    tmp15 = tl.sum(tmp14, 1)[:, None].to(tl.float32)
    tmp16 = tmp3 - tmp9
    tmp17 = libdevice.exp(tmp16)
    tmp18 = (tmp17 / tmp15)
    tmp19 = tl.full([1, 1], 0.9999999403953552, tl.float32)
    tmp20 = tmp2 >= tmp19
    tmp21 = tl_math.log(tmp2)
    tmp22 = tl.full([1, 1], -5.960464477539063e-08, tl.float32)
    tmp23 = tl.where(tmp20, tmp22, tmp21)
    tmp24 = tl.full([1, 1], -1.0, tl.float32)
    tmp25 = tmp23 * tmp24
    tmp26 = (tmp18 / tmp25)
    tmp27 = tl.broadcast_to(tmp26, [XBLOCK, R0_BLOCK])
    tmp29 = tl.where(r0_mask & xmask, tmp27, float("-inf"))
    tmp30 = tl.broadcast_to(rindex, tmp29.shape)
    tmp28_val, tmp28_idx = triton_helpers.max_with_index(tmp29, tmp30, 1)
    tmp28 = tmp28_idx[:, None]
    tl.store(out_ptr3 + (x0), tmp28, xmask)
