# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(
    l_self_param_groups_0_params_0_grad: f32[64, 64],
    l_self_param_groups_0_params_1_grad: f32[64, 64],
    l_self_param_groups_0_params_2_grad: f32[64, 64],
):
    p: f32[64, 64] = self.self___param_groups_0__params___0
    p_1: f32[64, 64] = self.self___param_groups_0__params___1
    p_2: f32[64, 64] = self.self___param_groups_0__params___2
    detach: f32[64, 64] = l_self_param_groups_0_params_0_grad.detach()
    buf: f32[64, 64] = detach.clone()
    detach_1: f32[64, 64] = l_self_param_groups_0_params_1_grad.detach()
    buf_1: f32[64, 64] = detach_1.clone()
    detach_2: f32[64, 64] = l_self_param_groups_0_params_2_grad.detach()
    buf_2: f32[64, 64] = detach_2.clone()
    _foreach_add_ = torch._VariableFunctionsClass._foreach_add_([p, p_1, p_2], [buf, buf_1, buf_2], alpha=-0.1)
    return (buf_1, buf, buf_2)
