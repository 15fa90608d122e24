# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[512, 1024], arg1_1: f32[512, 1024]):
    # f: return (x * y + 1).relu().sigmoid() - y
    mul: f32[512, 1024] = aten.mul.Tensor(arg0_1, arg1_1)
    add: f32[512, 1024] = aten.add.Tensor(mul, 1)
    relu: f32[512, 1024] = aten.relu.default(add)
    sigmoid: f32[512, 1024] = aten.sigmoid.default(relu)
    sub: f32[512, 1024] = aten.sub.Tensor(sigmoid, arg1_1)
    return (sub,)
