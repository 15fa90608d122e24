# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

# graph_0: triton_poi_fused_add_cat_mul_neg_split_0
@triton_heuristics.pointwise(
    size_hints={'x': 131072},
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_poi_fused_add_cat_mul_neg_split_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 5,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
        'tiling_scores': {'x': 2686976},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_cat_mul_neg_split_0(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 131072
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x3 = xindex
    x4 = (xindex % 8192)
    x0 = (xindex % 64)
    x5 = xindex // 64
    tmp0 = tl.load(in_ptr0 + (x3), None)
    tmp1 = tl.load(in_ptr1 + (x4), None, eviction_policy='evict_last')
    tmp19 = tl.load(in_ptr2 + (x4), None, eviction_policy='evict_last')
    tmp2 = tmp0 * tmp1
    tmp3 = (x0).to(tl.int32)
    tmp4 = tl.full([1], 0, tl.int64)
    tmp5 = tmp3 >= tmp4
    tmp6 = (x0).to(tl.int64)
    tmp7 = (tmp6).to(tl.int64)
    tmp8 = tl.full([1], 32, tl.int64)
    tmp9 = tmp7 < tmp8
    tmp10 = tl.load(in_ptr0 + (32 + 64*x5 + (x0)), tmp9, eviction_policy='evict_last', other=0.0)
    tmp11 = -tmp10
    tmp12 = tl.full(tmp11.shape, 0.0, tmp11.dtype)
    tmp13 = tl.where(tmp9, tmp11, tmp12)
    tmp14 = tmp3 >= tmp8
    tmp15 = tl.full([1], 64, tl.int64)
    tmp16 = tmp3 < tmp15
    tmp17 = tl.load(in_ptr0 + (64*x5 + ((-32) + x0)), tmp14, eviction_policy='evict_last', other=0.0)
    tmp18 = tl.where(tmp9, tmp13, tmp17)
    tmp20 = tmp18 * tmp19
    tmp21 = tmp2 + tmp20
    tl.store(out_ptr0 + (x3), tmp21, None)
