# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0: tuned_kernel_0
@triton_heuristics.user_autotune(
    configs=[{'BLOCK': 256, 'num_warps': 4, 'num_stages': 3}, {'BLOCK': 512, 'num_warps': 4, 'num_stages': 3}],
    inductor_meta={
        'grid_type': 'PrecomputedGrid',
        'precomputed_grids': [{'config': {'BLOCK': 256, 'num_warps': 4, 'num_stages': 3}, 'python': ['16', '1', '1'], 'cpp': ['16L', '1L', '1L'], 'python_slow': ['16', '1', '1']}, {'config': {'BLOCK': 512, 'num_warps': 4, 'num_stages': 3}, 'python': ['8', '1', '1'], 'cpp': ['8L', '1L', '1L'], 'python_slow': ['8', '1', '1']}],
        'extra_launcher_args': [],
        'kernel_name': 'tuned_kernel_0',
    },
    triton_meta={
        'signature': {'source': '*fp32', 'out': '*fp32', 'count': 'i32', 'BLOCK': 'constexpr'},
        'constants': {},
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}],
    },
    filename=__file__,
    custom_kernel=True,
)
@triton.jit
def tuned_kernel(source, out, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < count
    tl.store(out + index, tl.load(source + index, mask=inside) + 1, mask=inside)


# graph_0: triton_poi_fused_mul_0
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
        'autotune_hints': set(),
        'kernel_name': 'triton_poi_fused_mul_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 1,
        'num_reduction': 0,
        'tiling_scores': {'x': 32768},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_mul_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 4096
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.full([1], 2.0, tl.float32)
    tmp2 = tmp0 * tmp1
    tl.store(out_ptr0 + (x0), tmp2, None)
