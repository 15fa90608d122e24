# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

# graph_0: triton_poi_fused_gelu_0
@triton_heuristics.pointwise(
    size_hints={'x': 8192},
    filename=__file__,
    triton_meta={
        'signature': {'in_out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_poi_fused_gelu_0',
        'mutated_arg_names': ['in_out_ptr0'],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
        'tiling_scores': {'x': 98304},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_gelu_0(in_out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 8192
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_out_ptr0 + (x0), None)
    tmp1 = tl.full([1], 0.5, tl.float32)
    tmp2 = tmp0 * tmp1
    tmp3 = tl.full([1], 0.7071067811865476, tl.float32)
    tmp4 = tmp0 * tmp3
    tmp5 = libdevice.erf(tmp4)
    tmp6 = tl.full([1], 1.0, tl.float32)
    tmp7 = tmp5 + tmp6
    tmp8 = tmp2 * tmp7
    tl.store(in_out_ptr0 + (x0), tmp8, None)
