# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

# graph_0: triton_for_fused_0
@triton_heuristics.foreach(
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'out_ptr2': '*fp32'},
        'constants': {},
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'SequentialComboKernelGrid',
        'combo_grid_meta': {'num_kernels': 3, 'min_blocks': 0, 'autotune_grouping': True, 'default_config': {'XBLOCK': 1024}, 'no_x_dim_0': False, 'xnumel_0': 1, 'no_x_dim_1': False, 'xnumel_1': 1, 'no_x_dim_2': False, 'xnumel_2': 1},
        'kernel_name': 'triton_for_fused_0',
        'mutated_arg_names': ['in_ptr0', 'in_ptr1', 'in_ptr2', 'out_ptr0', 'out_ptr1', 'out_ptr2'],
        'optimize_mem': True,
    },
)
@triton.jit
def triton_for_fused_0(in_ptr0, in_ptr1, in_ptr2, out_ptr0, out_ptr1, out_ptr2):
    pid = tl.program_id(0)
    XBLOCK: tl.constexpr = 1024
    num_xblocks_0 = tl.cdiv(1, XBLOCK)
    num_xblocks_1 = num_xblocks_0 + tl.cdiv(1, XBLOCK)
    num_xblocks_2 = num_xblocks_1 + tl.cdiv(1, XBLOCK)
    if pid < num_xblocks_0:
        pid_offset = pid
        xnumel = 1
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = xindex < xnumel
        tmp0 = tl.load(in_ptr0 + (0))
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK])
        tmp2 = tl.where(xmask, tmp1, 0.0)
        tmp3 = tl.full([1], 1.0, tl.float32)
        tmp4 = tmp2 + tmp3
        tl.store(out_ptr0 + (tl.full([XBLOCK], 0, tl.int32).broadcast_to([XBLOCK])), tmp4, xmask)
    elif pid < num_xblocks_1:
        pid_offset = pid - num_xblocks_0
        xnumel = 1
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = xindex < xnumel
        tmp5 = tl.load(in_ptr1 + (0))
        tmp6 = tl.broadcast_to(tmp5, [XBLOCK])
        tmp7 = tl.where(xmask, tmp6, 0.0)
        tmp8 = tl.full([1], 1.0, tl.float32)
        tmp9 = tmp7 + tmp8
        tl.store(out_ptr1 + (tl.full([XBLOCK], 0, tl.int32).broadcast_to([XBLOCK])), tmp9, xmask)
    elif pid < num_xblocks_2:
        pid_offset = pid - num_xblocks_1
        xnumel = 1
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = xindex < xnumel
        tmp10 = tl.load(in_ptr2 + (0))
        tmp11 = tl.broadcast_to(tmp10, [XBLOCK])
        tmp12 = tl.where(xmask, tmp11, 0.0)
        tmp13 = tl.full([1], 1.0, tl.float32)
        tmp14 = tmp12 + tmp13
        tl.store(out_ptr2 + (tl.full([XBLOCK], 0, tl.int32).broadcast_to([XBLOCK])), tmp14, xmask)
    else:
        pass


# graph_0: triton_for_fused_1
@triton_heuristics.foreach(
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'in_ptr4': '*fp32', 'in_ptr5': '*fp32', 'in_ptr6': '*fp32', 'in_ptr7': '*fp32', 'in_ptr8': '*fp32', 'in_ptr9': '*fp32', 'in_ptr10': '*fp32', 'in_ptr11': '*fp32', 'in_ptr12': '*fp32', 'in_ptr13': '*fp32', 'in_ptr14': '*fp32', 'out_ptr1': '*fp32', 'out_ptr2': '*fp32', 'out_ptr3': '*fp32', 'out_ptr5': '*fp32', 'out_ptr6': '*fp32', 'out_ptr7': '*fp32', 'out_ptr9': '*fp32', 'out_ptr10': '*fp32', 'out_ptr11': '*fp32'},
        'constants': {},
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]], (10,): [['tt.divisibility', 16]], (11,): [['tt.divisibility', 16]], (12,): [['tt.divisibility', 16]], (13,): [['tt.divisibility', 16]], (14,): [['tt.divisibility', 16]], (15,): [['tt.divisibility', 16]], (16,): [['tt.divisibility', 16]], (17,): [['tt.divisibility', 16]], (18,): [['tt.divisibility', 16]], (19,): [['tt.divisibility', 16]], (20,): [['tt.divisibility', 16]], (21,): [['tt.divisibility', 16]], (22,): [['tt.divisibility', 16]], (23,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'SequentialComboKernelGrid',
        'combo_grid_meta': {'num_kernels': 3, 'min_blocks': 0, 'autotune_grouping': True, 'default_config': {'XBLOCK': 1024}, 'no_x_dim_0': False, 'xnumel_0': 4096, 'no_x_dim_1': False, 'xnumel_1': 4096, 'no_x_dim_2': False, 'xnumel_2': 4096},
        'kernel_name': 'triton_for_fused_1',
        'mutated_arg_names': ['in_ptr0', 'in_ptr10', 'in_ptr12', 'in_ptr13', 'in_ptr2', 'in_ptr3', 'in_ptr5', 'in_ptr7', 'in_ptr8', 'out_ptr1', 'out_ptr10', 'out_ptr11', 'out_ptr2', 'out_ptr3', 'out_ptr5', 'out_ptr6', 'out_ptr7', 'out_ptr9'],
        'optimize_mem': True,
    },
)
@triton.jit
def triton_for_fused_1(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, in_ptr6, in_ptr7, in_ptr8, in_ptr9, in_ptr10, in_ptr11, in_ptr12, in_ptr13, in_ptr14, out_ptr1, out_ptr2, out_ptr3, out_ptr5, out_ptr6, out_ptr7, out_ptr9, out_ptr10, out_ptr11):
    pid = tl.program_id(0)
    XBLOCK: tl.constexpr = 1024
    num_xblocks_0 = tl.cdiv(4096, XBLOCK)
    num_xblocks_1 = num_xblocks_0 + tl.cdiv(4096, XBLOCK)
    num_xblocks_2 = num_xblocks_1 + tl.cdiv(4096, XBLOCK)
    if pid < num_xblocks_0:
        pid_offset = pid
        xnumel = 4096
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = tl.full([XBLOCK], True, tl.int1)[:]
        x0 = xindex
        tmp0 = tl.load(in_ptr0 + (x0), None)
        tmp3 = tl.load(in_ptr1 + (x0), None)
        tmp7 = tl.load(in_ptr2 + (x0), None)
        tmp11 = tl.load(in_ptr3 + (x0), None)
        tmp13 = tl.load(in_ptr4 + (0))
        tmp14 = tl.broadcast_to(tmp13, [XBLOCK])
        tmp1 = tl.full([1], 0.999, tl.float32)
        tmp2 = tmp0 * tmp1
        tmp4 = libdevice.mul_rn(tmp3, tmp3)
        tmp5 = tl.full([1], 0.0010000000000000009, tl.float32)
        tmp6 = tl.fma(tmp5, tmp4, tmp2)
        tmp8 = tmp3 - tmp7
        tmp9 = tl.full([1], 0.09999999999999998, tl.float32)
        tmp10 = tl.fma(tmp9, tmp8, tmp7)
        tmp12 = tl.sqrt_rn(tmp6)
        tmp15 = libdevice.pow(tmp1, tmp14)
        tmp16 = tl.full([1], 1.0, tl.float32)
        tmp17 = tmp15 - tmp16
        tmp18 = -tmp17
        tmp19 = tl.sqrt_rn(tmp18)
        tmp20 = (tmp12 / tmp19)
        tmp21 = tl.full([1], 1e-08, tl.float32)
        tmp22 = tmp20 + tmp21
        tmp23 = tl.full([1], 0.9, tl.float32)
        tmp24 = libdevice.pow(tmp23, tmp14)
        tmp25 = tmp24 - tmp16
        tmp26 = tl.full([1], 1000.0, tl.float32)
        tmp27 = tmp25 * tmp26
        tmp28 = (tmp16 / tmp27)
        tmp29 = (tmp22 / tmp28)
        tmp30 = triton.language.div_rn(tmp10, tmp29)
        tmp31 = tmp11 + tmp30
        tl.store(out_ptr1 + (x0), tmp10, None)
        tl.store(out_ptr2 + (x0), tmp31, None)
        tl.store(out_ptr3 + (x0), tmp6, None)
    elif pid < num_xblocks_1:
        pid_offset = pid - num_xblocks_0
        xnumel = 4096
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = tl.full([XBLOCK], True, tl.int1)[:]
        x1 = xindex
        tmp32 = tl.load(in_ptr5 + (x1), None)
        tmp35 = tl.load(in_ptr6 + (x1), None)
        tmp39 = tl.load(in_ptr7 + (x1), None)
        tmp43 = tl.load(in_ptr8 + (x1), None)
        tmp45 = tl.load(in_ptr9 + (0))
        tmp46 = tl.broadcast_to(tmp45, [XBLOCK])
        tmp33 = tl.full([1], 0.999, tl.float32)
        tmp34 = tmp32 * tmp33
        tmp36 = libdevice.mul_rn(tmp35, tmp35)
        tmp37 = tl.full([1], 0.0010000000000000009, tl.float32)
        tmp38 = tl.fma(tmp37, tmp36, tmp34)
        tmp40 = tmp35 - tmp39
        tmp41 = tl.full([1], 0.09999999999999998, tl.float32)
        tmp42 = tl.fma(tmp41, tmp40, tmp39)
        tmp44 = tl.sqrt_rn(tmp38)
        tmp47 = libdevice.pow(tmp33, tmp46)
        tmp48 = tl.full([1], 1.0, tl.float32)
        tmp49 = tmp47 - tmp48
        tmp50 = -tmp49
        tmp51 = tl.sqrt_rn(tmp50)
        tmp52 = (tmp44 / tmp51)
        tmp53 = tl.full([1], 1e-08, tl.float32)
        tmp54 = tmp52 + tmp53
        tmp55 = tl.full([1], 0.9, tl.float32)
        tmp56 = libdevice.pow(tmp55, tmp46)
        tmp57 = tmp56 - tmp48
        tmp58 = tl.full([1], 1000.0, tl.float32)
        tmp59 = tmp57 * tmp58
        tmp60 = (tmp48 / tmp59)
        tmp61 = (tmp54 / tmp60)
        tmp62 = triton.language.div_rn(tmp42, tmp61)
        tmp63 = tmp43 + tmp62
        tl.store(out_ptr5 + (x1), tmp42, None)
        tl.store(out_ptr6 + (x1), tmp63, None)
        tl.store(out_ptr7 + (x1), tmp38, None)
    elif pid < num_xblocks_2:
        pid_offset = pid - num_xblocks_1
        xnumel = 4096
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = tl.full([XBLOCK], True, tl.int1)[:]
        x2 = xindex
        tmp64 = tl.load(in_ptr10 + (x2), None)
        tmp67 = tl.load(in_ptr11 + (x2), None)
        tmp71 = tl.load(in_ptr12 + (x2), None)
        tmp75 = tl.load(in_ptr13 + (x2), None)
        tmp77 = tl.load(in_ptr14 + (0))
        tmp78 = tl.broadcast_to(tmp77, [XBLOCK])
        tmp65 = tl.full([1], 0.999, tl.float32)
        tmp66 = tmp64 * tmp65
        tmp68 = libdevice.mul_rn(tmp67, tmp67)
        tmp69 = tl.full([1], 0.0010000000000000009, tl.float32)
        tmp70 = tl.fma(tmp69, tmp68, tmp66)
        tmp72 = tmp67 - tmp71
        tmp73 = tl.full([1], 0.09999999999999998, tl.float32)
        tmp74 = tl.fma(tmp73, tmp72, tmp71)
        tmp76 = tl.sqrt_rn(tmp70)
        tmp79 = libdevice.pow(tmp65, tmp78)
        tmp80 = tl.full([1], 1.0, tl.float32)
        tmp81 = tmp79 - tmp80
        tmp82 = -tmp81
        tmp83 = tl.sqrt_rn(tmp82)
        tmp84 = (tmp76 / tmp83)
        tmp85 = tl.full([1], 1e-08, tl.float32)
        tmp86 = tmp84 + tmp85
        tmp87 = tl.full([1], 0.9, tl.float32)
        tmp88 = libdevice.pow(tmp87, tmp78)
        tmp89 = tmp88 - tmp80
        tmp90 = tl.full([1], 1000.0, tl.float32)
        tmp91 = tmp89 * tmp90
        tmp92 = (tmp80 / tmp91)
        tmp93 = (tmp86 / tmp92)
        tmp94 = triton.language.div_rn(tmp74, tmp93)
        tmp95 = tmp75 + tmp94
        tl.store(out_ptr9 + (x2), tmp74, None)
        tl.store(out_ptr10 + (x2), tmp95, None)
        tl.store(out_ptr11 + (x2), tmp70, None)
    else:
        pass
