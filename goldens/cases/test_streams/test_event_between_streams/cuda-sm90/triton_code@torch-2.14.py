# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.14.1, triton: 3.8.0, normaliser: 1
# changes: kernels-changed

# graph_0: triton_poi_fused_sin_0
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
        'kernel_name': 'triton_poi_fused_sin_0',
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
def triton_poi_fused_sin_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl_math.sin(tmp0)
    tl.store(out_ptr0 + (x0), tmp1, None)


# graph_0: triton_poi_fused_cos_1
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
        'kernel_name': 'triton_poi_fused_cos_1',
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
def triton_poi_fused_cos_1(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl_math.cos(tmp0)
    tl.store(out_ptr0 + (x0), tmp1, None)


# graph_0: triton_poi_fused_add_2
@triton_heuristics.pointwise(
    size_hints={'x': 4096},
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
        'kernel_name': 'triton_poi_fused_add_2',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 2,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
        'tiling_scores': {'x': 32768},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_2(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.load(in_ptr1 + (x0), None)
    tmp2 = tmp0 + tmp1
    tl.store(out_ptr0 + (x0), tmp2, None)
