# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0: triton_poi_fused_add_copy_mul_select_sin_slice_0
@triton_heuristics.pointwise(
    size_hints={'x': 2048},
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
        'autotune_hints': set(),
        'kernel_name': 'triton_poi_fused_add_copy_mul_select_sin_slice_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 4,
        'num_store': 1,
        'num_reduction': 0,
        'tiling_scores': {'x': 26112},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_copy_mul_select_sin_slice_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2048
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 64
    x0 = (xindex % 64)
    x2 = xindex
    tmp13 = tl.load(in_ptr1 + (192 + x0), xmask, eviction_policy='evict_last')
    tmp23 = tl.load(in_ptr1 + (x2), xmask)
    tmp0 = x1
    tmp1 = tl.full([1], 3, tl.int32)
    tmp2 = tmp0 == tmp1
    tmp3 = x0
    tmp4 = tl.full([1], 2, tl.int64)
    tmp5 = tmp3 >= tmp4
    tmp6 = tl.full([1], 10, tl.int64)
    tmp7 = tmp3 < tmp6
    tmp8 = tmp5 & tmp7
    tmp9 = tl.load(in_ptr0 + (22 + x0), tmp8 & xmask, eviction_policy='evict_last', other=0.0)
    tmp10 = tl_math.sin(tmp9)
    tmp11 = tl.full(tmp10.shape, 0.0, tmp10.dtype)
    tmp12 = tl.where(tmp8, tmp10, tmp11)
    tmp14 = tl.full([1], 2.0, tl.float32)
    tmp15 = tmp13 * tmp14
    tmp16 = tl.where(tmp8, tmp12, tmp15)
    tmp17 = tl.full([1], 1.0, tl.float32)
    tmp18 = tmp16 + tmp17
    tmp19 = tl.load(in_ptr0 + ((-2) + x0 + 8*x1), tmp8 & xmask, other=0.0)
    tmp20 = tl_math.sin(tmp19)
    tmp21 = tl.full(tmp20.shape, 0.0, tmp20.dtype)
    tmp22 = tl.where(tmp8, tmp20, tmp21)
    tmp24 = tmp23 * tmp14
    tmp25 = tl.where(tmp8, tmp22, tmp24)
    tmp26 = tl.where(tmp2, tmp18, tmp25)
    tl.store(out_ptr0 + (x2), tmp26, xmask)
