# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

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
        'kernel_name': 'triton_poi_fused_add_copy_mul_select_sin_slice_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 4,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
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
    tmp14 = tl.load(in_ptr1 + (192 + x0), xmask, eviction_policy='evict_last')
    tmp24 = tl.load(in_ptr1 + (x2), xmask)
    tmp0 = (x1).to(tl.int32)
    tmp1 = tl.full([1], 3, tl.int32)
    tmp2 = tmp0 == tmp1
    tmp3 = (x0).to(tl.int64)
    tmp4 = (tmp3).to(tl.int64)
    tmp5 = tl.full([1], 2, tl.int64)
    tmp6 = tmp4 >= tmp5
    tmp7 = tl.full([1], 10, tl.int64)
    tmp8 = tmp4 < tmp7
    tmp9 = tmp6 & tmp8
    tmp10 = tl.load(in_ptr0 + (22 + x0), tmp9 & xmask, eviction_policy='evict_last', other=0.0)
    tmp11 = tl_math.sin(tmp10)
    tmp12 = tl.full(tmp11.shape, 0.0, tmp11.dtype)
    tmp13 = tl.where(tmp9, tmp11, tmp12)
    tmp15 = tl.full([1], 2.0, tl.float32)
    tmp16 = tmp14 * tmp15
    tmp17 = tl.where(tmp9, tmp13, tmp16)
    tmp18 = tl.full([1], 1.0, tl.float32)
    tmp19 = tmp17 + tmp18
    tmp20 = tl.load(in_ptr0 + ((-2) + x0 + 8*x1), tmp9 & xmask, other=0.0)
    tmp21 = tl_math.sin(tmp20)
    tmp22 = tl.full(tmp21.shape, 0.0, tmp21.dtype)
    tmp23 = tl.where(tmp9, tmp21, tmp22)
    tmp25 = tmp24 * tmp15
    tmp26 = tl.where(tmp9, tmp23, tmp25)
    tmp27 = tl.where(tmp2, tmp19, tmp26)
    tl.store(out_ptr0 + (x2), tmp27, xmask)
