# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: pre_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(
    l_model_modules_0_parameters_weight_: f32[256, 128],
    l_model_modules_0_parameters_bias_: f32[256],
    l_x_: f32[64, 128],
    l_model_modules_1_parameters_weight_: f32[256],
    l_model_modules_1_parameters_bias_: f32[256],
):
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)
    # f: return model(x)
    input_1: bf16[64, 256] = torch._C._nn.linear(l_x_, l_model_modules_0_parameters_weight_, l_model_modules_0_parameters_bias_)
    input_2: bf16[64, 256] = torch.nn.functional.layer_norm(input_1, (256,), l_model_modules_1_parameters_weight_, l_model_modules_1_parameters_bias_, 1e-05)
    _exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast)
    return (input_2,)
