# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_fn_parameters_weight_: f32[16], l_fn_parameters_bias_: f32[16], l_args_0_: f32[8, 16]):
    layer_norm: f32[8, 16] = torch.nn.functional.layer_norm(l_args_0_, (16,), l_fn_parameters_weight_, l_fn_parameters_bias_, 1e-05)
    return (layer_norm,)
