# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(l_flag_: b8[()], l_x_: f32[64]):
    # f: return torch.cond(flag, lambda x: x.sin(), lambda x: x.cos() + 1, (x,))
    cond_true_0 = self.cond_true_0
    cond_false_0 = self.cond_false_0
    cond = higher_order.cond(l_flag_, cond_true_0, cond_false_0, (l_x_,))
    getitem: f32[64] = cond[0]
    return (getitem,)


def graph_0__cond_true_0(l_x__1: f32[64]):
    # <lambda>: return torch.cond(flag, lambda x: x.sin(), lambda x: x.cos() + 1, (x,))
    sin: f32[64] = l_x__1.sin()
    return (sin,)


def graph_0__cond_false_0(l_x__1: f32[64]):
    # <lambda>: return torch.cond(flag, lambda x: x.sin(), lambda x: x.cos() + 1, (x,))
    cos: f32[64] = l_x__1.cos()
    add: f32[64] = operator.add(cos, 1)
    return (add,)
