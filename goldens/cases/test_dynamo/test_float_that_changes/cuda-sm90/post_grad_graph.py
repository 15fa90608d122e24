# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64]):
    # <lambda>: captured = compile_stages(lambda x, scale: x * scale + 1, calls=[(torch.randn(64), 2.5), (torch.randn(64), 3.5)])
    mul: f32[64] = aten.mul.Tensor(arg0_1, 2.5)
    add: f32[64] = aten.add.Tensor(mul, 1)
    return (add,)


def graph_1(arg0_1: f32[64], arg1_1: f64[()] @ cpu):
    convert_element_type_default_1: f32[()] @ cpu = prims.convert_element_type.default(arg1_1, torch.float32)
    mul_tensor: f32[64] = aten.mul.Tensor(arg0_1, convert_element_type_default_1)
    # <lambda>: captured = compile_stages(lambda x, scale: x * scale + 1, calls=[(torch.randn(64), 2.5), (torch.randn(64), 3.5)])
    add: f32[64] = aten.add.Tensor(mul_tensor, 1)
    return (add,)
