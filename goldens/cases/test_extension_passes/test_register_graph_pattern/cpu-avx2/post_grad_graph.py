# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[8]):
    sin_default: f32[8] = aten.sin.default(arg0_1)
    # <lambda>: lambda x: x.sin().relu() * 2, torch.randn(8), config={"post_grad_custom_post_pass": apply(matcher)}
    clamp_min_default: f32[8] = aten.clamp_min.default(sin_default, 0.25)
    mul: f32[8] = aten.mul.Tensor(clamp_min_default, 2)
    return (mul,)
