# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: i64[()], arg1_1: f32[8]):
    # f: return while_loop(lambda i, x: i > 0, lambda i, x: (i - 1, x.sin()), (count, x))
    while_loop_cond_graph_0 = self.while_loop_cond_graph_0
    while_loop_body_graph_0 = self.while_loop_body_graph_0
    while_loop = higher_order.while_loop(while_loop_cond_graph_0, while_loop_body_graph_0, (arg0_1, arg1_1), ())
    getitem: i64[()] = while_loop[0]
    getitem_1: f32[8] = while_loop[1]
    return (getitem, getitem_1)


def graph_0__while_loop_cond_graph_0(arg0_1: i64[()], arg1_1: f32[8]):
    # <lambda>: return while_loop(lambda i, x: i > 0, lambda i, x: (i - 1, x.sin()), (count, x))
    gt: b8[()] = aten.gt.Scalar(arg0_1, 0)
    return gt


def graph_0__while_loop_body_graph_0(arg0_1: i64[()], arg1_1: f32[8]):
    # <lambda>: return while_loop(lambda i, x: i > 0, lambda i, x: (i - 1, x.sin()), (count, x))
    sub: i64[()] = aten.sub.Tensor(arg0_1, 1)
    sin: f32[8] = aten.sin.default(arg1_1)
    return (sub, sin)
