# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[8]):
    # numpy_array: return x + torch.from_numpy(np.sin(x.numpy()) * 2)
    view_as: f32[8] = l_x_.view_as(l_x_)
    wrapped_sin: f32[8] = torch._dynamo.utils.wrapped_sin(view_as)
    wrapped_mul: f32[8] = torch._dynamo.utils.wrapped_mul(wrapped_sin, 2)
    as_tensor: f32[8] = torch._VariableFunctionsClass.as_tensor(wrapped_mul)
    add: f32[8] = operator.add(l_x_, as_tensor)
    return (add,)
