# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg5_1: f32[2, 4, 8, 8]):
    add_tensor: f32[8] = self._frozen_param15
    _reorder_convolution_weight: f32[8, 4, 3, 3][1, 0, 0, 0] = self._frozen_param16
    fn: f32[2, 8, 6, 6][288, 1, 48, 8] = torch._inductor.fx_passes.mkldnn_fusion._register_unary_fusion_lowering.locals.fn(arg5_1, _reorder_convolution_weight, add_tensor, [0, 0], [1, 1], [1, 1], 1, 'none', [], '')
    inductor_force_stride_order_default: f32[2, 8, 6, 6] = prims.inductor_force_stride_order.default(fn, (288, 36, 6, 1))
    return (inductor_force_stride_order_default,)
