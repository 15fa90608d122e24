# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 64]):
    subgraph_record_event = self.subgraph_record_event
    # f: a = x.sin()
    sin: f32[64, 64] = aten.sin.default(arg0_1)
    control_deps = higher_order.control_deps((sin,), subgraph_record_event, sin)
    getitem: f32[64, 64] = control_deps[1]
    subgraph_wait_event = self.subgraph_wait_event
    # f: b = x.cos()
    cos: f32[64, 64] = aten.cos.default(arg0_1)
    control_deps_1 = higher_order.control_deps((control_deps, cos), subgraph_wait_event, cos)
    getitem_1: f32[64, 64] = control_deps_1[1]
    # f: return a + b
    add: f32[64, 64] = aten.add.Tensor(getitem, getitem_1)
    return (add,)


def graph_0__subgraph_record_event(dep_0: f32[64, 64]):
    # f: done.record()
    record_event_default = streams.record_event.default(1, 2)
    return (record_event_default, dep_0)


def graph_0__subgraph_wait_event(dep_0: f32[64, 64]):
    # f: done.wait()
    wait_event_default = streams.wait_event.default(1, 0)
    return (wait_event_default, dep_0)
