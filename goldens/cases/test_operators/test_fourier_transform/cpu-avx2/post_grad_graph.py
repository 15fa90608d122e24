# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(arg0_1: f32[64]):
    # <lambda>: captured = compile_stages(lambda x: torch.fft.rfft(x).abs(), torch.randn(64))
    _fft_r2c: c64[33] = aten._fft_r2c.default(arg0_1, [0], 0, True)
    abs_1: f32[33] = aten.abs.default(_fft_r2c)
    return (abs_1,)
