# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

# graph_0: triton_poi_fused_add_clamp_elu_hardswish_leaky_relu_softplus_0
@triton_heuristics.pointwise(
    size_hints={'x': 32768},
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
        'kernel_name': 'triton_poi_fused_add_clamp_elu_hardswish_leaky_relu_softplus_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
        'tiling_scores': {'x': 393216},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_clamp_elu_hardswish_leaky_relu_softplus_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 32768
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.full([1], 0.0, tl.float32)
    tmp2 = tmp0 > tmp1
    tmp3 = tl.full([1], 1.0, tl.float32)
    tmp4 = tmp0 * tmp3
    tmp5 = libdevice.expm1(tmp4)
    tmp6 = tmp5 * tmp3
    tmp7 = tl.where(tmp2, tmp4, tmp6)
    tmp8 = tl.full([1], 3.0, tl.float32)
    tmp9 = tmp0 + tmp8
    tmp10 = triton_helpers.maximum(tmp9, tmp1)
    tmp11 = tl.full([1], 6.0, tl.float32)
    tmp12 = triton_helpers.minimum(tmp10, tmp11)
    tmp13 = tmp0 * tmp12
    tmp14 = tl.full([1], 0.16666666666666666, tl.float32)
    tmp15 = tmp13 * tmp14
    tmp16 = tmp7 + tmp15
    tmp17 = tl.full([1], 20.0, tl.float32)
    tmp18 = tmp0 > tmp17
    tmp19 = libdevice.exp(tmp0)
    tmp20 = libdevice.log1p(tmp19)
    tmp21 = tl.where(tmp18, tmp0, tmp20)
    tmp22 = tmp16 + tmp21
    tmp23 = tl.full([1], -1.0, tl.float32)
    tmp24 = triton_helpers.maximum(tmp0, tmp23)
    tmp25 = triton_helpers.minimum(tmp24, tmp3)
    tmp26 = tmp22 + tmp25
    tmp27 = tl.full([1], 0.01, tl.float32)
    tmp28 = tmp0 * tmp27
    tmp29 = tl.where(tmp2, tmp0, tmp28)
    tmp30 = tmp26 + tmp29
    tl.store(out_ptr0 + (x0), tmp30, None)
