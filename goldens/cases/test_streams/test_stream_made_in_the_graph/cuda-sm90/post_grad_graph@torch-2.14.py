# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1
# changes: arguments-changed

def graph_0(arg0_1: f32[64, 64]):
    subgraph_wait_stream = self.subgraph_wait_stream
    control_deps = higher_order.control_deps((arg0_1,), subgraph_wait_stream, arg0_1)
    getitem: f32[64, 64] = control_deps[1]
    subgraph_wait_stream_1 = self.subgraph_wait_stream_1
    # f: a = (x * 2).sin() @ x  # one input: torch 2.13 keeps what a wait hands on in a set, in any order
    mul: f32[64, 64] = aten.mul.Tensor(getitem, 2)
    sin: f32[64, 64] = aten.sin.default(mul)
    mm: f32[64, 64] = aten.mm.default(sin, getitem)
    # f: b = (x + 1).cos()
    add: f32[64, 64] = aten.add.Tensor(getitem, 1)
    cos: f32[64, 64] = aten.cos.default(add)
    control_deps_1 = higher_order.control_deps((mul, sin, mm, add, cos, control_deps, getitem), subgraph_wait_stream_1, mm, cos)
    getitem_2: f32[64, 64] = control_deps_1[2]
    # f: a = (x * 2).sin() @ x  # one input: torch 2.13 keeps what a wait hands on in a set, in any order
    getitem_1: f32[64, 64] = control_deps_1[1]
    # f: return a + b
    add_1: f32[64, 64] = aten.add.Tensor(getitem_1, getitem_2)
    return (add_1,)


def graph_0__subgraph_wait_stream(dep_0: f32[64, 64]):
    # f: side.wait_stream(torch.cuda.current_stream())
    wait_stream_default = streams.wait_stream.default(1, 0)
    return (wait_stream_default, dep_0)


def graph_0__subgraph_wait_stream_1(dep_0: f32[64, 64], dep_1: f32[64, 64]):
    # f: torch.cuda.current_stream().wait_stream(side)
    wait_stream_default = streams.wait_stream.default(0, 1)
    return (wait_stream_default, dep_0, dep_1)
