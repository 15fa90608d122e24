# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

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
        'kernel_name': 'triton_poi_fused_cat_cos_exp_mul_sin_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 3,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
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
    tmp0 = (x0).to(tl.int32)
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = (x0).to(tl.int64)
    tmp4 = (tmp3).to(tl.int64)
    tmp5 = tl.full([1], 16, tl.int64)
    tmp6 = tmp4 < tmp5
    tmp7 = tl.load(in_ptr0 + (16*x1 + (x0)), tmp6 & xmask, eviction_policy='evict_last', other=0.0)
    tmp8 = tl_math.sin(tmp7)
    tmp9 = libdevice.exp(tmp8)
    tmp10 = tl_math.cos(tmp9)
    tmp11 = tl.full(tmp10.shape, 0.0, tmp10.dtype)
    tmp12 = tl.where(tmp6, tmp10, tmp11)
    tmp13 = tmp4 >= tmp5
    tmp14 = tl.full([1], 48, tl.int64)
    tmp15 = tmp4 < tmp14
    tmp16 = tmp13 & tmp15
    tmp17 = tl.load(in_ptr1 + (32*x1 + ((-16) + x0)), tmp16 & xmask, eviction_policy='evict_last', other=0.0)
    tmp18 = tl_math.sin(tmp17)
    tmp19 = libdevice.exp(tmp18)
    tmp20 = tl_math.cos(tmp19)
    tmp21 = tl.full(tmp20.shape, 0.0, tmp20.dtype)
    tmp22 = tl.where(tmp16, tmp20, tmp21)
    tmp23 = tmp0 >= tmp14
    tmp24 = tl.full([1], 96, tl.int64)
    tmp25 = tmp0 < tmp24
    tmp26 = tl.load(in_ptr2 + (48*x1 + ((-48) + x0)), tmp23 & xmask, eviction_policy='evict_last', other=0.0)
    tmp27 = tl_math.sin(tmp26)
    tmp28 = libdevice.exp(tmp27)
    tmp29 = tl_math.cos(tmp28)
    tmp30 = tl.full(tmp29.shape, 0.0, tmp29.dtype)
    tmp31 = tl.where(tmp23, tmp29, tmp30)
    tmp32 = tl.where(tmp16, tmp22, tmp31)
    tmp33 = tl.where(tmp6, tmp12, tmp32)
    tmp34 = tl.full([1], 2.0, tl.float32)
    tmp35 = tmp33 * tmp34
    tl.store(out_ptr0 + (x2), tmp35, xmask)
