# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: template_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

# graph_0: triton_unk_fused_sin_1
@triton.jit
def _triton_unk_fused_sin_1(x, out, count, BLOCK: tl.constexpr):
    x_epilogue0_0 = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    _tile_mask_0 = x_epilogue0_0 < count
    _kernel_val_0 = tl.load(x + x_epilogue0_0, _tile_mask_0) * 3.0
    tl.store(out + x_epilogue0_0, _kernel_val_0, _tile_mask_0)

def triton_unk_fused_sin_1(x, out):
    _triton_unk_fused_sin_1[triton.cdiv(x.numel(), 1024),](x, out, x.numel(), BLOCK=1024)
    return out
