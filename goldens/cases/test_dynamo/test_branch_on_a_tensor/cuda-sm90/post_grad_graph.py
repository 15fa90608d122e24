# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: b8[()], arg1_1: f32[64]):
    # f: return torch.cond(flag, lambda x: x.sin(), lambda x: x.cos() + 1, (x,))
    true_graph_0 = self.true_graph_0
    false_graph_0 = self.false_graph_0
    cond = higher_order.cond(arg0_1, true_graph_0, false_graph_0, (arg1_1,))
    getitem: f32[64] = cond[0]
    return (getitem,)


def graph_0__true_graph_0(arg0_1: f32[64]):
    # <lambda>: return torch.cond(flag, lambda x: x.sin(), lambda x: x.cos() + 1, (x,))
    sin: f32[64] = aten.sin.default(arg0_1)
    return (sin,)


def graph_0__false_graph_0(arg0_1: f32[64]):
    # <lambda>: return torch.cond(flag, lambda x: x.sin(), lambda x: x.cos() + 1, (x,))
    cos: f32[64] = aten.cos.default(arg0_1)
    add: f32[64] = aten.add.Tensor(cos, 1)
    return (add,)
