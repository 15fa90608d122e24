# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

# graph_0: triton_poi_fused__to_copy__unsafe_index_add_arange_clamp_mul_sub_view_0
@triton_heuristics.pointwise(
    size_hints={'x': 16384},
    filename=__file__,
    triton_meta={
        'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_poi_fused__to_copy__unsafe_index_add_arange_clamp_mul_sub_view_0',
        'mutated_arg_names': ['in_out_ptr0'],
        'optimize_mem': True,
        'no_x_dim': False,
        'atomic_add_found': False,
        'num_load': 0,
        'num_store': 1,
        'num_reduction': 0,
        'autotune_hints': set(),
        'tiling_scores': {'x': 131072},
    },
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy__unsafe_index_add_arange_clamp_mul_sub_view_0(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 16384
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x1 = ((xindex // 32) % 32)
    x0 = (xindex % 32)
    x2 = xindex // 1024
    x3 = xindex
    tmp0 = (x1).to(tl.float32)
    tmp1 = tl.full([1], 0.5, tl.float32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp2 * tmp1
    tmp4 = tmp3 - tmp1
    tmp5 = tl.full([1], 0.0, tl.float32)
    tmp6 = triton_helpers.maximum(tmp4, tmp5)
    tmp7 = tmp6.to(tl.int32)
    tmp8 = tl.full([1], 1, tl.int64)
    tmp9 = tmp7 + tmp8
    tmp10 = tl.full([1], 15, tl.int64)
    tmp11 = triton_helpers.minimum(tmp9, tmp10)
    tmp12 = (x0).to(tl.float32)
    tmp13 = tmp12 + tmp1
    tmp14 = tmp13 * tmp1
    tmp15 = tmp14 - tmp1
    tmp16 = triton_helpers.maximum(tmp15, tmp5)
    tmp17 = tmp16.to(tl.int32)
    tmp18 = tmp17 + tmp8
    tmp19 = triton_helpers.minimum(tmp18, tmp10)
    tmp20 = tl.load(in_ptr0 + (tmp19 + 16*tmp11 + 256*x2), None, eviction_policy='evict_last')
    tmp21 = tl.load(in_ptr0 + (tmp17 + 16*tmp11 + 256*x2), None, eviction_policy='evict_last')
    tmp22 = tmp20 - tmp21
    tmp23 = (tmp12).to(tl.float32)
    tmp24 = tmp23 + tmp1
    tmp25 = tmp24 * tmp1
    tmp26 = tmp25 - tmp1
    tmp27 = triton_helpers.maximum(tmp26, tmp5)
    tmp28 = tmp27.to(tl.int32)
    tmp29 = tmp28.to(tl.float32)
    tmp30 = tmp27 - tmp29
    tmp31 = triton_helpers.maximum(tmp30, tmp5)
    tmp32 = tl.full([1], 1.0, tl.float32)
    tmp33 = triton_helpers.minimum(tmp31, tmp32)
    tmp34 = tmp22 * tmp33
    tmp35 = tmp21 + tmp34
    tmp36 = tl.load(in_ptr0 + (tmp17 + 16*tmp7 + 256*x2), None, eviction_policy='evict_last')
    tmp37 = tl.load(in_ptr0 + (tmp19 + 16*tmp7 + 256*x2), None, eviction_policy='evict_last')
    tmp38 = tmp37 - tmp36
    tmp39 = tmp38 * tmp33
    tmp40 = tmp36 + tmp39
    tmp41 = tmp35 - tmp40
    tmp42 = (tmp0).to(tl.float32)
    tmp43 = tmp42 + tmp1
    tmp44 = tmp43 * tmp1
    tmp45 = tmp44 - tmp1
    tmp46 = triton_helpers.maximum(tmp45, tmp5)
    tmp47 = tmp46.to(tl.int32)
    tmp48 = tmp47.to(tl.float32)
    tmp49 = tmp46 - tmp48
    tmp50 = triton_helpers.maximum(tmp49, tmp5)
    tmp51 = triton_helpers.minimum(tmp50, tmp32)
    tmp52 = tmp41 * tmp51
    tmp53 = tmp40 + tmp52
    tmp54 = tmp53 + tmp32
    tl.store(in_out_ptr0 + (x3), tmp54, None)
