# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.14.1, triton: 3.8.0, normaliser: 1

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
    tmp3 = libdevice.expm1(tmp0)
    tmp4 = tl.where(tmp2, tmp0, tmp3)
    tmp5 = tl.full([1], 3.0, tl.float32)
    tmp6 = tmp0 + tmp5
    tmp7 = tl.maximum(tmp6, tmp1, tl.PropagateNan.ALL)
    tmp8 = tl.full([1], 6.0, tl.float32)
    tmp9 = tl.minimum(tmp7, tmp8, tl.PropagateNan.ALL)
    tmp10 = tmp0 * tmp9
    tmp11 = tl.full([1], 0.16666666666666666, tl.float32)
    tmp12 = tmp10 * tmp11
    tmp13 = tmp4 + tmp12
    tmp14 = tl.full([1], 20.0, tl.float32)
    tmp15 = tmp0 > tmp14
    tmp16 = libdevice.exp(tmp0)
    tmp17 = libdevice.log1p(tmp16)
    tmp18 = tl.where(tmp15, tmp0, tmp17)
    tmp19 = tmp13 + tmp18
    tmp20 = tl.full([1], -1.0, tl.float32)
    tmp21 = tl.maximum(tmp0, tmp20, tl.PropagateNan.ALL)
    tmp22 = tl.full([1], 1.0, tl.float32)
    tmp23 = tl.minimum(tmp21, tmp22, tl.PropagateNan.ALL)
    tmp24 = tmp19 + tmp23
    tmp25 = tl.full([1], 0.01, tl.float32)
    tmp26 = tmp0 * tmp25
    tmp27 = tl.where(tmp2, tmp0, tmp26)
    tmp28 = tmp24 + tmp27
    tl.store(out_ptr0 + (x0), tmp28, None)
