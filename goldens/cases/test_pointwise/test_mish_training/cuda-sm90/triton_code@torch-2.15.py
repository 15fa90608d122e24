# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.15.0, triton: 3.9.0, normaliser: 1

# graph_0_forward: triton_poi_fused_mish_0
@triton_heuristics.pointwise(
    size_hints={'x': 262144},
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
        'kernel_name': 'triton_poi_fused_mish_0',
        'mutated_arg_names': [],
        'optimize_mem': False,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': (),
        'tiling_scores': {'x': 3145728},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_mish_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 262144
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.full([1], 20.0, tl.float32)
    tmp2 = tmp0 > tmp1
    tmp3 = libdevice.exp(tmp0)
    tmp4 = libdevice.log1p(tmp3)
    tmp5 = tl.where(tmp2, tmp0, tmp4)
    tmp6 = libdevice.tanh(tmp5)
    tmp7 = tmp0 * tmp6
    tl.store(out_ptr0 + (x0), tmp7, None)


# graph_0_backward: triton_poi_fused_mish_backward_0
@triton_heuristics.pointwise(
    size_hints={'x': 262144},
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_poi_fused_mish_backward_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 2,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': (),
        'tiling_scores': {'x': 4194304},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_mish_backward_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 262144
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.load(in_ptr1 + (x0), None)
    tmp2 = tl.full([1], 20.0, tl.float32)
    tmp3 = tmp1 > tmp2
    tmp4 = libdevice.exp(tmp1)
    tmp5 = libdevice.log1p(tmp4)
    tmp6 = tl.where(tmp3, tmp1, tmp5)
    tmp7 = libdevice.tanh(tmp6)
    tmp8 = tl.sigmoid(tmp1)
    tmp9 = tmp1 * tmp8
    tmp10 = tmp7 * tmp7
    tmp11 = tl.full([1], 1.0, tl.float32)
    tmp12 = tmp11 - tmp10
    tmp13 = tmp9 * tmp12
    tmp14 = tmp7 + tmp13
    tmp15 = tmp0 * tmp14
    tl.store(out_ptr0 + (x0), tmp15, None)
