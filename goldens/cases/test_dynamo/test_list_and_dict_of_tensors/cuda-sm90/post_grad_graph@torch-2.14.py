# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1

def graph_0(arg0_1: f32[64], arg1_1: f32[64], arg2_1: f32[64]):
    # f: total = sum(tensors[:2])
    add_1: f32[64] = aten.add.Tensor(arg0_1, arg1_1)
    # f: return {"total": total * options["scale"], "first": tensors[0].sin()}
    mul: f32[64] = aten.mul.Tensor(add_1, arg2_1)
    sin: f32[64] = aten.sin.default(arg0_1)
    return (mul, sin)
