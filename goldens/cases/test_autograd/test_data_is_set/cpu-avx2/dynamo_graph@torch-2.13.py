# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(l_y_: f32[8], l_x_: f32[8]):
    # f: x.data = y.sin()
    sin: f32[8] = l_y_.sin()
    set_: f32[8] = TensorBase.set_(l_x_, sin)
    _lower_version_count_by_1 = torch._dynamo.variables.builtin.SetAttrBuiltinVariable._call_setattr.locals._lower_version_count_by_1(set_)
    # f: return x + 1
    add: f32[8] = operator.add(l_x_, 1)
    return (add,)
