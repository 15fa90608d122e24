# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(l_tensors_0_: f32[64], l_tensors_1_: f32[64], l_options_scale_: f32[64]):
    # f: total = sum(tensors[:2])
    value: f32[64] = operator.add(0, l_tensors_0_)
    value_1: f32[64] = operator.add(value, l_tensors_1_)
    # f: return {"total": total * options["scale"], "first": tensors[0].sin()}
    mul: f32[64] = operator.mul(value_1, l_options_scale_)
    sin: f32[64] = l_tensors_0_.sin()
    return (mul, sin)
