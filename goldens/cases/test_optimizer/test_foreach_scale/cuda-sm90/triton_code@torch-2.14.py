# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: triton_code, torch: 2.14.1, triton: 3.8.0, normaliser: 1

# graph_0: triton_for_fused_0
@triton_heuristics.foreach(
    filename=__file__,
    triton_meta={
        'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'out_ptr2': '*fp32', 'out_ptr3': '*fp32'},
        'constants': {},
        'enable_fp_fusion': True,
        'launch_pdl': False,
        'disable_ftz': False,
        'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]]}],
    },
    inductor_meta={
        'grid_type': 'SequentialComboKernelGrid',
        'combo_grid_meta': {'num_kernels': 4, 'min_blocks': 0, 'autotune_grouping': True, 'block_arg_names': ('XBLOCK',), 'default_config': {'XBLOCK': 1024}, 'no_x_dim_0': False, 'xnumel_0': 128, 'no_x_dim_1': False, 'xnumel_1': 128, 'no_x_dim_2': False, 'xnumel_2': 128, 'no_x_dim_3': False, 'xnumel_3': 128},
        'kernel_name': 'triton_for_fused_0',
        'mutated_arg_names': [],
        'optimize_mem': True,
    },
)
@triton.jit
def triton_for_fused_0(in_ptr0, in_ptr1, in_ptr2, in_ptr3, out_ptr0, out_ptr1, out_ptr2, out_ptr3):
    pid = tl.program_id(0)
    XBLOCK: tl.constexpr = 1024
    num_xblocks_0 = tl.cdiv(128, XBLOCK)
    num_xblocks_1 = num_xblocks_0 + tl.cdiv(128, XBLOCK)
    num_xblocks_2 = num_xblocks_1 + tl.cdiv(128, XBLOCK)
    num_xblocks_3 = num_xblocks_2 + tl.cdiv(128, XBLOCK)
    if pid < num_xblocks_0:
        pid_offset = pid
        xnumel = 128
        r0_numel = 1
        foreach_arg0 = in_ptr0
        foreach_arg1 = out_ptr0
    elif pid < num_xblocks_1:
        pid_offset = pid - num_xblocks_0
        xnumel = 128
        r0_numel = 1
        foreach_arg0 = in_ptr1
        foreach_arg1 = out_ptr1
    elif pid < num_xblocks_2:
        pid_offset = pid - num_xblocks_1
        xnumel = 128
        r0_numel = 1
        foreach_arg0 = in_ptr2
        foreach_arg1 = out_ptr2
    elif pid < num_xblocks_3:
        pid_offset = pid - num_xblocks_2
        xnumel = 128
        r0_numel = 1
        foreach_arg0 = in_ptr3
        foreach_arg1 = out_ptr3
    else:
        pid_offset = 0
        xnumel = 0
        r0_numel = 0
        foreach_arg0 = in_ptr0
        foreach_arg1 = out_ptr0
    xoffset = pid_offset * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(foreach_arg0 + (x0), xmask)
    tmp1 = tl.full([1], 1.0, tl.float32)
    tmp2 = tmp0 + tmp1
    tmp3 = tl.full([1], 2.0, tl.float32)
    tmp4 = tmp2 * tmp3
    tl.store(foreach_arg1 + (x0), tmp4, xmask)
