# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

# graph_0: triton_poi_fused_cat_0
@triton_heuristics.pointwise(
    size_hints={'x': 8192},
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'in_ptr4': '*fp32', 'in_ptr5': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_poi_fused_cat_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 6,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
        'tiling_scores': {'x': 55296},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_cat_0(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 4608
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 32
    x0 = (xindex % 32)
    x2 = xindex
    tmp0 = (x1).to(tl.int32)
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = (x1).to(tl.int64)
    tmp4 = (tmp3).to(tl.int64)
    tmp5 = tl.full([1], 24, tl.int64)
    tmp6 = tmp4 < tmp5
    tmp7 = tl.load(in_ptr0 + (x0 + 32*(x1)), tmp6 & xmask, other=0.0)
    tmp8 = tmp4 >= tmp5
    tmp9 = tl.full([1], 48, tl.int64)
    tmp10 = tmp4 < tmp9
    tmp11 = tmp8 & tmp10
    tmp12 = tl.load(in_ptr1 + (x0 + 32*((-24) + x1)), tmp11 & xmask, other=0.0)
    tmp13 = tmp4 >= tmp9
    tmp14 = tl.full([1], 72, tl.int64)
    tmp15 = tmp4 < tmp14
    tmp16 = tmp13 & tmp15
    tmp17 = tl.load(in_ptr2 + (x0 + 32*((-48) + x1)), tmp16 & xmask, other=0.0)
    tmp18 = tmp4 >= tmp14
    tmp19 = tl.full([1], 96, tl.int64)
    tmp20 = tmp4 < tmp19
    tmp21 = tmp18 & tmp20
    tmp22 = tl.load(in_ptr3 + (x0 + 32*((-72) + x1)), tmp21 & xmask, other=0.0)
    tmp23 = tmp4 >= tmp19
    tmp24 = tl.full([1], 120, tl.int64)
    tmp25 = tmp4 < tmp24
    tmp26 = tmp23 & tmp25
    tmp27 = tl.load(in_ptr4 + (x0 + 32*((-96) + x1)), tmp26 & xmask, other=0.0)
    tmp28 = tmp0 >= tmp24
    tmp29 = tl.full([1], 144, tl.int64)
    tmp30 = tmp0 < tmp29
    tmp31 = tl.load(in_ptr5 + (x0 + 32*((-120) + x1)), tmp28 & xmask, other=0.0)
    tmp32 = tl.where(tmp26, tmp27, tmp31)
    tmp33 = tl.where(tmp21, tmp22, tmp32)
    tmp34 = tl.where(tmp16, tmp17, tmp33)
    tmp35 = tl.where(tmp11, tmp12, tmp34)
    tmp36 = tl.where(tmp6, tmp7, tmp35)
    tl.store(out_ptr0 + (x2), tmp36, xmask)


# graph_0: triton_poi_fused_sigmoid_1
@triton_heuristics.pointwise(
    size_hints={'x': 16384},
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
        'kernel_name': 'triton_poi_fused_sigmoid_1',
        'mutated_arg_names': ['in_out_ptr0'],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
        'tiling_scores': {'x': 110592},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_sigmoid_1(in_out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 9216
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_out_ptr0 + (x0), xmask)
    tmp1 = tl.sigmoid(tmp0)
    tl.store(in_out_ptr0 + (x0), tmp1, xmask)
