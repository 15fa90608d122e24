# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: backward_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0_backward(primals_1: b8[()], primals_2: f32[8], tangents_1: f32[8]):
    # f: return torch.cond(flag, torch.sin, torch.cos, (x,))
    true_graph_1 = self.true_graph_1
    false_graph_1 = self.false_graph_1
    cond_1 = higher_order.cond(primals_1, true_graph_1, false_graph_1, (primals_2, tangents_1))
    getitem_1: f32[8] = cond_1[0]
    return (None, getitem_1)


def graph_0_backward__true_graph_1(arg0_1: f32[8], arg1_1: f32[8]):
    # f: return torch.cond(flag, torch.sin, torch.cos, (x,))
    cos: f32[8] = aten.cos.default(arg0_1)
    mul: f32[8] = aten.mul.Tensor(arg1_1, cos)
    return [mul]


def graph_0_backward__false_graph_1(arg0_1: f32[8], arg1_1: f32[8]):
    # f: return torch.cond(flag, torch.sin, torch.cos, (x,))
    sin: f32[8] = aten.sin.default(arg0_1)
    neg: f32[8] = aten.neg.default(sin)
    mul: f32[8] = aten.mul.Tensor(arg1_1, neg)
    return [mul]
