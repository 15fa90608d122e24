# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg2_1: f32[8, 32]):
    arg1_1: f32[64] = self._frozen_param1
    permute_default: f32[64, 32] = self._frozen_param3
    _mkl_reorder_linear_weight: f32[packed] = self._frozen_param4
    _mkl_linear: f32[8, 64] = mkl._mkl_linear(arg2_1, _mkl_reorder_linear_weight, permute_default, arg1_1, 8)
    relu: f32[8, 64] = aten.relu.default(_mkl_linear)
    return (relu,)
