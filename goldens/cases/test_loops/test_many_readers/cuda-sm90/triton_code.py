# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0: triton_per_fused_add_mul_sum_0
@triton_heuristics.persistent_reduction(
    size_hints={'x': 32, 'r0_': 64},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'out_ptr2': '*fp32', 'out_ptr3': '*fp32', 'out_ptr4': '*fp32', 'out_ptr5': '*fp32', 'out_ptr6': '*fp32', 'out_ptr7': '*fp32', 'out_ptr8': '*fp32', 'out_ptr13': '*fp32', 'out_ptr14': '*fp32', 'out_ptr15': '*fp32', 'out_ptr16': '*fp32', 'out_ptr17': '*fp32', 'out_ptr18': '*fp32', 'out_ptr19': '*fp32', 'out_ptr20': '*fp32', 'out_ptr21': '*fp32', 'out_ptr22': '*fp32', 'out_ptr23': '*fp32', 'out_ptr24': '*fp32', 'out_ptr25': '*fp32', 'out_ptr26': '*fp32', 'out_ptr27': '*fp32', 'out_ptr28': '*fp32', 'out_ptr29': '*fp32', 'out_ptr30': '*fp32', 'out_ptr31': '*fp32', 'out_ptr32': '*fp32', 'out_ptr33': '*fp32', 'out_ptr34': '*fp32', 'out_ptr35': '*fp32', 'out_ptr36': '*fp32', 'out_ptr37': '*fp32', 'out_ptr38': '*fp32', 'out_ptr39': '*fp32', 'out_ptr40': '*fp32', 'out_ptr41': '*fp32', 'out_ptr42': '*fp32', 'out_ptr43': '*fp32', 'out_ptr44': '*fp32', 'out_ptr45': '*fp32', 'out_ptr46': '*fp32', 'out_ptr47': '*fp32', 'out_ptr48': '*fp32', 'out_ptr49': '*fp32', 'out_ptr50': '*fp32', 'out_ptr51': '*fp32', 'out_ptr52': '*fp32', 'out_ptr53': '*fp32', 'out_ptr54': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]], (10,): [['tt.divisibility', 16]], (11,): [['tt.divisibility', 16]], (12,): [['tt.divisibility', 16]], (13,): [['tt.divisibility', 16]], (14,): [['tt.divisibility', 16]], (15,): [['tt.divisibility', 16]], (16,): [['tt.divisibility', 16]], (17,): [['tt.divisibility', 16]], (18,): [['tt.divisibility', 16]], (19,): [['tt.divisibility', 16]], (20,): [['tt.divisibility', 16]], (21,): [['tt.divisibility', 16]], (22,): [['tt.divisibility', 16]], (23,): [['tt.divisibility', 16]], (24,): [['tt.divisibility', 16]], (25,): [['tt.divisibility', 16]], (26,): [['tt.divisibility', 16]], (27,): [['tt.divisibility', 16]], (28,): [['tt.divisibility', 16]], (29,): [['tt.divisibility', 16]], (30,): [['tt.divisibility', 16]], (31,): [['tt.divisibility', 16]], (32,): [['tt.divisibility', 16]], (33,): [['tt.divisibility', 16]], (34,): [['tt.divisibility', 16]], (35,): [['tt.divisibility', 16]], (36,): [['tt.divisibility', 16]], (37,): [['tt.divisibility', 16]], (38,): [['tt.divisibility', 16]], (39,): [['tt.divisibility', 16]], (40,): [['tt.divisibility', 16]], (41,): [['tt.divisibility', 16]], (42,): [['tt.divisibility', 16]], (43,): [['tt.divisibility', 16]], (44,): [['tt.divisibility', 16]], (45,): [['tt.divisibility', 16]], (46,): [['tt.divisibility', 16]], (47,): [['tt.divisibility', 16]], (48,): [['tt.divisibility', 16]], (49,): [['tt.divisibility', 16]], (50,): [['tt.divisibility', 16]], (51,): [['tt.divisibility', 16]], (52,): [['tt.divisibility', 16]], (53,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'autotune_hints': set(),
        'kernel_name': 'triton_per_fused_add_mul_sum_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': None,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 51,
        'num_reduction': 49,
        'tiling_scores': {'x': 12544, 'r0_': 40960},
    },
)
@triton.jit
def triton_per_fused_add_mul_sum_0(in_ptr0, out_ptr0, out_ptr1, out_ptr2, out_ptr3, out_ptr4, out_ptr5, out_ptr6, out_ptr7, out_ptr8, out_ptr13, out_ptr14, out_ptr15, out_ptr16, out_ptr17, out_ptr18, out_ptr19, out_ptr20, out_ptr21, out_ptr22, out_ptr23, out_ptr24, out_ptr25, out_ptr26, out_ptr27, out_ptr28, out_ptr29, out_ptr30, out_ptr31, out_ptr32, out_ptr33, out_ptr34, out_ptr35, out_ptr36, out_ptr37, out_ptr38, out_ptr39, out_ptr40, out_ptr41, out_ptr42, out_ptr43, out_ptr44, out_ptr45, out_ptr46, out_ptr47, out_ptr48, out_ptr49, out_ptr50, out_ptr51, out_ptr52, out_ptr53, out_ptr54, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp0 = tl.load(in_ptr0 + (r0_1 + 64*x0), xmask, other=0.0)
    tmp1 = tl.full([1, 1], 1.5, tl.float32)
    tmp2 = tmp0 * tmp1
    tmp3 = tl.full([1, 1], 0.0, tl.float32)
    tmp4 = tmp2 + tmp3
    tmp5 = tl.broadcast_to(tmp4, [XBLOCK, R0_BLOCK])
    tmp7 = tl.where(xmask, tmp5, 0)
    tmp8 = tl.sum(tmp7, 1)[:, None].to(tl.float32)
    tmp9 = tmp4 * tmp1
    tmp10 = tl.full([1, 1], 1.0, tl.float32)
    tmp11 = tmp9 + tmp10
    tmp12 = tl.broadcast_to(tmp11, [XBLOCK, R0_BLOCK])
    tmp14 = tl.where(xmask, tmp12, 0)
    tmp15 = tl.sum(tmp14, 1)[:, None].to(tl.float32)
    tmp16 = tmp11 * tmp1
    tmp17 = tl.full([1, 1], 2.0, tl.float32)
    tmp18 = tmp16 + tmp17
    tmp19 = tl.broadcast_to(tmp18, [XBLOCK, R0_BLOCK])
    tmp21 = tl.where(xmask, tmp19, 0)
    tmp22 = tl.sum(tmp21, 1)[:, None].to(tl.float32)
    tmp23 = tmp18 * tmp1
    tmp24 = tl.full([1, 1], 3.0, tl.float32)
    tmp25 = tmp23 + tmp24
    tmp26 = tl.broadcast_to(tmp25, [XBLOCK, R0_BLOCK])
    tmp28 = tl.where(xmask, tmp26, 0)
    tmp29 = tl.sum(tmp28, 1)[:, None].to(tl.float32)
    tmp30 = tmp25 * tmp1
    tmp31 = tl.full([1, 1], 4.0, tl.float32)
    tmp32 = tmp30 + tmp31
    tmp33 = tl.broadcast_to(tmp32, [XBLOCK, R0_BLOCK])
    tmp35 = tl.where(xmask, tmp33, 0)
    tmp36 = tl.sum(tmp35, 1)[:, None].to(tl.float32)
    tmp37 = tmp32 * tmp1
    tmp38 = tl.full([1, 1], 5.0, tl.float32)
    tmp39 = tmp37 + tmp38
    tmp40 = tl.broadcast_to(tmp39, [XBLOCK, R0_BLOCK])
    tmp42 = tl.where(xmask, tmp40, 0)
    tmp43 = tl.sum(tmp42, 1)[:, None].to(tl.float32)
    tmp44 = tmp39 * tmp1
    tmp45 = tl.full([1, 1], 6.0, tl.float32)
    tmp46 = tmp44 + tmp45
    tmp47 = tl.broadcast_to(tmp46, [XBLOCK, R0_BLOCK])
    tmp49 = tl.where(xmask, tmp47, 0)
    tmp50 = tl.sum(tmp49, 1)[:, None].to(tl.float32)
    tmp51 = tmp46 * tmp1
    tmp52 = tl.full([1, 1], 7.0, tl.float32)
    tmp53 = tmp51 + tmp52
    tmp54 = tl.broadcast_to(tmp53, [XBLOCK, R0_BLOCK])
    tmp56 = tl.where(xmask, tmp54, 0)
    tmp57 = tl.sum(tmp56, 1)[:, None].to(tl.float32)
    tmp58 = tmp53 * tmp1
    tmp59 = tl.full([1, 1], 8.0, tl.float32)
    tmp60 = tmp58 + tmp59
    tmp61 = tl.broadcast_to(tmp60, [XBLOCK, R0_BLOCK])
    tmp63 = tl.where(xmask, tmp61, 0)
    tmp64 = tl.sum(tmp63, 1)[:, None].to(tl.float32)
    tmp65 = tmp60 * tmp1
    tmp66 = tl.full([1, 1], 9.0, tl.float32)
    tmp67 = tmp65 + tmp66
    tmp68 = tmp67 * tmp1
    tmp69 = tl.full([1, 1], 10.0, tl.float32)
    tmp70 = tmp68 + tmp69
    tmp71 = tmp70 * tmp1
    tmp72 = tl.full([1, 1], 11.0, tl.float32)
    tmp73 = tmp71 + tmp72
    tmp74 = tmp73 * tmp1
    tmp75 = tl.full([1, 1], 12.0, tl.float32)
    tmp76 = tmp74 + tmp75
    tmp77 = tmp76 * tmp1
    tmp78 = tl.full([1, 1], 13.0, tl.float32)
    tmp79 = tmp77 + tmp78
    tmp80 = tmp79 * tmp1
    tmp81 = tl.full([1, 1], 14.0, tl.float32)
    tmp82 = tmp80 + tmp81
    tmp83 = tmp82 * tmp1
    tmp84 = tl.full([1, 1], 15.0, tl.float32)
    tmp85 = tmp83 + tmp84
    tmp86 = tmp85 * tmp1
    tmp87 = tl.full([1, 1], 16.0, tl.float32)
    tmp88 = tmp86 + tmp87
    tmp89 = tmp88 * tmp1
    tmp90 = tl.full([1, 1], 17.0, tl.float32)
    tmp91 = tmp89 + tmp90
    tmp92 = tmp91 * tmp1
    tmp93 = tl.full([1, 1], 18.0, tl.float32)
    tmp94 = tmp92 + tmp93
    tmp95 = tmp94 * tmp1
    tmp96 = tl.full([1, 1], 19.0, tl.float32)
    tmp97 = tmp95 + tmp96
    tmp98 = tmp97 * tmp1
    tmp99 = tl.full([1, 1], 20.0, tl.float32)
    tmp100 = tmp98 + tmp99
    tmp101 = tmp100 * tmp1
    tmp102 = tl.full([1, 1], 21.0, tl.float32)
    tmp103 = tmp101 + tmp102
    tmp104 = tmp103 * tmp1
    tmp105 = tl.full([1, 1], 22.0, tl.float32)
    tmp106 = tmp104 + tmp105
    tmp107 = tmp106 * tmp1
    tmp108 = tl.full([1, 1], 23.0, tl.float32)
    tmp109 = tmp107 + tmp108
    tmp110 = tmp109 * tmp1
    tmp111 = tl.full([1, 1], 24.0, tl.float32)
    tmp112 = tmp110 + tmp111
    tmp113 = tmp112 * tmp1
    tmp114 = tl.full([1, 1], 25.0, tl.float32)
    tmp115 = tmp113 + tmp114
    tmp116 = tmp115 * tmp1
    tmp117 = tl.full([1, 1], 26.0, tl.float32)
    tmp118 = tmp116 + tmp117
    tmp119 = tmp118 * tmp1
    tmp120 = tl.full([1, 1], 27.0, tl.float32)
    tmp121 = tmp119 + tmp120
    tmp122 = tmp121 * tmp1
    tmp123 = tl.full([1, 1], 28.0, tl.float32)
    tmp124 = tmp122 + tmp123
    tmp125 = tmp124 * tmp1
    tmp126 = tl.full([1, 1], 29.0, tl.float32)
    tmp127 = tmp125 + tmp126
    tmp128 = tmp127 * tmp1
    tmp129 = tl.full([1, 1], 30.0, tl.float32)
    tmp130 = tmp128 + tmp129
    tmp131 = tmp130 * tmp1
    tmp132 = tl.full([1, 1], 31.0, tl.float32)
    tmp133 = tmp131 + tmp132
    tmp134 = tmp133 * tmp1
    tmp135 = tl.full([1, 1], 32.0, tl.float32)
    tmp136 = tmp134 + tmp135
    tmp137 = tmp136 * tmp1
    tmp138 = tl.full([1, 1], 33.0, tl.float32)
    tmp139 = tmp137 + tmp138
    tmp140 = tmp139 * tmp1
    tmp141 = tl.full([1, 1], 34.0, tl.float32)
    tmp142 = tmp140 + tmp141
    tmp143 = tmp142 * tmp1
    tmp144 = tl.full([1, 1], 35.0, tl.float32)
    tmp145 = tmp143 + tmp144
    tmp146 = tmp145 * tmp1
    tmp147 = tl.full([1, 1], 36.0, tl.float32)
    tmp148 = tmp146 + tmp147
    tmp149 = tmp148 * tmp1
    tmp150 = tl.full([1, 1], 37.0, tl.float32)
    tmp151 = tmp149 + tmp150
    tmp152 = tmp151 * tmp1
    tmp153 = tl.full([1, 1], 38.0, tl.float32)
    tmp154 = tmp152 + tmp153
    tmp155 = tmp154 * tmp1
    tmp156 = tl.full([1, 1], 39.0, tl.float32)
    tmp157 = tmp155 + tmp156
    tmp158 = tmp157 * tmp1
    tmp159 = tl.full([1, 1], 40.0, tl.float32)
    tmp160 = tmp158 + tmp159
    tmp161 = tmp160 * tmp1
    tmp162 = tl.full([1, 1], 41.0, tl.float32)
    tmp163 = tmp161 + tmp162
    tmp164 = tmp163 * tmp1
    tmp165 = tl.full([1, 1], 42.0, tl.float32)
    tmp166 = tmp164 + tmp165
    tmp167 = tmp166 * tmp1
    tmp168 = tl.full([1, 1], 43.0, tl.float32)
    tmp169 = tmp167 + tmp168
    tmp170 = tmp169 * tmp1
    tmp171 = tl.full([1, 1], 44.0, tl.float32)
    tmp172 = tmp170 + tmp171
    tmp173 = tmp172 * tmp1
    tmp174 = tl.full([1, 1], 45.0, tl.float32)
    tmp175 = tmp173 + tmp174
    tmp176 = tmp175 * tmp1
    tmp177 = tl.full([1, 1], 46.0, tl.float32)
    tmp178 = tmp176 + tmp177
    tmp179 = tmp178 * tmp1
    tmp180 = tl.full([1, 1], 47.0, tl.float32)
    tmp181 = tmp179 + tmp180
    tmp182 = tmp181 * tmp1
    tmp183 = tl.full([1, 1], 48.0, tl.float32)
    tmp184 = tmp182 + tmp183
    tmp185 = tmp184 * tmp1
    tmp186 = tl.full([1, 1], 49.0, tl.float32)
    tmp187 = tmp185 + tmp186
    tmp188 = tmp187 * tmp1
    tmp189 = tl.full([1, 1], 50.0, tl.float32)
    tmp190 = tmp188 + tmp189
    tmp191 = tmp190 * tmp1
    tmp192 = tl.full([1, 1], 51.0, tl.float32)
    tmp193 = tmp191 + tmp192
    tmp194 = tmp193 * tmp1
    tmp195 = tl.full([1, 1], 52.0, tl.float32)
    tmp196 = tmp194 + tmp195
    tmp197 = tmp196 * tmp1
    tmp198 = tl.full([1, 1], 53.0, tl.float32)
    tmp199 = tmp197 + tmp198
    tmp200 = tmp199 * tmp1
    tmp201 = tl.full([1, 1], 54.0, tl.float32)
    tmp202 = tmp200 + tmp201
    tmp203 = tmp202 * tmp1
    tmp204 = tl.full([1, 1], 55.0, tl.float32)
    tmp205 = tmp203 + tmp204
    tmp206 = tmp205 * tmp1
    tmp207 = tl.full([1, 1], 56.0, tl.float32)
    tmp208 = tmp206 + tmp207
    tmp209 = tmp208 * tmp1
    tmp210 = tl.full([1, 1], 57.0, tl.float32)
    tmp211 = tmp209 + tmp210
    tmp212 = tmp211 * tmp1
    tmp213 = tl.full([1, 1], 58.0, tl.float32)
    tmp214 = tmp212 + tmp213
    tmp215 = tmp214 * tmp1
    tmp216 = tl.full([1, 1], 59.0, tl.float32)
    tmp217 = tmp215 + tmp216
    tmp218 = tl.broadcast_to(tmp67, [XBLOCK, R0_BLOCK])
    tmp220 = tl.where(xmask, tmp218, 0)
    tmp221 = tl.sum(tmp220, 1)[:, None].to(tl.float32)
    tmp222 = tl.broadcast_to(tmp70, [XBLOCK, R0_BLOCK])
    tmp224 = tl.where(xmask, tmp222, 0)
    tmp225 = tl.sum(tmp224, 1)[:, None].to(tl.float32)
    tmp226 = tl.broadcast_to(tmp73, [XBLOCK, R0_BLOCK])
    tmp228 = tl.where(xmask, tmp226, 0)
    tmp229 = tl.sum(tmp228, 1)[:, None].to(tl.float32)
    tmp230 = tl.broadcast_to(tmp76, [XBLOCK, R0_BLOCK])
    tmp232 = tl.where(xmask, tmp230, 0)
    tmp233 = tl.sum(tmp232, 1)[:, None].to(tl.float32)
    tmp234 = tl.broadcast_to(tmp79, [XBLOCK, R0_BLOCK])
    tmp236 = tl.where(xmask, tmp234, 0)
    tmp237 = tl.sum(tmp236, 1)[:, None].to(tl.float32)
    tmp238 = tl.broadcast_to(tmp82, [XBLOCK, R0_BLOCK])
    tmp240 = tl.where(xmask, tmp238, 0)
    tmp241 = tl.sum(tmp240, 1)[:, None].to(tl.float32)
    tmp242 = tl.broadcast_to(tmp85, [XBLOCK, R0_BLOCK])
    tmp244 = tl.where(xmask, tmp242, 0)
    tmp245 = tl.sum(tmp244, 1)[:, None].to(tl.float32)
    tmp246 = tl.broadcast_to(tmp88, [XBLOCK, R0_BLOCK])
    tmp248 = tl.where(xmask, tmp246, 0)
    tmp249 = tl.sum(tmp248, 1)[:, None].to(tl.float32)
    tmp250 = tl.broadcast_to(tmp91, [XBLOCK, R0_BLOCK])
    tmp252 = tl.where(xmask, tmp250, 0)
    tmp253 = tl.sum(tmp252, 1)[:, None].to(tl.float32)
    tmp254 = tl.broadcast_to(tmp94, [XBLOCK, R0_BLOCK])
    tmp256 = tl.where(xmask, tmp254, 0)
    tmp257 = tl.sum(tmp256, 1)[:, None].to(tl.float32)
    tmp258 = tl.broadcast_to(tmp97, [XBLOCK, R0_BLOCK])
    tmp260 = tl.where(xmask, tmp258, 0)
    tmp261 = tl.sum(tmp260, 1)[:, None].to(tl.float32)
    tmp262 = tl.broadcast_to(tmp100, [XBLOCK, R0_BLOCK])
    tmp264 = tl.where(xmask, tmp262, 0)
    tmp265 = tl.sum(tmp264, 1)[:, None].to(tl.float32)
    tmp266 = tl.broadcast_to(tmp103, [XBLOCK, R0_BLOCK])
    tmp268 = tl.where(xmask, tmp266, 0)
    tmp269 = tl.sum(tmp268, 1)[:, None].to(tl.float32)
    tmp270 = tl.broadcast_to(tmp106, [XBLOCK, R0_BLOCK])
    tmp272 = tl.where(xmask, tmp270, 0)
    tmp273 = tl.sum(tmp272, 1)[:, None].to(tl.float32)
    tmp274 = tl.broadcast_to(tmp109, [XBLOCK, R0_BLOCK])
    tmp276 = tl.where(xmask, tmp274, 0)
    tmp277 = tl.sum(tmp276, 1)[:, None].to(tl.float32)
    tmp278 = tl.broadcast_to(tmp112, [XBLOCK, R0_BLOCK])
    tmp280 = tl.where(xmask, tmp278, 0)
    tmp281 = tl.sum(tmp280, 1)[:, None].to(tl.float32)
    tmp282 = tl.broadcast_to(tmp115, [XBLOCK, R0_BLOCK])
    tmp284 = tl.where(xmask, tmp282, 0)
    tmp285 = tl.sum(tmp284, 1)[:, None].to(tl.float32)
    tmp286 = tl.broadcast_to(tmp118, [XBLOCK, R0_BLOCK])
    tmp288 = tl.where(xmask, tmp286, 0)
    tmp289 = tl.sum(tmp288, 1)[:, None].to(tl.float32)
    tmp290 = tl.broadcast_to(tmp121, [XBLOCK, R0_BLOCK])
    tmp292 = tl.where(xmask, tmp290, 0)
    tmp293 = tl.sum(tmp292, 1)[:, None].to(tl.float32)
    tmp294 = tl.broadcast_to(tmp124, [XBLOCK, R0_BLOCK])
    tmp296 = tl.where(xmask, tmp294, 0)
    tmp297 = tl.sum(tmp296, 1)[:, None].to(tl.float32)
    tmp298 = tl.broadcast_to(tmp127, [XBLOCK, R0_BLOCK])
    tmp300 = tl.where(xmask, tmp298, 0)
    tmp301 = tl.sum(tmp300, 1)[:, None].to(tl.float32)
    tmp302 = tl.broadcast_to(tmp130, [XBLOCK, R0_BLOCK])
    tmp304 = tl.where(xmask, tmp302, 0)
    tmp305 = tl.sum(tmp304, 1)[:, None].to(tl.float32)
    tmp306 = tl.broadcast_to(tmp133, [XBLOCK, R0_BLOCK])
    tmp308 = tl.where(xmask, tmp306, 0)
    tmp309 = tl.sum(tmp308, 1)[:, None].to(tl.float32)
    tmp310 = tl.broadcast_to(tmp136, [XBLOCK, R0_BLOCK])
    tmp312 = tl.where(xmask, tmp310, 0)
    tmp313 = tl.sum(tmp312, 1)[:, None].to(tl.float32)
    tmp314 = tl.broadcast_to(tmp139, [XBLOCK, R0_BLOCK])
    tmp316 = tl.where(xmask, tmp314, 0)
    tmp317 = tl.sum(tmp316, 1)[:, None].to(tl.float32)
    tmp318 = tl.broadcast_to(tmp142, [XBLOCK, R0_BLOCK])
    tmp320 = tl.where(xmask, tmp318, 0)
    tmp321 = tl.sum(tmp320, 1)[:, None].to(tl.float32)
    tmp322 = tl.broadcast_to(tmp145, [XBLOCK, R0_BLOCK])
    tmp324 = tl.where(xmask, tmp322, 0)
    tmp325 = tl.sum(tmp324, 1)[:, None].to(tl.float32)
    tmp326 = tl.broadcast_to(tmp148, [XBLOCK, R0_BLOCK])
    tmp328 = tl.where(xmask, tmp326, 0)
    tmp329 = tl.sum(tmp328, 1)[:, None].to(tl.float32)
    tmp330 = tl.broadcast_to(tmp151, [XBLOCK, R0_BLOCK])
    tmp332 = tl.where(xmask, tmp330, 0)
    tmp333 = tl.sum(tmp332, 1)[:, None].to(tl.float32)
    tmp334 = tl.broadcast_to(tmp154, [XBLOCK, R0_BLOCK])
    tmp336 = tl.where(xmask, tmp334, 0)
    tmp337 = tl.sum(tmp336, 1)[:, None].to(tl.float32)
    tmp338 = tl.broadcast_to(tmp157, [XBLOCK, R0_BLOCK])
    tmp340 = tl.where(xmask, tmp338, 0)
    tmp341 = tl.sum(tmp340, 1)[:, None].to(tl.float32)
    tmp342 = tl.broadcast_to(tmp160, [XBLOCK, R0_BLOCK])
    tmp344 = tl.where(xmask, tmp342, 0)
    tmp345 = tl.sum(tmp344, 1)[:, None].to(tl.float32)
    tmp346 = tl.broadcast_to(tmp163, [XBLOCK, R0_BLOCK])
    tmp348 = tl.where(xmask, tmp346, 0)
    tmp349 = tl.sum(tmp348, 1)[:, None].to(tl.float32)
    tmp350 = tl.broadcast_to(tmp166, [XBLOCK, R0_BLOCK])
    tmp352 = tl.where(xmask, tmp350, 0)
    tmp353 = tl.sum(tmp352, 1)[:, None].to(tl.float32)
    tmp354 = tl.broadcast_to(tmp169, [XBLOCK, R0_BLOCK])
    tmp356 = tl.where(xmask, tmp354, 0)
    tmp357 = tl.sum(tmp356, 1)[:, None].to(tl.float32)
    tmp358 = tl.broadcast_to(tmp172, [XBLOCK, R0_BLOCK])
    tmp360 = tl.where(xmask, tmp358, 0)
    tmp361 = tl.sum(tmp360, 1)[:, None].to(tl.float32)
    tmp362 = tl.broadcast_to(tmp175, [XBLOCK, R0_BLOCK])
    tmp364 = tl.where(xmask, tmp362, 0)
    tmp365 = tl.sum(tmp364, 1)[:, None].to(tl.float32)
    tmp366 = tl.broadcast_to(tmp178, [XBLOCK, R0_BLOCK])
    tmp368 = tl.where(xmask, tmp366, 0)
    tmp369 = tl.sum(tmp368, 1)[:, None].to(tl.float32)
    tmp370 = tl.broadcast_to(tmp181, [XBLOCK, R0_BLOCK])
    tmp372 = tl.where(xmask, tmp370, 0)
    tmp373 = tl.sum(tmp372, 1)[:, None].to(tl.float32)
    tmp374 = tl.broadcast_to(tmp184, [XBLOCK, R0_BLOCK])
    tmp376 = tl.where(xmask, tmp374, 0)
    tmp377 = tl.sum(tmp376, 1)[:, None].to(tl.float32)
    tl.store(out_ptr13 + (r0_1 + 64*x0), tmp187, xmask)
    tl.store(out_ptr14 + (r0_1 + 64*x0), tmp217, xmask)
    tl.store(out_ptr0 + (x0), tmp8, xmask)
    tl.store(out_ptr1 + (x0), tmp15, xmask)
    tl.store(out_ptr2 + (x0), tmp22, xmask)
    tl.store(out_ptr3 + (x0), tmp29, xmask)
    tl.store(out_ptr4 + (x0), tmp36, xmask)
    tl.store(out_ptr5 + (x0), tmp43, xmask)
    tl.store(out_ptr6 + (x0), tmp50, xmask)
    tl.store(out_ptr7 + (x0), tmp57, xmask)
    tl.store(out_ptr8 + (x0), tmp64, xmask)
    tl.store(out_ptr15 + (x0), tmp221, xmask)
    tl.store(out_ptr16 + (x0), tmp225, xmask)
    tl.store(out_ptr17 + (x0), tmp229, xmask)
    tl.store(out_ptr18 + (x0), tmp233, xmask)
    tl.store(out_ptr19 + (x0), tmp237, xmask)
    tl.store(out_ptr20 + (x0), tmp241, xmask)
    tl.store(out_ptr21 + (x0), tmp245, xmask)
    tl.store(out_ptr22 + (x0), tmp249, xmask)
    tl.store(out_ptr23 + (x0), tmp253, xmask)
    tl.store(out_ptr24 + (x0), tmp257, xmask)
    tl.store(out_ptr25 + (x0), tmp261, xmask)
    tl.store(out_ptr26 + (x0), tmp265, xmask)
    tl.store(out_ptr27 + (x0), tmp269, xmask)
    tl.store(out_ptr28 + (x0), tmp273, xmask)
    tl.store(out_ptr29 + (x0), tmp277, xmask)
    tl.store(out_ptr30 + (x0), tmp281, xmask)
    tl.store(out_ptr31 + (x0), tmp285, xmask)
    tl.store(out_ptr32 + (x0), tmp289, xmask)
    tl.store(out_ptr33 + (x0), tmp293, xmask)
    tl.store(out_ptr34 + (x0), tmp297, xmask)
    tl.store(out_ptr35 + (x0), tmp301, xmask)
    tl.store(out_ptr36 + (x0), tmp305, xmask)
    tl.store(out_ptr37 + (x0), tmp309, xmask)
    tl.store(out_ptr38 + (x0), tmp313, xmask)
    tl.store(out_ptr39 + (x0), tmp317, xmask)
    tl.store(out_ptr40 + (x0), tmp321, xmask)
    tl.store(out_ptr41 + (x0), tmp325, xmask)
    tl.store(out_ptr42 + (x0), tmp329, xmask)
    tl.store(out_ptr43 + (x0), tmp333, xmask)
    tl.store(out_ptr44 + (x0), tmp337, xmask)
    tl.store(out_ptr45 + (x0), tmp341, xmask)
    tl.store(out_ptr46 + (x0), tmp345, xmask)
    tl.store(out_ptr47 + (x0), tmp349, xmask)
    tl.store(out_ptr48 + (x0), tmp353, xmask)
    tl.store(out_ptr49 + (x0), tmp357, xmask)
    tl.store(out_ptr50 + (x0), tmp361, xmask)
    tl.store(out_ptr51 + (x0), tmp365, xmask)
    tl.store(out_ptr52 + (x0), tmp369, xmask)
    tl.store(out_ptr53 + (x0), tmp373, xmask)
    tl.store(out_ptr54 + (x0), tmp377, xmask)


# graph_0: triton_per_fused_add_mul_sum_1
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
        'autotune_hints': set(),
        'kernel_name': 'triton_per_fused_add_mul_sum_1',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': None,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 10,
        'num_reduction': 10,
        'tiling_scores': {'x': 2560, 'r0_': 8192},
    },
)
@triton.jit
def triton_per_fused_add_mul_sum_1(in_ptr0, out_ptr0, out_ptr1, out_ptr2, out_ptr3, out_ptr4, out_ptr5, out_ptr6, out_ptr7, out_ptr8, out_ptr9, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp0 = tl.load(in_ptr0 + (r0_1 + 64*x0), xmask, other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.where(xmask, tmp1, 0)
    tmp4 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tmp5 = tl.full([1, 1], 1.5, tl.float32)
    tmp6 = tmp0 * tmp5
    tmp7 = tl.full([1, 1], 50.0, tl.float32)
    tmp8 = tmp6 + tmp7
    tmp9 = tl.broadcast_to(tmp8, [XBLOCK, R0_BLOCK])
    tmp11 = tl.where(xmask, tmp9, 0)
    tmp12 = tl.sum(tmp11, 1)[:, None].to(tl.float32)
    tmp13 = tmp8 * tmp5
    tmp14 = tl.full([1, 1], 51.0, tl.float32)
    tmp15 = tmp13 + tmp14
    tmp16 = tl.broadcast_to(tmp15, [XBLOCK, R0_BLOCK])
    tmp18 = tl.where(xmask, tmp16, 0)
    tmp19 = tl.sum(tmp18, 1)[:, None].to(tl.float32)
    tmp20 = tmp15 * tmp5
    tmp21 = tl.full([1, 1], 52.0, tl.float32)
    tmp22 = tmp20 + tmp21
    tmp23 = tl.broadcast_to(tmp22, [XBLOCK, R0_BLOCK])
    tmp25 = tl.where(xmask, tmp23, 0)
    tmp26 = tl.sum(tmp25, 1)[:, None].to(tl.float32)
    tmp27 = tmp22 * tmp5
    tmp28 = tl.full([1, 1], 53.0, tl.float32)
    tmp29 = tmp27 + tmp28
    tmp30 = tl.broadcast_to(tmp29, [XBLOCK, R0_BLOCK])
    tmp32 = tl.where(xmask, tmp30, 0)
    tmp33 = tl.sum(tmp32, 1)[:, None].to(tl.float32)
    tmp34 = tmp29 * tmp5
    tmp35 = tl.full([1, 1], 54.0, tl.float32)
    tmp36 = tmp34 + tmp35
    tmp37 = tl.broadcast_to(tmp36, [XBLOCK, R0_BLOCK])
    tmp39 = tl.where(xmask, tmp37, 0)
    tmp40 = tl.sum(tmp39, 1)[:, None].to(tl.float32)
    tmp41 = tmp36 * tmp5
    tmp42 = tl.full([1, 1], 55.0, tl.float32)
    tmp43 = tmp41 + tmp42
    tmp44 = tl.broadcast_to(tmp43, [XBLOCK, R0_BLOCK])
    tmp46 = tl.where(xmask, tmp44, 0)
    tmp47 = tl.sum(tmp46, 1)[:, None].to(tl.float32)
    tmp48 = tmp43 * tmp5
    tmp49 = tl.full([1, 1], 56.0, tl.float32)
    tmp50 = tmp48 + tmp49
    tmp51 = tl.broadcast_to(tmp50, [XBLOCK, R0_BLOCK])
    tmp53 = tl.where(xmask, tmp51, 0)
    tmp54 = tl.sum(tmp53, 1)[:, None].to(tl.float32)
    tmp55 = tmp50 * tmp5
    tmp56 = tl.full([1, 1], 57.0, tl.float32)
    tmp57 = tmp55 + tmp56
    tmp58 = tl.broadcast_to(tmp57, [XBLOCK, R0_BLOCK])
    tmp60 = tl.where(xmask, tmp58, 0)
    tmp61 = tl.sum(tmp60, 1)[:, None].to(tl.float32)
    tmp62 = tmp57 * tmp5
    tmp63 = tl.full([1, 1], 58.0, tl.float32)
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


# graph_0: triton_per_fused_add_mul_sum_2
@triton_heuristics.persistent_reduction(
    size_hints={'x': 32, 'r0_': 64},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'out_ptr2': '*fp32', 'out_ptr3': '*fp32', 'out_ptr4': '*fp32', 'out_ptr5': '*fp32', 'out_ptr6': '*fp32', 'out_ptr7': '*fp32', 'out_ptr8': '*fp32', 'out_ptr9': '*fp32', 'out_ptr10': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'},
        'constants': {},
        'native_matmul': False,
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]], (10,): [['tt.divisibility', 16]], (11,): [['tt.divisibility', 16]], (12,): [['tt.divisibility', 16]], (13,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'Grid1D',
        'autotune_hints': set(),
        'kernel_name': 'triton_per_fused_add_mul_sum_2',
        'mutated_arg_names': [],
        'optimize_mem': True,
        'no_x_dim': None,
        'atomic_add_found': False,
        'num_load': 1,
        'num_store': 11,
        'num_reduction': 11,
        'tiling_scores': {'x': 2816, 'r0_': 8192},
    },
)
@triton.jit
def triton_per_fused_add_mul_sum_2(in_ptr0, out_ptr0, out_ptr1, out_ptr2, out_ptr3, out_ptr4, out_ptr5, out_ptr6, out_ptr7, out_ptr8, out_ptr9, out_ptr10, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp0 = tl.load(in_ptr0 + (r0_1 + 64*x0), xmask, other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.where(xmask, tmp1, 0)
    tmp4 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tmp5 = tl.full([1, 1], 1.5, tl.float32)
    tmp6 = tmp0 * tmp5
    tmp7 = tl.full([1, 1], 60.0, tl.float32)
    tmp8 = tmp6 + tmp7
    tmp9 = tl.broadcast_to(tmp8, [XBLOCK, R0_BLOCK])
    tmp11 = tl.where(xmask, tmp9, 0)
    tmp12 = tl.sum(tmp11, 1)[:, None].to(tl.float32)
    tmp13 = tmp8 * tmp5
    tmp14 = tl.full([1, 1], 61.0, tl.float32)
    tmp15 = tmp13 + tmp14
    tmp16 = tl.broadcast_to(tmp15, [XBLOCK, R0_BLOCK])
    tmp18 = tl.where(xmask, tmp16, 0)
    tmp19 = tl.sum(tmp18, 1)[:, None].to(tl.float32)
    tmp20 = tmp15 * tmp5
    tmp21 = tl.full([1, 1], 62.0, tl.float32)
    tmp22 = tmp20 + tmp21
    tmp23 = tl.broadcast_to(tmp22, [XBLOCK, R0_BLOCK])
    tmp25 = tl.where(xmask, tmp23, 0)
    tmp26 = tl.sum(tmp25, 1)[:, None].to(tl.float32)
    tmp27 = tmp22 * tmp5
    tmp28 = tl.full([1, 1], 63.0, tl.float32)
    tmp29 = tmp27 + tmp28
    tmp30 = tl.broadcast_to(tmp29, [XBLOCK, R0_BLOCK])
    tmp32 = tl.where(xmask, tmp30, 0)
    tmp33 = tl.sum(tmp32, 1)[:, None].to(tl.float32)
    tmp34 = tmp29 * tmp5
    tmp35 = tl.full([1, 1], 64.0, tl.float32)
    tmp36 = tmp34 + tmp35
    tmp37 = tl.broadcast_to(tmp36, [XBLOCK, R0_BLOCK])
    tmp39 = tl.where(xmask, tmp37, 0)
    tmp40 = tl.sum(tmp39, 1)[:, None].to(tl.float32)
    tmp41 = tmp36 * tmp5
    tmp42 = tl.full([1, 1], 65.0, tl.float32)
    tmp43 = tmp41 + tmp42
    tmp44 = tl.broadcast_to(tmp43, [XBLOCK, R0_BLOCK])
    tmp46 = tl.where(xmask, tmp44, 0)
    tmp47 = tl.sum(tmp46, 1)[:, None].to(tl.float32)
    tmp48 = tmp43 * tmp5
    tmp49 = tl.full([1, 1], 66.0, tl.float32)
    tmp50 = tmp48 + tmp49
    tmp51 = tl.broadcast_to(tmp50, [XBLOCK, R0_BLOCK])
    tmp53 = tl.where(xmask, tmp51, 0)
    tmp54 = tl.sum(tmp53, 1)[:, None].to(tl.float32)
    tmp55 = tmp50 * tmp5
    tmp56 = tl.full([1, 1], 67.0, tl.float32)
    tmp57 = tmp55 + tmp56
    tmp58 = tl.broadcast_to(tmp57, [XBLOCK, R0_BLOCK])
    tmp60 = tl.where(xmask, tmp58, 0)
    tmp61 = tl.sum(tmp60, 1)[:, None].to(tl.float32)
    tmp62 = tmp57 * tmp5
    tmp63 = tl.full([1, 1], 68.0, tl.float32)
    tmp64 = tmp62 + tmp63
    tmp65 = tl.broadcast_to(tmp64, [XBLOCK, R0_BLOCK])
    tmp67 = tl.where(xmask, tmp65, 0)
    tmp68 = tl.sum(tmp67, 1)[:, None].to(tl.float32)
    tmp69 = tmp64 * tmp5
    tmp70 = tl.full([1, 1], 69.0, tl.float32)
    tmp71 = tmp69 + tmp70
    tmp72 = tl.broadcast_to(tmp71, [XBLOCK, R0_BLOCK])
    tmp74 = tl.where(xmask, tmp72, 0)
    tmp75 = tl.sum(tmp74, 1)[:, None].to(tl.float32)
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
    tl.store(out_ptr10 + (x0), tmp75, xmask)
