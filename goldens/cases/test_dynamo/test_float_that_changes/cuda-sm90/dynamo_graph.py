# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[64]):
    # <lambda>: captured = compile_stages(lambda x, scale: x * scale + 1, calls=[(torch.randn(64), 2.5), (torch.randn(64), 3.5)])
    mul: f32[64] = operator.mul(l_x_, 2.5)
    add: f32[64] = operator.add(mul, 1)
    return (add,)


def graph_1(l_x_: f32[64], l_scale_: f64[()] @ cpu):
    # <lambda>: captured = compile_stages(lambda x, scale: x * scale + 1, calls=[(torch.randn(64), 2.5), (torch.randn(64), 3.5)])
    item: Sym(zf69) = l_scale_.item()
    mul: f32[64] = operator.mul(l_x_, item)
    add: f32[64] = operator.add(mul, 1)
    return (add,)
