"""Inductor's settings for fusion, reductions, layout and memory: what each changes in one program.

Each case compiles its program with the defaults and with the setting, and says what that changes. No stage of such
programs is affected by `triton.dense_indexing`, `triton.tile_reductions`, `loop_index_inversion_in_fusion`,
`assume_32bit_indexing`, `batch_invariant`, `use_dce` (traced graphs have no dead code), `cpp.min_chunk_size`,
`cpp.enable_floating_point_contract_flag` (it changes the build, not the code) and `cpp.simdlen` (the vectors
are those of the target).
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden import Capture
from pytest_compile_golden.typing import CompileStages, Golden

HALF = torch.float16
GPU = pytest.mark.compile_golden(target="cuda-sm90")
TEMPLATES = pytest.mark.compile_golden(target="cuda-sm90", policy="triton", config={"max_autotune": True})


@pytest.fixture
def both(compile_stages: CompileStages) -> Callable[..., tuple[Capture, Capture]]:
    """Compile a program twice: with the defaults, and with settings."""

    def both(f: Callable[..., Any], *inputs: Any, config: dict[str, Any], **options: Any) -> tuple[Capture, Capture]:
        return compile_stages(f, *inputs, **options), compile_stages(f, *inputs, config=config, **options)

    return both


Both = Callable[..., tuple[Capture, Capture]]


def mlp(x: Tensor, weight: Tensor) -> Tensor:
    return torch.relu(torch.relu(x @ weight) @ weight) @ weight


@TEMPLATES
def test_epilogue_fusion(both: Both, golden: Golden) -> None:
    """When off, the activation is a separate kernel after the template."""
    inputs = torch.randn(64, 64, dtype=HALF), torch.randn(64, 64, dtype=HALF)
    on, off = both(lambda x, y: (x @ y).relu(), *inputs, config={"max_autotune": True, "epilogue_fusion": False})
    assert on["scheduler_nodes"].fused("mm", "relu")
    assert not off["scheduler_nodes"].fused("mm", "relu")
    assert off["scheduler_nodes"] == golden


@TEMPLATES
def test_epilogue_fusion_first(both: Both, golden: Golden) -> None:
    """When on, the template takes the activation as its epilogue before the reduction that reads it can."""
    inputs = torch.randn(256, 128, dtype=HALF), torch.randn(128, 512, dtype=HALF)

    def relu_and_sum(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        z = (x @ y).relu()
        return z, z.sum(-1)

    off, on = both(relu_and_sum, *inputs, config={"max_autotune": True, "epilogue_fusion_first": True})
    assert off["scheduler_nodes"].fused("relu", "sum")
    assert on["scheduler_nodes"].fused("mm", "relu")
    assert on["scheduler_nodes"] == golden


@TEMPLATES
def test_prologue_fusion(both: Both, golden: Golden) -> None:
    """When off, the cast before the template is a separate kernel."""
    inputs = torch.randn(256, 256).bfloat16(), torch.randn(256, 256, dtype=HALF)
    on, off = both(lambda x, y: x.to(HALF) @ y, *inputs, config={"max_autotune": True, "prologue_fusion": False})
    assert (on.metrics.kernels, off.metrics.kernels) == (1, 2)
    assert off["scheduler_nodes"] == golden


@GPU
def test_split_reductions(both: Both, golden: Golden) -> None:
    """When off, a sum over all elements is one kernel with one block."""
    on, off = both(torch.sum, torch.randn(1024, 1024), config={"split_reductions": False})
    assert (on.metrics.ir_nodes, off.metrics.ir_nodes) == (2, 1)
    assert off["scheduler_nodes"] == golden


@GPU
def test_cooperative_reductions(both: Both, golden: Golden) -> None:
    """When on, blocks wait for each other in one kernel; the default is two kernels."""
    off, on = both(torch.sum, torch.randn(1024, 1024), config={"triton.cooperative_reductions": True})
    assert (off.metrics.kernels, on.metrics.kernels) == (2, 1)
    assert "triton_helpers.x_grid_barrier" in on["triton_code"]
    assert on["scheduler_nodes"] == golden


@GPU
def test_persistent_reductions(both: Both, golden: Golden) -> None:
    """When off, a row that fits into a block is read in a loop."""
    inputs = (torch.randn(64, 256),)
    on, off = both(lambda x: x.softmax(-1), *inputs, config={"triton.persistent_reductions": False})
    assert "persistent_reduction(" in on["triton_code"]
    assert "persistent_reduction(" not in off["triton_code"]
    assert off["triton_code"] == golden


@GPU
def test_online_softmax(both: Both, golden: Golden) -> None:
    """When off, a long row is read once for its maximum and once for its sum."""
    on, off = both(lambda x: x.softmax(-1), torch.randn(64, 8192), config={"online_softmax": False})
    assert on["passes"].matches("prepare_softmax_pattern") == 1
    assert off["passes"].matches("prepare_softmax_pattern") == 0
    assert off["post_grad_graph"] == golden


@GPU
@pytest.mark.skipif(torch.__version__ < "2.13", reason="triton.nested_reduction was added in torch 2.13")
def test_nested_reduction(compile_stages: CompileStages, golden: Golden) -> None:
    """When on, the default since torch 2.15, a maximum over parts of a row is computed with the row's norm."""

    def f(x: Tensor) -> tuple[Tensor, ...]:
        y = x / x.norm(dim=-1, keepdim=True)
        return y, y.view(64, 8, 128).abs().amax(-1)

    off, on = (
        compile_stages(f, torch.randn(64, 1024), config={"triton.nested_reduction": each}) for each in (False, True)
    )
    assert (off.metrics.kernels, on.metrics.kernels) == (2, 1)
    assert on["scheduler_nodes"] == golden


@GPU
def test_mix_order_reduction(both: Both, golden: Golden) -> None:
    """When off, sums over rows and over columns are separate kernels."""
    on, off = both(
        lambda x: (x.sum(-1), x.sum(0)), torch.randn(32768, 768), config={"triton.mix_order_reduction": False}
    )
    assert on.metrics.bytes_accessed < off.metrics.bytes_accessed
    assert off["scheduler_nodes"] == golden


@GPU
def test_multi_kernel(both: Both, golden: Golden) -> None:
    """When on, a looped and a persistent reduction are both generated, to choose from at the first call."""
    off, on = both(lambda x: x.softmax(-1), torch.randn(64, 256), config={"triton.multi_kernel": 1})
    assert (off.metrics.kernels, on.metrics.kernels) == (1, 2)
    assert on["wrapper_code"] == golden


@GPU
def test_combo_kernels(both: Both, golden: Golden) -> None:
    """When on, independent operations are launched as one kernel."""
    inputs = torch.randn(64), torch.randn(32, 200)
    off, on = both(lambda a, b: (a.sin(), b.sum(-1)), *inputs, config={"combo_kernels": True})
    assert not off["scheduler_nodes"].fused("sin", "sum")
    assert on["scheduler_nodes"].fused("sin", "sum")
    assert on["scheduler_nodes"] == golden


@GPU
def test_force_shape_pad(both: Both, golden: Golden) -> None:
    """When on, a matmul of odd sizes is padded to sizes that suit tensor cores."""
    inputs = torch.randn(1021, 1023, dtype=HALF), torch.randn(1023, 1021, dtype=HALF)
    off, on = both(torch.mm, *inputs, config={"force_shape_pad": True})
    assert not off["post_grad_graph"].has("aten.constant_pad_nd")
    assert on["post_grad_graph"].count("aten.constant_pad_nd") == 2
    assert on["post_grad_graph"] == golden


@GPU
def test_comprehensive_padding(both: Both, golden: Golden) -> None:
    """When off, the odd row length of a large intermediate is not padded."""
    inputs = torch.randn(1024, 64), torch.randn(64, 1025)
    config = {"comprehensive_padding": False}
    on, off = both(lambda x, w: torch.softmax(x @ w, -1) @ w.t(), *inputs, config=config)
    assert "(1056, 1)" in str(on["wrapper_code"])
    assert "(1056, 1)" not in str(off["wrapper_code"])
    assert off["wrapper_code"] == golden


@GPU
def test_pad_outputs(both: Both, golden: Golden) -> None:
    """When on, the rows of outputs are padded too."""
    off, on = both(lambda x: x + 1, torch.randn(1024, 1025), config={"pad_outputs": True})
    assert "(1056, 1)" in str(on["wrapper_code"])
    assert "(1056, 1)" not in str(off["wrapper_code"])
    assert on["wrapper_code"] == golden


def test_layout_optimization(both: Both, golden: Golden) -> None:
    """When off, convolutions keep the layout of their input; when on, they are channels-last throughout."""
    weight = torch.randn(64, 64, 3, 3)

    def f(x: Tensor, weight: Tensor) -> Tensor:
        return F.conv2d(F.relu(F.conv2d(x, weight)), weight)

    on, off = both(f, torch.randn(2, 64, 16, 16), weight, config={"layout_optimization": False})
    assert (on.metrics.ir_nodes, off.metrics.ir_nodes) == (7, 3)
    assert off["scheduler_nodes"] == golden


def test_conv_1x1_as_mm(both: Both, golden: Golden) -> None:
    """When on, a 1x1 convolution is a matmul."""
    inputs = torch.randn(2, 8, 4, 4), torch.randn(4, 8, 1, 1)
    off, on = both(F.conv2d, *inputs, config={"conv_1x1_as_mm": True})
    assert "mm" in str(on["scheduler_nodes"])
    assert "convolution" in str(off["scheduler_nodes"])
    assert on["scheduler_nodes"] == golden


def test_memory_planning(both: Both, golden: Golden) -> None:
    """When on, buffers are slices of one pool."""
    off, on = both(mlp, torch.randn(64, 64), torch.randn(64, 64), config={"memory_planning": True})
    assert ("alloc_from_pool" in str(off["wrapper_code"]), "alloc_from_pool" in str(on["wrapper_code"])) == (
        False,
        True,
    )
    assert on["wrapper_code"] == golden


def test_allow_buffer_reuse(both: Both, golden: Golden) -> None:
    """When off, each matmul has its own memory."""

    def f(x: Tensor, y: Tensor) -> Tensor:
        return x @ y @ y @ y @ y

    on, off = both(f, torch.randn(64, 64), torch.randn(64, 64), config={"allow_buffer_reuse": False})
    assert ("# reuse" in str(on["wrapper_code"]), "# reuse" in str(off["wrapper_code"])) == (True, False)
    assert off["wrapper_code"] == golden


def test_inplace_buffers(both: Both, golden: Golden) -> None:
    """When off, an activation does not overwrite its input."""
    on, off = both(mlp, torch.randn(64, 64), torch.randn(64, 64), config={"inplace_buffers": False})
    code = "triton_code" if on.target.startswith("cuda") else "cpp_code"
    assert ("in_out_ptr0" in str(on[code]), "in_out_ptr0" in str(off[code])) == (True, False)
    assert off["wrapper_code"] == golden


def test_reorder_for_peak_memory(both: Both, golden: Golden) -> None:
    """When off, both wide values are live at once."""

    def f(x: Tensor, up: Tensor, down: Tensor) -> Tensor:
        first, second = x @ up, x.relu() @ up
        return (first @ down) @ (second @ down) @ (first @ first.t()) @ (second @ second.t())

    inputs = torch.randn(64, 64), torch.randn(64, 1024), torch.randn(1024, 64)
    on, off = both(f, *inputs, config={"reorder_for_peak_memory": False})
    assert on.metrics.peak_memory < off.metrics.peak_memory
    assert off["scheduler_nodes"] == golden


def test_max_fusion_size(both: Both, golden: Golden) -> None:
    """How many operations a kernel may contain: eight on one input are one kernel, or several."""
    off, on = both(lambda x: [x + i for i in range(8)], torch.randn(64), config={"max_fusion_size": 2})
    assert off.metrics.fused_nodes > on.metrics.fused_nodes
    assert on["scheduler_nodes"] == golden


@GPU
def test_loop_ordering_after_fusion(both: Both, golden: Golden) -> None:
    """When off, a result and its transposed copy are two kernels, because their loop orders differ."""

    def f(x: Tensor) -> tuple[Tensor, ...]:
        y = x / x.amax(-1, keepdim=True)
        return y, y.t().contiguous()

    on, off = both(f, torch.randn(256, 256), config={"loop_ordering_after_fusion": False})
    assert (on.metrics.kernels, off.metrics.kernels) == (1, 2)
    assert off["scheduler_nodes"] == golden


def test_unroll_reductions_threshold(both: Both, golden: Golden) -> None:
    """A sum of six elements is six additions, or a loop if six is above the threshold."""
    inputs = (torch.randn(64, 6),)
    off, on = both(lambda x: x.sum(-1) * 2, *inputs, config={"unroll_reductions_threshold": 2})
    assert (off.metrics.ir_nodes, on.metrics.ir_nodes) == (1, 2)
    assert on["scheduler_nodes"] == golden


def test_realize_reads_threshold(both: Both, golden: Golden) -> None:
    """How many reads a value may need before it is stored rather than recomputed by each user."""

    def f(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        total = x * y + x
        return total + 1, total.flip(0)

    off, on = both(f, torch.randn(64, 64), torch.randn(64, 64), config={"realize_reads_threshold": 1})
    assert (off.metrics.ir_nodes, on.metrics.ir_nodes) == (2, 3)
    assert on["scheduler_nodes"] == golden


def test_force_pointwise_cat(both: Both, golden: Golden) -> None:
    """When on, the parts of a concatenation are computed in one kernel, however many there are."""

    def f(*parts: Tensor) -> Tensor:
        return torch.cat([part.sin().exp() for part in parts], 1) * 2

    off, on = both(f, *(torch.randn(8, 8) for _ in range(10)), config={"force_pointwise_cat": True})
    assert off.metrics.ir_nodes > on.metrics.ir_nodes
    assert on["scheduler_nodes"] == golden


def test_pick_loop_orders(both: Both, golden: Golden) -> None:
    """When off, loops follow the order of the result's dimensions, not of memory."""
    on, off = both(lambda x: x.permute(2, 0, 1) * 2, torch.randn(8, 16, 32), config={"pick_loop_orders": False})
    assert str(on["scheduler_nodes"]) != str(off["scheduler_nodes"])
    assert off["scheduler_nodes"] == golden
