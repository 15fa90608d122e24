# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.13.0, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: i64[512], arg1_1: i32[512]):
    # <lambda>: lambda x, y: ((x // 3) % 7 + (x << 1)).to(torch.int32) * y, torch.arange(512), torch.ones(512).int()
    div: i64[512] = aten.div.Tensor_mode(arg0_1, 3, rounding_mode='floor')
    remainder: i64[512] = aten.remainder.Scalar(div, 7)
    lshift: i64[512] = aten.__lshift__.Scalar(arg0_1, 1)
    add: i64[512] = aten.add.Tensor(remainder, lshift)
    convert_element_type: i32[512] = prims.convert_element_type.default(add, torch.int32)
    mul: i32[512] = aten.mul.Tensor(convert_element_type, arg1_1)
    return (mul,)
