# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0: triton_poi_fused_cat_cos_exp_mul_sin_0
@triton_heuristics.pointwise(
    size_hints={'x': 8192},
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
        'autotune_hints': set(),
        'kernel_name': 'triton_poi_fused_cat_cos_exp_mul_sin_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 3,
        'num_store': 1,
        'num_reduction': 0,
        'tiling_scores': {'x': 73728},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_cat_cos_exp_mul_sin_0(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 6144
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 96)
    x1 = xindex // 96
    x2 = xindex
    tmp0 = x0
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = tl.full([1], 16, tl.int64)
    tmp4 = tmp0 < tmp3
    tmp5 = tl.load(in_ptr0 + (16*x1 + (x0)), tmp4 & xmask, eviction_policy='evict_last', other=0.0)
    tmp6 = tl_math.sin(tmp5)
    tmp7 = libdevice.exp(tmp6)
    tmp8 = tl_math.cos(tmp7)
    tmp9 = tl.full(tmp8.shape, 0.0, tmp8.dtype)
    tmp10 = tl.where(tmp4, tmp8, tmp9)
    tmp11 = tmp0 >= tmp3
    tmp12 = tl.full([1], 48, tl.int64)
    tmp13 = tmp0 < tmp12
    tmp14 = tmp11 & tmp13
    tmp15 = tl.load(in_ptr1 + (32*x1 + ((-16) + x0)), tmp14 & xmask, eviction_policy='evict_last', other=0.0)
    tmp16 = tl_math.sin(tmp15)
    tmp17 = libdevice.exp(tmp16)
    tmp18 = tl_math.cos(tmp17)
    tmp19 = tl.full(tmp18.shape, 0.0, tmp18.dtype)
    tmp20 = tl.where(tmp14, tmp18, tmp19)
    tmp21 = tmp0 >= tmp12
    tmp22 = tl.full([1], 96, tl.int64)
    tmp23 = tmp0 < tmp22
    tmp24 = tl.load(in_ptr2 + (48*x1 + ((-48) + x0)), tmp21 & xmask, eviction_policy='evict_last', other=0.0)
    tmp25 = tl_math.sin(tmp24)
    tmp26 = libdevice.exp(tmp25)
    tmp27 = tl_math.cos(tmp26)
    tmp28 = tl.full(tmp27.shape, 0.0, tmp27.dtype)
    tmp29 = tl.where(tmp21, tmp27, tmp28)
    tmp30 = tl.where(tmp14, tmp20, tmp29)
    tmp31 = tl.where(tmp4, tmp10, tmp30)
    tmp32 = tl.full([1], 2.0, tl.float32)
    tmp33 = tmp31 * tmp32
    tl.store(out_ptr0 + (x2), tmp33, xmask)
