# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 128], arg1_1: f32[128, 128]):
    # f: x = layer(x, w)
    repeated_subgraph0 = self.repeated_subgraph0
    invoke_subgraph = higher_order.invoke_subgraph(repeated_subgraph0, 'subgraph_0', arg0_1, arg1_1)
    getitem: f32[64, 128] = invoke_subgraph[0]
    repeated_subgraph0_1 = self.repeated_subgraph0
    invoke_subgraph_1 = higher_order.invoke_subgraph(repeated_subgraph0_1, 'subgraph_0', getitem, arg1_1)
    getitem_1: f32[64, 128] = invoke_subgraph_1[0]
    repeated_subgraph0_2 = self.repeated_subgraph0
    invoke_subgraph_2 = higher_order.invoke_subgraph(repeated_subgraph0_2, 'subgraph_0', getitem_1, arg1_1)
    getitem_2: f32[64, 128] = invoke_subgraph_2[0]
    return (getitem_2,)


def graph_0__repeated_subgraph0(arg0_1: f32[64, 128], arg1_1: f32[128, 128]):
    # layer: return torch.nn.functional.gelu(x @ w)
    mm: f32[64, 128] = aten.mm.default(arg0_1, arg1_1)
    mul: f32[64, 128] = aten.mul.Tensor(mm, 0.5)
    mul_1: f32[64, 128] = aten.mul.Tensor(mm, 0.7071067811865476)
    erf: f32[64, 128] = aten.erf.default(mul_1)
    add: f32[64, 128] = aten.add.Tensor(erf, 1)
    mul_2: f32[64, 128] = aten.mul.Tensor(mul, add)
    return (mul_2,)
