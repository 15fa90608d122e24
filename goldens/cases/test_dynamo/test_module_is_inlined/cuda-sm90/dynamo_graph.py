# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(
    l_fn_modules_0_parameters_weight_: f32[64, 32],
    l_fn_modules_0_parameters_bias_: f32[64],
    l_args_0_: f32[8, 32],
):
    input_1: f32[8, 64] = torch._C._nn.linear(l_args_0_, l_fn_modules_0_parameters_weight_, l_fn_modules_0_parameters_bias_)
    input_2: f32[8, 64] = torch.nn.functional.relu(input_1, inplace=False)
    return (input_2,)
