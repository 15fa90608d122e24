# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.14.1, triton: 3.8.0, normaliser: 1

# graph_0: triton_per_fused_add_mul_sum_0
@triton_heuristics.persistent_reduction(
    size_hints={'x': 32, 'r0_': 64},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'out_ptr2': '*fp32', 'out_ptr3': '*fp32', 'out_ptr4': '*fp32', 'out_ptr5': '*fp32', 'out_ptr6': '*fp32', 'out_ptr7': '*fp32', 'out_ptr8': '*fp32', 'out_ptr9': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]], (10,): [['tt.divisibility', 16]], (11,): [['tt.divisibility', 16]], (12,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_per_fused_add_mul_sum_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': None,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 10,
        'num_reduction': 10,
        'autotune_hints': set(),
        'tiling_scores': {'x': 2560, 'r0_': 8192},
    },
)
@triton.jit
def triton_per_fused_add_mul_sum_0(in_ptr0, out_ptr0, out_ptr1, out_ptr2, out_ptr3, out_ptr4, out_ptr5, out_ptr6, out_ptr7, out_ptr8, out_ptr9, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 32
    r0_numel = 64
    R0_BLOCK: tl.constexpr = 64
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]
    roffset = r0_offset
    rindex = r0_index
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (r0_1 + 64*x0), xmask, eviction_policy='evict_first', other=0.0)
    tmp1 = tl.full([1, 1], 1.5, tl.float32)
    tmp2 = tmp0 * tmp1
    tmp3 = tl.broadcast_to(tmp2, [XBLOCK, R0_BLOCK])
    tmp5 = tl.where(xmask, tmp3, 0)
    tmp6 = tl.sum(tmp5, 1)[:, None].to(tl.float32)
    tmp7 = tmp2 * tmp1
    tmp8 = tl.full([1, 1], 1.0, tl.float32)
    tmp9 = tmp7 + tmp8
    tmp10 = tl.broadcast_to(tmp9, [XBLOCK, R0_BLOCK])
    tmp12 = tl.where(xmask, tmp10, 0)
    tmp13 = tl.sum(tmp12, 1)[:, None].to(tl.float32)
    tmp14 = tmp9 * tmp1
    tmp15 = tl.full([1, 1], 2.0, tl.float32)
    tmp16 = tmp14 + tmp15
    tmp17 = tl.broadcast_to(tmp16, [XBLOCK, R0_BLOCK])
    tmp19 = tl.where(xmask, tmp17, 0)
    tmp20 = tl.sum(tmp19, 1)[:, None].to(tl.float32)
    tmp21 = tmp16 * tmp1
    tmp22 = tl.full([1, 1], 3.0, tl.float32)
    tmp23 = tmp21 + tmp22
    tmp24 = tl.broadcast_to(tmp23, [XBLOCK, R0_BLOCK])
    tmp26 = tl.where(xmask, tmp24, 0)
    tmp27 = tl.sum(tmp26, 1)[:, None].to(tl.float32)
    tmp28 = tmp23 * tmp1
    tmp29 = tl.full([1, 1], 4.0, tl.float32)
    tmp30 = tmp28 + tmp29
    tmp31 = tl.broadcast_to(tmp30, [XBLOCK, R0_BLOCK])
    tmp33 = tl.where(xmask, tmp31, 0)
    tmp34 = tl.sum(tmp33, 1)[:, None].to(tl.float32)
    tmp35 = tmp30 * tmp1
    tmp36 = tl.full([1, 1], 5.0, tl.float32)
    tmp37 = tmp35 + tmp36
    tmp38 = tl.broadcast_to(tmp37, [XBLOCK, R0_BLOCK])
    tmp40 = tl.where(xmask, tmp38, 0)
    tmp41 = tl.sum(tmp40, 1)[:, None].to(tl.float32)
    tmp42 = tmp37 * tmp1
    tmp43 = tl.full([1, 1], 6.0, tl.float32)
    tmp44 = tmp42 + tmp43
    tmp45 = tl.broadcast_to(tmp44, [XBLOCK, R0_BLOCK])
    tmp47 = tl.where(xmask, tmp45, 0)
    tmp48 = tl.sum(tmp47, 1)[:, None].to(tl.float32)
    tmp49 = tmp44 * tmp1
    tmp50 = tl.full([1, 1], 7.0, tl.float32)
    tmp51 = tmp49 + tmp50
    tmp52 = tl.broadcast_to(tmp51, [XBLOCK, R0_BLOCK])
    tmp54 = tl.where(xmask, tmp52, 0)
    tmp55 = tl.sum(tmp54, 1)[:, None].to(tl.float32)
    tmp56 = tmp51 * tmp1
    tmp57 = tl.full([1, 1], 8.0, tl.float32)
    tmp58 = tmp56 + tmp57
    tmp59 = tl.broadcast_to(tmp58, [XBLOCK, R0_BLOCK])
    tmp61 = tl.where(xmask, tmp59, 0)
    tmp62 = tl.sum(tmp61, 1)[:, None].to(tl.float32)
    tmp63 = tmp58 * tmp1
    tmp64 = tl.full([1, 1], 9.0, tl.float32)
    tmp65 = tmp63 + tmp64
    tmp66 = tl.broadcast_to(tmp65, [XBLOCK, R0_BLOCK])
    tmp68 = tl.where(xmask, tmp66, 0)
    tmp69 = tl.sum(tmp68, 1)[:, None].to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp6, xmask)
    tl.store(out_ptr1 + (x0), tmp13, xmask)
    tl.store(out_ptr2 + (x0), tmp20, xmask)
    tl.store(out_ptr3 + (x0), tmp27, xmask)
    tl.store(out_ptr4 + (x0), tmp34, xmask)
    tl.store(out_ptr5 + (x0), tmp41, xmask)
    tl.store(out_ptr6 + (x0), tmp48, xmask)
    tl.store(out_ptr7 + (x0), tmp55, xmask)
    tl.store(out_ptr8 + (x0), tmp62, xmask)
    tl.store(out_ptr9 + (x0), tmp69, xmask)


# graph_0: triton_per_fused_add_mul_sum_1
@triton_heuristics.persistent_reduction(
    size_hints={'x': 32, 'r0_': 64},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'out_ptr5': '*fp32', 'out_ptr6': '*fp32', 'out_ptr7': '*fp32', 'out_ptr8': '*fp32', 'out_ptr9': '*fp32', 'out_ptr10': '*fp32', 'out_ptr11': '*fp32', 'out_ptr12': '*fp32', 'out_ptr13': '*fp32', 'out_ptr14': '*fp32', 'out_ptr15': '*fp32', 'out_ptr16': '*fp32', 'out_ptr17': '*fp32', 'out_ptr18': '*fp32', 'out_ptr19': '*fp32', 'out_ptr20': '*fp32', 'out_ptr21': '*fp32', 'out_ptr22': '*fp32', 'out_ptr23': '*fp32', 'out_ptr24': '*fp32', 'out_ptr25': '*fp32', 'out_ptr26': '*fp32', 'out_ptr27': '*fp32', 'out_ptr28': '*fp32', 'out_ptr29': '*fp32', 'out_ptr30': '*fp32', 'out_ptr31': '*fp32', 'out_ptr32': '*fp32', 'out_ptr33': '*fp32', 'out_ptr34': '*fp32', 'out_ptr35': '*fp32', 'out_ptr36': '*fp32', 'out_ptr37': '*fp32', 'out_ptr38': '*fp32', 'out_ptr39': '*fp32', 'out_ptr40': '*fp32', 'out_ptr41': '*fp32', 'out_ptr42': '*fp32', 'out_ptr43': '*fp32', 'out_ptr44': '*fp32', 'out_ptr45': '*fp32', 'out_ptr46': '*fp32', 'out_ptr47': '*fp32', 'out_ptr48': '*fp32', 'out_ptr49': '*fp32', 'out_ptr50': '*fp32', 'out_ptr51': '*fp32', 'out_ptr52': '*fp32', 'out_ptr53': '*fp32', 'out_ptr54': '*fp32', 'out_ptr55': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]], (10,): [['tt.divisibility', 16]], (11,): [['tt.divisibility', 16]], (12,): [['tt.divisibility', 16]], (13,): [['tt.divisibility', 16]], (14,): [['tt.divisibility', 16]], (15,): [['tt.divisibility', 16]], (16,): [['tt.divisibility', 16]], (17,): [['tt.divisibility', 16]], (18,): [['tt.divisibility', 16]], (19,): [['tt.divisibility', 16]], (20,): [['tt.divisibility', 16]], (21,): [['tt.divisibility', 16]], (22,): [['tt.divisibility', 16]], (23,): [['tt.divisibility', 16]], (24,): [['tt.divisibility', 16]], (25,): [['tt.divisibility', 16]], (26,): [['tt.divisibility', 16]], (27,): [['tt.divisibility', 16]], (28,): [['tt.divisibility', 16]], (29,): [['tt.divisibility', 16]], (30,): [['tt.divisibility', 16]], (31,): [['tt.divisibility', 16]], (32,): [['tt.divisibility', 16]], (33,): [['tt.divisibility', 16]], (34,): [['tt.divisibility', 16]], (35,): [['tt.divisibility', 16]], (36,): [['tt.divisibility', 16]], (37,): [['tt.divisibility', 16]], (38,): [['tt.divisibility', 16]], (39,): [['tt.divisibility', 16]], (40,): [['tt.divisibility', 16]], (41,): [['tt.divisibility', 16]], (42,): [['tt.divisibility', 16]], (43,): [['tt.divisibility', 16]], (44,): [['tt.divisibility', 16]], (45,): [['tt.divisibility', 16]], (46,): [['tt.divisibility', 16]], (47,): [['tt.divisibility', 16]], (48,): [['tt.divisibility', 16]], (49,): [['tt.divisibility', 16]], (50,): [['tt.divisibility', 16]], (51,): [['tt.divisibility', 16]], (52,): [['tt.divisibility', 16]], (53,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_per_fused_add_mul_sum_1',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': None,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 51,
        'num_reduction': 50,
        'autotune_hints': set(),
        'tiling_scores': {'x': 12800, 'r0_': 24576},
    },
)
@triton.jit
def triton_per_fused_add_mul_sum_1(in_ptr0, out_ptr5, out_ptr6, out_ptr7, out_ptr8, out_ptr9, out_ptr10, out_ptr11, out_ptr12, out_ptr13, out_ptr14, out_ptr15, out_ptr16, out_ptr17, out_ptr18, out_ptr19, out_ptr20, out_ptr21, out_ptr22, out_ptr23, out_ptr24, out_ptr25, out_ptr26, out_ptr27, out_ptr28, out_ptr29, out_ptr30, out_ptr31, out_ptr32, out_ptr33, out_ptr34, out_ptr35, out_ptr36, out_ptr37, out_ptr38, out_ptr39, out_ptr40, out_ptr41, out_ptr42, out_ptr43, out_ptr44, out_ptr45, out_ptr46, out_ptr47, out_ptr48, out_ptr49, out_ptr50, out_ptr51, out_ptr52, out_ptr53, out_ptr54, out_ptr55, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 32
    r0_numel = 64
    R0_BLOCK: tl.constexpr = 64
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]
    roffset = r0_offset
    rindex = r0_index
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (r0_1 + 64*x0), xmask, eviction_policy='evict_first', other=0.0)
    tmp1 = tl.full([1, 1], 1.5, tl.float32)
    tmp2 = tmp0 * tmp1
    tmp3 = tmp2 * tmp1
    tmp4 = tl.full([1, 1], 1.0, tl.float32)
    tmp5 = tmp3 + tmp4
    tmp6 = tmp5 * tmp1
    tmp7 = tl.full([1, 1], 2.0, tl.float32)
    tmp8 = tmp6 + tmp7
    tmp9 = tmp8 * tmp1
    tmp10 = tl.full([1, 1], 3.0, tl.float32)
    tmp11 = tmp9 + tmp10
    tmp12 = tmp11 * tmp1
    tmp13 = tl.full([1, 1], 4.0, tl.float32)
    tmp14 = tmp12 + tmp13
    tmp15 = tmp14 * tmp1
    tmp16 = tl.full([1, 1], 5.0, tl.float32)
    tmp17 = tmp15 + tmp16
    tmp18 = tmp17 * tmp1
    tmp19 = tl.full([1, 1], 6.0, tl.float32)
    tmp20 = tmp18 + tmp19
    tmp21 = tmp20 * tmp1
    tmp22 = tl.full([1, 1], 7.0, tl.float32)
    tmp23 = tmp21 + tmp22
    tmp24 = tmp23 * tmp1
    tmp25 = tl.full([1, 1], 8.0, tl.float32)
    tmp26 = tmp24 + tmp25
    tmp27 = tmp26 * tmp1
    tmp28 = tl.full([1, 1], 9.0, tl.float32)
    tmp29 = tmp27 + tmp28
    tmp30 = tmp29 * tmp1
    tmp31 = tl.full([1, 1], 10.0, tl.float32)
    tmp32 = tmp30 + tmp31
    tmp33 = tmp32 * tmp1
    tmp34 = tl.full([1, 1], 11.0, tl.float32)
    tmp35 = tmp33 + tmp34
    tmp36 = tmp35 * tmp1
    tmp37 = tl.full([1, 1], 12.0, tl.float32)
    tmp38 = tmp36 + tmp37
    tmp39 = tmp38 * tmp1
    tmp40 = tl.full([1, 1], 13.0, tl.float32)
    tmp41 = tmp39 + tmp40
    tmp42 = tmp41 * tmp1
    tmp43 = tl.full([1, 1], 14.0, tl.float32)
    tmp44 = tmp42 + tmp43
    tmp45 = tmp44 * tmp1
    tmp46 = tl.full([1, 1], 15.0, tl.float32)
    tmp47 = tmp45 + tmp46
    tmp48 = tmp47 * tmp1
    tmp49 = tl.full([1, 1], 16.0, tl.float32)
    tmp50 = tmp48 + tmp49
    tmp51 = tmp50 * tmp1
    tmp52 = tl.full([1, 1], 17.0, tl.float32)
    tmp53 = tmp51 + tmp52
    tmp54 = tmp53 * tmp1
    tmp55 = tl.full([1, 1], 18.0, tl.float32)
    tmp56 = tmp54 + tmp55
    tmp57 = tmp56 * tmp1
    tmp58 = tl.full([1, 1], 19.0, tl.float32)
    tmp59 = tmp57 + tmp58
    tmp60 = tmp59 * tmp1
    tmp61 = tl.full([1, 1], 20.0, tl.float32)
    tmp62 = tmp60 + tmp61
    tmp63 = tmp62 * tmp1
    tmp64 = tl.full([1, 1], 21.0, tl.float32)
    tmp65 = tmp63 + tmp64
    tmp66 = tmp65 * tmp1
    tmp67 = tl.full([1, 1], 22.0, tl.float32)
    tmp68 = tmp66 + tmp67
    tmp69 = tmp68 * tmp1
    tmp70 = tl.full([1, 1], 23.0, tl.float32)
    tmp71 = tmp69 + tmp70
    tmp72 = tmp71 * tmp1
    tmp73 = tl.full([1, 1], 24.0, tl.float32)
    tmp74 = tmp72 + tmp73
    tmp75 = tmp74 * tmp1
    tmp76 = tl.full([1, 1], 25.0, tl.float32)
    tmp77 = tmp75 + tmp76
    tmp78 = tmp77 * tmp1
    tmp79 = tl.full([1, 1], 26.0, tl.float32)
    tmp80 = tmp78 + tmp79
    tmp81 = tmp80 * tmp1
    tmp82 = tl.full([1, 1], 27.0, tl.float32)
    tmp83 = tmp81 + tmp82
    tmp84 = tmp83 * tmp1
    tmp85 = tl.full([1, 1], 28.0, tl.float32)
    tmp86 = tmp84 + tmp85
    tmp87 = tmp86 * tmp1
    tmp88 = tl.full([1, 1], 29.0, tl.float32)
    tmp89 = tmp87 + tmp88
    tmp90 = tmp89 * tmp1
    tmp91 = tl.full([1, 1], 30.0, tl.float32)
    tmp92 = tmp90 + tmp91
    tmp93 = tmp92 * tmp1
    tmp94 = tl.full([1, 1], 31.0, tl.float32)
    tmp95 = tmp93 + tmp94
    tmp96 = tmp95 * tmp1
    tmp97 = tl.full([1, 1], 32.0, tl.float32)
    tmp98 = tmp96 + tmp97
    tmp99 = tmp98 * tmp1
    tmp100 = tl.full([1, 1], 33.0, tl.float32)
    tmp101 = tmp99 + tmp100
    tmp102 = tmp101 * tmp1
    tmp103 = tl.full([1, 1], 34.0, tl.float32)
    tmp104 = tmp102 + tmp103
    tmp105 = tmp104 * tmp1
    tmp106 = tl.full([1, 1], 35.0, tl.float32)
    tmp107 = tmp105 + tmp106
    tmp108 = tmp107 * tmp1
    tmp109 = tl.full([1, 1], 36.0, tl.float32)
    tmp110 = tmp108 + tmp109
    tmp111 = tmp110 * tmp1
    tmp112 = tl.full([1, 1], 37.0, tl.float32)
    tmp113 = tmp111 + tmp112
    tmp114 = tmp113 * tmp1
    tmp115 = tl.full([1, 1], 38.0, tl.float32)
    tmp116 = tmp114 + tmp115
    tmp117 = tmp116 * tmp1
    tmp118 = tl.full([1, 1], 39.0, tl.float32)
    tmp119 = tmp117 + tmp118
    tmp120 = tmp119 * tmp1
    tmp121 = tl.full([1, 1], 40.0, tl.float32)
    tmp122 = tmp120 + tmp121
    tmp123 = tmp122 * tmp1
    tmp124 = tl.full([1, 1], 41.0, tl.float32)
    tmp125 = tmp123 + tmp124
    tmp126 = tmp125 * tmp1
    tmp127 = tl.full([1, 1], 42.0, tl.float32)
    tmp128 = tmp126 + tmp127
    tmp129 = tmp128 * tmp1
    tmp130 = tl.full([1, 1], 43.0, tl.float32)
    tmp131 = tmp129 + tmp130
    tmp132 = tmp131 * tmp1
    tmp133 = tl.full([1, 1], 44.0, tl.float32)
    tmp134 = tmp132 + tmp133
    tmp135 = tmp134 * tmp1
    tmp136 = tl.full([1, 1], 45.0, tl.float32)
    tmp137 = tmp135 + tmp136
    tmp138 = tmp137 * tmp1
    tmp139 = tl.full([1, 1], 46.0, tl.float32)
    tmp140 = tmp138 + tmp139
    tmp141 = tmp140 * tmp1
    tmp142 = tl.full([1, 1], 47.0, tl.float32)
    tmp143 = tmp141 + tmp142
    tmp144 = tmp143 * tmp1
    tmp145 = tl.full([1, 1], 48.0, tl.float32)
    tmp146 = tmp144 + tmp145
    tmp147 = tmp146 * tmp1
    tmp148 = tl.full([1, 1], 49.0, tl.float32)
    tmp149 = tmp147 + tmp148
    tmp150 = tmp149 * tmp1
    tmp151 = tl.full([1, 1], 50.0, tl.float32)
    tmp152 = tmp150 + tmp151
    tmp153 = tmp152 * tmp1
    tmp154 = tl.full([1, 1], 51.0, tl.float32)
    tmp155 = tmp153 + tmp154
    tmp156 = tmp155 * tmp1
    tmp157 = tl.full([1, 1], 52.0, tl.float32)
    tmp158 = tmp156 + tmp157
    tmp159 = tmp158 * tmp1
    tmp160 = tl.full([1, 1], 53.0, tl.float32)
    tmp161 = tmp159 + tmp160
    tmp162 = tmp161 * tmp1
    tmp163 = tl.full([1, 1], 54.0, tl.float32)
    tmp164 = tmp162 + tmp163
    tmp165 = tmp164 * tmp1
    tmp166 = tl.full([1, 1], 55.0, tl.float32)
    tmp167 = tmp165 + tmp166
    tmp168 = tmp167 * tmp1
    tmp169 = tl.full([1, 1], 56.0, tl.float32)
    tmp170 = tmp168 + tmp169
    tmp171 = tmp170 * tmp1
    tmp172 = tl.full([1, 1], 57.0, tl.float32)
    tmp173 = tmp171 + tmp172
    tmp174 = tmp173 * tmp1
    tmp175 = tl.full([1, 1], 58.0, tl.float32)
    tmp176 = tmp174 + tmp175
    tmp177 = tmp176 * tmp1
    tmp178 = tl.full([1, 1], 59.0, tl.float32)
    tmp179 = tmp177 + tmp178
    tmp180 = tmp179 * tmp1
    tmp181 = tl.full([1, 1], 60.0, tl.float32)
    tmp182 = tmp180 + tmp181
    tmp183 = tl.broadcast_to(tmp32, [XBLOCK, R0_BLOCK])
    tmp185 = tl.where(xmask, tmp183, 0)
    tmp186 = tl.sum(tmp185, 1)[:, None].to(tl.float32)
    tmp187 = tl.broadcast_to(tmp35, [XBLOCK, R0_BLOCK])
    tmp189 = tl.where(xmask, tmp187, 0)
    tmp190 = tl.sum(tmp189, 1)[:, None].to(tl.float32)
    tmp191 = tl.broadcast_to(tmp38, [XBLOCK, R0_BLOCK])
    tmp193 = tl.where(xmask, tmp191, 0)
    tmp194 = tl.sum(tmp193, 1)[:, None].to(tl.float32)
    tmp195 = tl.broadcast_to(tmp41, [XBLOCK, R0_BLOCK])
    tmp197 = tl.where(xmask, tmp195, 0)
    tmp198 = tl.sum(tmp197, 1)[:, None].to(tl.float32)
    tmp199 = tl.broadcast_to(tmp44, [XBLOCK, R0_BLOCK])
    tmp201 = tl.where(xmask, tmp199, 0)
    tmp202 = tl.sum(tmp201, 1)[:, None].to(tl.float32)
    tmp203 = tl.broadcast_to(tmp47, [XBLOCK, R0_BLOCK])
    tmp205 = tl.where(xmask, tmp203, 0)
    tmp206 = tl.sum(tmp205, 1)[:, None].to(tl.float32)
    tmp207 = tl.broadcast_to(tmp50, [XBLOCK, R0_BLOCK])
    tmp209 = tl.where(xmask, tmp207, 0)
    tmp210 = tl.sum(tmp209, 1)[:, None].to(tl.float32)
    tmp211 = tl.broadcast_to(tmp53, [XBLOCK, R0_BLOCK])
    tmp213 = tl.where(xmask, tmp211, 0)
    tmp214 = tl.sum(tmp213, 1)[:, None].to(tl.float32)
    tmp215 = tl.broadcast_to(tmp56, [XBLOCK, R0_BLOCK])
    tmp217 = tl.where(xmask, tmp215, 0)
    tmp218 = tl.sum(tmp217, 1)[:, None].to(tl.float32)
    tmp219 = tl.broadcast_to(tmp59, [XBLOCK, R0_BLOCK])
    tmp221 = tl.where(xmask, tmp219, 0)
    tmp222 = tl.sum(tmp221, 1)[:, None].to(tl.float32)
    tmp223 = tl.broadcast_to(tmp62, [XBLOCK, R0_BLOCK])
    tmp225 = tl.where(xmask, tmp223, 0)
    tmp226 = tl.sum(tmp225, 1)[:, None].to(tl.float32)
    tmp227 = tl.broadcast_to(tmp65, [XBLOCK, R0_BLOCK])
    tmp229 = tl.where(xmask, tmp227, 0)
    tmp230 = tl.sum(tmp229, 1)[:, None].to(tl.float32)
    tmp231 = tl.broadcast_to(tmp68, [XBLOCK, R0_BLOCK])
    tmp233 = tl.where(xmask, tmp231, 0)
    tmp234 = tl.sum(tmp233, 1)[:, None].to(tl.float32)
    tmp235 = tl.broadcast_to(tmp71, [XBLOCK, R0_BLOCK])
    tmp237 = tl.where(xmask, tmp235, 0)
    tmp238 = tl.sum(tmp237, 1)[:, None].to(tl.float32)
    tmp239 = tl.broadcast_to(tmp74, [XBLOCK, R0_BLOCK])
    tmp241 = tl.where(xmask, tmp239, 0)
    tmp242 = tl.sum(tmp241, 1)[:, None].to(tl.float32)
    tmp243 = tl.broadcast_to(tmp77, [XBLOCK, R0_BLOCK])
    tmp245 = tl.where(xmask, tmp243, 0)
    tmp246 = tl.sum(tmp245, 1)[:, None].to(tl.float32)
    tmp247 = tl.broadcast_to(tmp80, [XBLOCK, R0_BLOCK])
    tmp249 = tl.where(xmask, tmp247, 0)
    tmp250 = tl.sum(tmp249, 1)[:, None].to(tl.float32)
    tmp251 = tl.broadcast_to(tmp83, [XBLOCK, R0_BLOCK])
    tmp253 = tl.where(xmask, tmp251, 0)
    tmp254 = tl.sum(tmp253, 1)[:, None].to(tl.float32)
    tmp255 = tl.broadcast_to(tmp86, [XBLOCK, R0_BLOCK])
    tmp257 = tl.where(xmask, tmp255, 0)
    tmp258 = tl.sum(tmp257, 1)[:, None].to(tl.float32)
    tmp259 = tl.broadcast_to(tmp89, [XBLOCK, R0_BLOCK])
    tmp261 = tl.where(xmask, tmp259, 0)
    tmp262 = tl.sum(tmp261, 1)[:, None].to(tl.float32)
    tmp263 = tl.broadcast_to(tmp92, [XBLOCK, R0_BLOCK])
    tmp265 = tl.where(xmask, tmp263, 0)
    tmp266 = tl.sum(tmp265, 1)[:, None].to(tl.float32)
    tmp267 = tl.broadcast_to(tmp95, [XBLOCK, R0_BLOCK])
    tmp269 = tl.where(xmask, tmp267, 0)
    tmp270 = tl.sum(tmp269, 1)[:, None].to(tl.float32)
    tmp271 = tl.broadcast_to(tmp98, [XBLOCK, R0_BLOCK])
    tmp273 = tl.where(xmask, tmp271, 0)
    tmp274 = tl.sum(tmp273, 1)[:, None].to(tl.float32)
    tmp275 = tl.broadcast_to(tmp101, [XBLOCK, R0_BLOCK])
    tmp277 = tl.where(xmask, tmp275, 0)
    tmp278 = tl.sum(tmp277, 1)[:, None].to(tl.float32)
    tmp279 = tl.broadcast_to(tmp104, [XBLOCK, R0_BLOCK])
    tmp281 = tl.where(xmask, tmp279, 0)
    tmp282 = tl.sum(tmp281, 1)[:, None].to(tl.float32)
    tmp283 = tl.broadcast_to(tmp107, [XBLOCK, R0_BLOCK])
    tmp285 = tl.where(xmask, tmp283, 0)
    tmp286 = tl.sum(tmp285, 1)[:, None].to(tl.float32)
    tmp287 = tl.broadcast_to(tmp110, [XBLOCK, R0_BLOCK])
    tmp289 = tl.where(xmask, tmp287, 0)
    tmp290 = tl.sum(tmp289, 1)[:, None].to(tl.float32)
    tmp291 = tl.broadcast_to(tmp113, [XBLOCK, R0_BLOCK])
    tmp293 = tl.where(xmask, tmp291, 0)
    tmp294 = tl.sum(tmp293, 1)[:, None].to(tl.float32)
    tmp295 = tl.broadcast_to(tmp116, [XBLOCK, R0_BLOCK])
    tmp297 = tl.where(xmask, tmp295, 0)
    tmp298 = tl.sum(tmp297, 1)[:, None].to(tl.float32)
    tmp299 = tl.broadcast_to(tmp119, [XBLOCK, R0_BLOCK])
    tmp301 = tl.where(xmask, tmp299, 0)
    tmp302 = tl.sum(tmp301, 1)[:, None].to(tl.float32)
    tmp303 = tl.broadcast_to(tmp122, [XBLOCK, R0_BLOCK])
    tmp305 = tl.where(xmask, tmp303, 0)
    tmp306 = tl.sum(tmp305, 1)[:, None].to(tl.float32)
    tmp307 = tl.broadcast_to(tmp125, [XBLOCK, R0_BLOCK])
    tmp309 = tl.where(xmask, tmp307, 0)
    tmp310 = tl.sum(tmp309, 1)[:, None].to(tl.float32)
    tmp311 = tl.broadcast_to(tmp128, [XBLOCK, R0_BLOCK])
    tmp313 = tl.where(xmask, tmp311, 0)
    tmp314 = tl.sum(tmp313, 1)[:, None].to(tl.float32)
    tmp315 = tl.broadcast_to(tmp131, [XBLOCK, R0_BLOCK])
    tmp317 = tl.where(xmask, tmp315, 0)
    tmp318 = tl.sum(tmp317, 1)[:, None].to(tl.float32)
    tmp319 = tl.broadcast_to(tmp134, [XBLOCK, R0_BLOCK])
    tmp321 = tl.where(xmask, tmp319, 0)
    tmp322 = tl.sum(tmp321, 1)[:, None].to(tl.float32)
    tmp323 = tl.broadcast_to(tmp137, [XBLOCK, R0_BLOCK])
    tmp325 = tl.where(xmask, tmp323, 0)
    tmp326 = tl.sum(tmp325, 1)[:, None].to(tl.float32)
    tmp327 = tl.broadcast_to(tmp140, [XBLOCK, R0_BLOCK])
    tmp329 = tl.where(xmask, tmp327, 0)
    tmp330 = tl.sum(tmp329, 1)[:, None].to(tl.float32)
    tmp331 = tl.broadcast_to(tmp143, [XBLOCK, R0_BLOCK])
    tmp333 = tl.where(xmask, tmp331, 0)
    tmp334 = tl.sum(tmp333, 1)[:, None].to(tl.float32)
    tmp335 = tl.broadcast_to(tmp146, [XBLOCK, R0_BLOCK])
    tmp337 = tl.where(xmask, tmp335, 0)
    tmp338 = tl.sum(tmp337, 1)[:, None].to(tl.float32)
    tmp339 = tl.broadcast_to(tmp149, [XBLOCK, R0_BLOCK])
    tmp341 = tl.where(xmask, tmp339, 0)
    tmp342 = tl.sum(tmp341, 1)[:, None].to(tl.float32)
    tmp343 = tl.broadcast_to(tmp152, [XBLOCK, R0_BLOCK])
    tmp345 = tl.where(xmask, tmp343, 0)
    tmp346 = tl.sum(tmp345, 1)[:, None].to(tl.float32)
    tmp347 = tl.broadcast_to(tmp155, [XBLOCK, R0_BLOCK])
    tmp349 = tl.where(xmask, tmp347, 0)
    tmp350 = tl.sum(tmp349, 1)[:, None].to(tl.float32)
    tmp351 = tl.broadcast_to(tmp158, [XBLOCK, R0_BLOCK])
    tmp353 = tl.where(xmask, tmp351, 0)
    tmp354 = tl.sum(tmp353, 1)[:, None].to(tl.float32)
    tmp355 = tl.broadcast_to(tmp161, [XBLOCK, R0_BLOCK])
    tmp357 = tl.where(xmask, tmp355, 0)
    tmp358 = tl.sum(tmp357, 1)[:, None].to(tl.float32)
    tmp359 = tl.broadcast_to(tmp164, [XBLOCK, R0_BLOCK])
    tmp361 = tl.where(xmask, tmp359, 0)
    tmp362 = tl.sum(tmp361, 1)[:, None].to(tl.float32)
    tmp363 = tl.broadcast_to(tmp167, [XBLOCK, R0_BLOCK])
    tmp365 = tl.where(xmask, tmp363, 0)
    tmp366 = tl.sum(tmp365, 1)[:, None].to(tl.float32)
    tmp367 = tl.broadcast_to(tmp170, [XBLOCK, R0_BLOCK])
    tmp369 = tl.where(xmask, tmp367, 0)
    tmp370 = tl.sum(tmp369, 1)[:, None].to(tl.float32)
    tmp371 = tl.broadcast_to(tmp173, [XBLOCK, R0_BLOCK])
    tmp373 = tl.where(xmask, tmp371, 0)
    tmp374 = tl.sum(tmp373, 1)[:, None].to(tl.float32)
    tmp375 = tl.broadcast_to(tmp176, [XBLOCK, R0_BLOCK])
    tmp377 = tl.where(xmask, tmp375, 0)
    tmp378 = tl.sum(tmp377, 1)[:, None].to(tl.float32)
    tmp379 = tl.broadcast_to(tmp179, [XBLOCK, R0_BLOCK])
    tmp381 = tl.where(xmask, tmp379, 0)
    tmp382 = tl.sum(tmp381, 1)[:, None].to(tl.float32)
    tl.store(out_ptr5 + (r0_1 + 64*x0), tmp182, xmask)
    tl.store(out_ptr6 + (x0), tmp186, xmask)
    tl.store(out_ptr7 + (x0), tmp190, xmask)
    tl.store(out_ptr8 + (x0), tmp194, xmask)
    tl.store(out_ptr9 + (x0), tmp198, xmask)
    tl.store(out_ptr10 + (x0), tmp202, xmask)
    tl.store(out_ptr11 + (x0), tmp206, xmask)
    tl.store(out_ptr12 + (x0), tmp210, xmask)
    tl.store(out_ptr13 + (x0), tmp214, xmask)
    tl.store(out_ptr14 + (x0), tmp218, xmask)
    tl.store(out_ptr15 + (x0), tmp222, xmask)
    tl.store(out_ptr16 + (x0), tmp226, xmask)
    tl.store(out_ptr17 + (x0), tmp230, xmask)
    tl.store(out_ptr18 + (x0), tmp234, xmask)
    tl.store(out_ptr19 + (x0), tmp238, xmask)
    tl.store(out_ptr20 + (x0), tmp242, xmask)
    tl.store(out_ptr21 + (x0), tmp246, xmask)
    tl.store(out_ptr22 + (x0), tmp250, xmask)
    tl.store(out_ptr23 + (x0), tmp254, xmask)
    tl.store(out_ptr24 + (x0), tmp258, xmask)
    tl.store(out_ptr25 + (x0), tmp262, xmask)
    tl.store(out_ptr26 + (x0), tmp266, xmask)
    tl.store(out_ptr27 + (x0), tmp270, xmask)
    tl.store(out_ptr28 + (x0), tmp274, xmask)
    tl.store(out_ptr29 + (x0), tmp278, xmask)
    tl.store(out_ptr30 + (x0), tmp282, xmask)
    tl.store(out_ptr31 + (x0), tmp286, xmask)
    tl.store(out_ptr32 + (x0), tmp290, xmask)
    tl.store(out_ptr33 + (x0), tmp294, xmask)
    tl.store(out_ptr34 + (x0), tmp298, xmask)
    tl.store(out_ptr35 + (x0), tmp302, xmask)
    tl.store(out_ptr36 + (x0), tmp306, xmask)
    tl.store(out_ptr37 + (x0), tmp310, xmask)
    tl.store(out_ptr38 + (x0), tmp314, xmask)
    tl.store(out_ptr39 + (x0), tmp318, xmask)
    tl.store(out_ptr40 + (x0), tmp322, xmask)
    tl.store(out_ptr41 + (x0), tmp326, xmask)
    tl.store(out_ptr42 + (x0), tmp330, xmask)
    tl.store(out_ptr43 + (x0), tmp334, xmask)
    tl.store(out_ptr44 + (x0), tmp338, xmask)
    tl.store(out_ptr45 + (x0), tmp342, xmask)
    tl.store(out_ptr46 + (x0), tmp346, xmask)
    tl.store(out_ptr47 + (x0), tmp350, xmask)
    tl.store(out_ptr48 + (x0), tmp354, xmask)
    tl.store(out_ptr49 + (x0), tmp358, xmask)
    tl.store(out_ptr50 + (x0), tmp362, xmask)
    tl.store(out_ptr51 + (x0), tmp366, xmask)
    tl.store(out_ptr52 + (x0), tmp370, xmask)
    tl.store(out_ptr53 + (x0), tmp374, xmask)
    tl.store(out_ptr54 + (x0), tmp378, xmask)
    tl.store(out_ptr55 + (x0), tmp382, xmask)


# graph_0: triton_per_fused_add_mul_sum_2
@triton_heuristics.persistent_reduction(
    size_hints={'x': 32, 'r0_': 64},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'out_ptr2': '*fp32', 'out_ptr3': '*fp32', 'out_ptr4': '*fp32', 'out_ptr5': '*fp32', 'out_ptr6': '*fp32', 'out_ptr7': '*fp32', 'out_ptr8': '*fp32', 'out_ptr9': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]], (10,): [['tt.divisibility', 16]], (11,): [['tt.divisibility', 16]], (12,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'kernel_name': 'triton_per_fused_add_mul_sum_2',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': None,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 10,
        'num_reduction': 10,
        'autotune_hints': set(),
        'tiling_scores': {'x': 2560, 'r0_': 8192},
    },
)
@triton.jit
def triton_per_fused_add_mul_sum_2(in_ptr0, out_ptr0, out_ptr1, out_ptr2, out_ptr3, out_ptr4, out_ptr5, out_ptr6, out_ptr7, out_ptr8, out_ptr9, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 32
    r0_numel = 64
    R0_BLOCK: tl.constexpr = 64
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]
    roffset = r0_offset
    rindex = r0_index
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (r0_1 + 64*x0), xmask, eviction_policy='evict_first', other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.where(xmask, tmp1, 0)
    tmp4 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tmp5 = tl.full([1, 1], 1.5, tl.float32)
    tmp6 = tmp0 * tmp5
    tmp7 = tl.full([1, 1], 61.0, tl.float32)
    tmp8 = tmp6 + tmp7
    tmp9 = tl.broadcast_to(tmp8, [XBLOCK, R0_BLOCK])
    tmp11 = tl.where(xmask, tmp9, 0)
    tmp12 = tl.sum(tmp11, 1)[:, None].to(tl.float32)
    tmp13 = tmp8 * tmp5
    tmp14 = tl.full([1, 1], 62.0, tl.float32)
    tmp15 = tmp13 + tmp14
    tmp16 = tl.broadcast_to(tmp15, [XBLOCK, R0_BLOCK])
    tmp18 = tl.where(xmask, tmp16, 0)
    tmp19 = tl.sum(tmp18, 1)[:, None].to(tl.float32)
    tmp20 = tmp15 * tmp5
    tmp21 = tl.full([1, 1], 63.0, tl.float32)
    tmp22 = tmp20 + tmp21
    tmp23 = tl.broadcast_to(tmp22, [XBLOCK, R0_BLOCK])
    tmp25 = tl.where(xmask, tmp23, 0)
    tmp26 = tl.sum(tmp25, 1)[:, None].to(tl.float32)
    tmp27 = tmp22 * tmp5
    tmp28 = tl.full([1, 1], 64.0, tl.float32)
    tmp29 = tmp27 + tmp28
    tmp30 = tl.broadcast_to(tmp29, [XBLOCK, R0_BLOCK])
    tmp32 = tl.where(xmask, tmp30, 0)
    tmp33 = tl.sum(tmp32, 1)[:, None].to(tl.float32)
    tmp34 = tmp29 * tmp5
    tmp35 = tl.full([1, 1], 65.0, tl.float32)
    tmp36 = tmp34 + tmp35
    tmp37 = tl.broadcast_to(tmp36, [XBLOCK, R0_BLOCK])
    tmp39 = tl.where(xmask, tmp37, 0)
    tmp40 = tl.sum(tmp39, 1)[:, None].to(tl.float32)
    tmp41 = tmp36 * tmp5
    tmp42 = tl.full([1, 1], 66.0, tl.float32)
    tmp43 = tmp41 + tmp42
    tmp44 = tl.broadcast_to(tmp43, [XBLOCK, R0_BLOCK])
    tmp46 = tl.where(xmask, tmp44, 0)
    tmp47 = tl.sum(tmp46, 1)[:, None].to(tl.float32)
    tmp48 = tmp43 * tmp5
    tmp49 = tl.full([1, 1], 67.0, tl.float32)
    tmp50 = tmp48 + tmp49
    tmp51 = tl.broadcast_to(tmp50, [XBLOCK, R0_BLOCK])
    tmp53 = tl.where(xmask, tmp51, 0)
    tmp54 = tl.sum(tmp53, 1)[:, None].to(tl.float32)
    tmp55 = tmp50 * tmp5
    tmp56 = tl.full([1, 1], 68.0, tl.float32)
    tmp57 = tmp55 + tmp56
    tmp58 = tl.broadcast_to(tmp57, [XBLOCK, R0_BLOCK])
    tmp60 = tl.where(xmask, tmp58, 0)
    tmp61 = tl.sum(tmp60, 1)[:, None].to(tl.float32)
    tmp62 = tmp57 * tmp5
    tmp63 = tl.full([1, 1], 69.0, tl.float32)
    tmp64 = tmp62 + tmp63
    tmp65 = tl.broadcast_to(tmp64, [XBLOCK, R0_BLOCK])
    tmp67 = tl.where(xmask, tmp65, 0)
    tmp68 = tl.sum(tmp67, 1)[:, None].to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp4, xmask)
    tl.store(out_ptr1 + (x0), tmp12, xmask)
    tl.store(out_ptr2 + (x0), tmp19, xmask)
    tl.store(out_ptr3 + (x0), tmp26, xmask)
    tl.store(out_ptr4 + (x0), tmp33, xmask)
    tl.store(out_ptr5 + (x0), tmp40, xmask)
    tl.store(out_ptr6 + (x0), tmp47, xmask)
    tl.store(out_ptr7 + (x0), tmp54, xmask)
    tl.store(out_ptr8 + (x0), tmp61, xmask)
    tl.store(out_ptr9 + (x0), tmp68, xmask)
