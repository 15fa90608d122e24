# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64, 64]):
    # f: side.wait_stream(torch.cuda.current_stream())
    wait_stream = streams.wait_stream.default(1, 0)
    # f: torch.cuda.current_stream().wait_stream(side)
    wait_stream_1 = streams.wait_stream.default(0, 1)
    # f: a = (x * 2).sin() @ x  # one input: torch 2.13 keeps what a wait hands on in a set, in any order
    mul: f32[64, 64] = aten.mul.Tensor(arg0_1, 2)
    sin: f32[64, 64] = aten.sin.default(mul)
    mm: f32[64, 64] = aten.mm.default(sin, arg0_1)
    # f: b = (x + 1).cos()
    add: f32[64, 64] = aten.add.Tensor(arg0_1, 1)
    cos: f32[64, 64] = aten.cos.default(add)
    # f: return a + b
    add_1: f32[64, 64] = aten.add.Tensor(mm, cos)
    return (add_1,)
