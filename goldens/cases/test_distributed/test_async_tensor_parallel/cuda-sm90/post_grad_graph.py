# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: bf16[128, 256], arg1_1, arg2_1: bf16[128, 256], arg3_1, arg4_1: bf16[256, 128], arg5_1):
    inductor_force_stride_order_default: bf16[128, 256] = prims.inductor_force_stride_order.default(arg0_1, (256, 1))
    # forward: return self.down(F.relu(self.up(x)))
    permute: bf16[256, 128][1, 256] = aten.permute.default(arg2_1, [1, 0])
    fused_all_gather_matmul_default = symm_mem.fused_all_gather_matmul.default(inductor_force_stride_order_default, [permute], 0, '0-3', return_A=False)
    getitem_1 = fused_all_gather_matmul_default[1]
    getitem_2: bf16[512, 128] = getitem_1[0]
    relu: bf16[512, 128] = aten.relu.default(getitem_2)
    permute_1: bf16[128, 256][1, 128] = aten.permute.default(arg4_1, [1, 0])
    inductor_force_stride_order_default_1: bf16[512, 128] = prims.inductor_force_stride_order.default(relu, (128, 1))
    fused_matmul_reduce_scatter_default: bf16[128, 256] = symm_mem.fused_matmul_reduce_scatter.default(inductor_force_stride_order_default_1, permute_1, 'sum', 0, '0-3')
    return (fused_matmul_reduce_scatter_default,)
