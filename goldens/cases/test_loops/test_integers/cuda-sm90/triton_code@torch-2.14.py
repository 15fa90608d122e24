# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.14.1, triton: 3.8.0, normaliser: 1

# graph_0: triton_poi_fused___lshift____to_copy_add_floor_divide_mul_remainder_0
@triton_heuristics.pointwise(
    size_hints={'x': 512},
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*i64', 'in_ptr1': '*i32', 'out_ptr0': '*i32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_poi_fused___lshift____to_copy_add_floor_divide_mul_remainder_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 2,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
        'tiling_scores': {'x': 10240},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused___lshift____to_copy_add_floor_divide_mul_remainder_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 512
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp31 = tl.load(in_ptr1 + (x0), xmask)
    tmp1 = tl.full([1], 3, tl.int64)
    tmp2 = tl.full([1], 0, tl.int32)
    tmp3 = tl.full([1], 1, tl.int32)
    tmp4 = tmp1 == tmp2
    tmp5 = tl.where(tmp4, tmp3, tmp1)
    tmp6 = tmp5 < tmp2
    tmp7 = tmp2 - tmp0
    tmp8 = tl.where(tmp6, tmp7, tmp0)
    tmp9 = tmp2 - tmp5
    tmp10 = tl.where(tmp6, tmp9, tmp5)
    tmp11 = tmp8 < tmp2
    tmp12 = ~tmp8
    tmp13 = tl.where(tmp11, tmp12, tmp8)
    tmp14 = tmp13 // tmp10
    tmp15 = ~tmp14
    tmp16 = tl.where(tmp11, tmp15, tmp14)
    tmp17 = tl.where(tmp4, tmp2, tmp16)
    tmp18 = tl.full([1], 7, tl.int64)
    tmp19 = (tmp17 % tmp18)
    tmp20 = tmp19 != tmp2
    tmp21 = (libdevice.signbit(tmp19) != 0) if (tmp19).dtype is tl.float32 or (tmp19).dtype is tl.float64 else tmp19 < 0
    tmp22 = (libdevice.signbit(tmp18) != 0) if (tmp18).dtype is tl.float32 or (tmp18).dtype is tl.float64 else tmp18 < 0
    tmp23 = tmp21 != tmp22
    tmp24 = tmp20 & tmp23
    tmp25 = tmp19 + tmp18
    tmp26 = tl.where(tmp24, tmp25, tmp19)
    tmp27 = tl.full([1], 1, tl.int64)
    tmp28 = tmp0 << tmp27
    tmp29 = tmp26 + tmp28
    tmp30 = tmp29.to(tl.int32)
    tmp32 = tmp30 * tmp31
    tl.store(out_ptr0 + (x0), tmp32, xmask)
