# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: b8[()], arg1_1: f32[8], arg2_1: f32[8]):
    # f: return torch.cond(flag, lambda x: x + y, lambda x: x * y, (x,))
    true_graph_0 = self.true_graph_0
    false_graph_0 = self.false_graph_0
    cond = higher_order.cond(arg0_1, true_graph_0, false_graph_0, (arg1_1, arg2_1))
    getitem: f32[8] = cond[0]
    return (getitem,)


def graph_0__true_graph_0(arg0_1: f32[8], arg1_1: f32[8]):
    # <lambda>: return torch.cond(flag, lambda x: x + y, lambda x: x * y, (x,))
    add: f32[8] = aten.add.Tensor(arg0_1, arg1_1)
    return (add,)


def graph_0__false_graph_0(arg0_1: f32[8], arg1_1: f32[8]):
    # <lambda>: return torch.cond(flag, lambda x: x + y, lambda x: x * y, (x,))
    mul: f32[8] = aten.mul.Tensor(arg0_1, arg1_1)
    return (mul,)
