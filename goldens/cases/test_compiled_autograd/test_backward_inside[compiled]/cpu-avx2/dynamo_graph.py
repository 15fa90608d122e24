# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[64]):
    # squares: return (x.sin() ** 2).sum()
    sin: f32[64] = l_x_.sin()
    pow_1: f32[64] = operator.pow(sin, 2)
    sum_1: f32[()] = pow_1.sum()
    return (sum_1,)


def graph_1(l_inputs_):
    getitem: f32[()] = l_inputs_[0]
    getitem_1: f32[64] = l_inputs_[1]
    validate_outputs = torch._dynamo.compiled_autograd.ops.validate_outputs([getitem], [((None, None, device('cpu'), 6, 0, None), [], False, 6)])
    getitem_2: f32[()] = validate_outputs[0]
    call_aot_bwd_prologue = torch._dynamo.compiled_autograd.AutogradCompilerInstance.proxy_call_aot_backward.locals.call_aot_bwd_prologue((getitem_1,), [], [], getitem_2)
    aot0_primals_1: f32[64] = call_aot_bwd_prologue[0]
    aot0_tangents_1: f32[()] = call_aot_bwd_prologue[1]
    # squares: return (x.sin() ** 2).sum()
    aot0_expand: f32[64][0] = aten.expand.default(aot0_tangents_1, [64])
    aot0_sin: f32[64] = aten.sin.default(aot0_primals_1)
    aot0_pow_2: f32[64] = aten.pow.Tensor_Scalar(aot0_sin, 1.0)
    aot0_mul: f32[64] = aten.mul.Scalar(aot0_pow_2, 2.0)
    aot0_mul_1: f32[64] = aten.mul.Tensor(aot0_expand, aot0_mul)
    aot0_cos: f32[64] = aten.cos.default(aot0_primals_1)
    aot0_mul_2: f32[64] = aten.mul.Tensor(aot0_mul_1, aot0_cos)
    accumulate_grad = torch._dynamo.compiled_autograd.ops.AccumulateGrad([aot0_mul_2], getitem_1, None, False)
    getitem_5: f32[64] = accumulate_grad[0]
    return (getitem_5,)
