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
    aot4_primals_1: f32[64] = call_aot_bwd_prologue[0]
    aot4_tangents_1: f32[()] = call_aot_bwd_prologue[1]
    # squares: return (x.sin() ** 2).sum()
    aot4_expand: f32[64][0] = aten.expand.default(aot4_tangents_1, [64])
    aot4_sin: f32[64] = aten.sin.default(aot4_primals_1)
    aot4_pow_2: f32[64] = aten.pow.Tensor_Scalar(aot4_sin, 1.0)
    aot4_mul: f32[64] = aten.mul.Scalar(aot4_pow_2, 2.0)
    aot4_mul_1: f32[64] = aten.mul.Tensor(aot4_expand, aot4_mul)
    aot4_cos: f32[64] = aten.cos.default(aot4_primals_1)
    aot4_mul_2: f32[64] = aten.mul.Tensor(aot4_mul_1, aot4_cos)
    accumulate_grad = torch._dynamo.compiled_autograd.ops.AccumulateGrad([aot4_mul_2], getitem_1, None, False)
    getitem_5: f32[64] = accumulate_grad[0]
    return (getitem_5,)
