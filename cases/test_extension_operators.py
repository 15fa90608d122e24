"""Custom operators and kernels: with and without a fake, with gradients, mutating inputs, Triton kernels."""

from collections.abc import Iterator

import pytest
import torch
import triton
import triton.language as tl
from torch import Tensor
from torch._inductor.ir import TensorBox
from torch._inductor.lowering import lowerings, make_pointwise, register_lowering
from torch._inductor.virtualized import ops

from pytest_compile_golden.errors import CaptureFailed
from pytest_compile_golden.typing import CompileStages, Golden

GPU = pytest.mark.compile_golden(target="cuda-sm90")
CPU = pytest.mark.compile_golden(target="cpu-avx2")


@torch.library.custom_op("cases::without_fake", mutates_args=())
def without_fake(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


@CPU
def test_operator_without_a_fake(compile_stages: CompileStages) -> None:
    """Dynamo cannot know the operator's output, and does not break the graph for it: torch says what is missing."""
    with pytest.raises(CaptureFailed, match="no fake impl registered"):
        compile_stages(lambda x: without_fake(x.sin()).cos(), torch.randn(8))


@torch.library.custom_op("cases::untrue_fake", mutates_args=())
def untrue_fake(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


@untrue_fake.register_fake
def _(x: Tensor) -> Tensor:
    return x.new_empty(x.shape[0] + 1)


@CPU
def test_operator_with_an_untrue_fake(compile_stages: CompileStages, golden: Golden) -> None:
    """The compiler trusts the fake; the wrapper checks the real output when it runs."""
    captured = compile_stages(lambda x: untrue_fake(x) + 1, torch.randn(8))
    assert "f32[9]" in str(captured["post_grad_graph"])
    assert captured["wrapper_code"] == golden


@torch.library.custom_op("cases::scaled_exp", mutates_args=())
def scaled_exp(x: torch.Tensor, scale: float) -> torch.Tensor:
    return torch.exp(x * scale)


@scaled_exp.register_fake
def _(x: Tensor, scale: float) -> Tensor:
    return torch.empty_like(x)


def keep(ctx: torch.autograd.function.FunctionCtx, inputs: tuple[Tensor, float], output: Tensor) -> None:
    ctx.scale = inputs[1]
    ctx.save_for_backward(output)


def gradient(ctx: torch.autograd.function.FunctionCtx, grad: Tensor) -> tuple[Tensor, None]:
    (out,) = ctx.saved_tensors
    return grad * out * ctx.scale, None


scaled_exp.register_autograd(gradient, setup_context=keep)


@CPU
def test_operator_with_a_gradient(compile_stages: CompileStages, golden: Golden) -> None:
    """Forward keeps the operator whole; backward is traced from its registered formula."""
    captured = compile_stages(lambda x: scaled_exp(x, 2.0) + 1, torch.randn(8, requires_grad=True), train=True)
    assert captured["forward_graph"].has("cases.scaled_exp")
    assert captured["backward_graph"].has("aten.mul")
    assert captured["joint_graph"] == golden


@torch.library.custom_op("cases::fill_first_", mutates_args={"out"})
def fill_first_(x: torch.Tensor, out: torch.Tensor) -> None:
    out.copy_(x)


@CPU
def test_operator_that_writes_into_an_input_of_the_program(compile_stages: CompileStages, golden: Golden) -> None:
    """The operator is functionalised until the end, where the copy that this required is removed again."""

    def f(x: Tensor, out: Tensor) -> Tensor:
        fill_first_(x.sin(), out)
        return out + 1

    captured = compile_stages(f, torch.randn(8), torch.zeros(8))
    assert captured["aot_graph"].count("auto_functionalized_v2") == 1
    assert not captured["post_grad_graph"].has("aten.clone")
    assert captured["post_grad_graph"] == golden


@torch.library.custom_op("cases::sized", mutates_args=())
def sized(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0]


@sized.register_fake
def _(x: Tensor) -> Tensor:
    return x.new_empty(torch.library.get_ctx().new_dynamic_size())


@CPU
def test_operator_whose_size_depends_on_values(compile_stages: CompileStages, golden: Golden) -> None:
    """The size of its result is an unbacked symbol, known only to be non-negative."""
    config = {"dynamo.capture_dynamic_output_shape_ops": True}
    captured = compile_stages(lambda x: sized(x) * 2, torch.randn(8), config=config)
    assert captured.metrics.graphs == 1
    assert "u0" in str(captured["post_grad_graph"])
    assert captured["post_grad_graph"] == golden


@pytest.fixture
def own_lowering() -> Iterator[None]:
    """A lowering of scaled_exp that can fuse; by default a custom operator is called as is."""
    operator = torch.ops.cases.scaled_exp.default

    @register_lowering(operator, type_promotion_kind=None)
    def lower_scaled_exp(x: TensorBox, scale: float) -> TensorBox:
        return make_pointwise(lambda x: ops.exp(ops.mul(x, ops.constant(scale, torch.float32))))(x)

    yield
    lowerings.pop(operator)


def test_custom_lowering(own_lowering: None, compile_stages: CompileStages, golden: Golden) -> None:
    """With its own lowering, the operator is part of the surrounding kernel."""
    captured = compile_stages(lambda x: scaled_exp(x.sin(), 2.0) + 1, torch.randn(64))
    assert captured.metrics.kernels == 1
    assert captured.metrics.extern_kernels == 0
    assert captured["scheduler_nodes"] == golden


def test_custom_decomposition(compile_stages: CompileStages, golden: Golden) -> None:
    """Users can replace Inductor's decomposition of an operator."""
    from torch._inductor.decomposition import decompositions

    def soft(x: Tensor) -> Tensor:
        return x.sigmoid() * x

    operator = torch.ops.aten.silu.default
    before = decompositions[operator]
    decompositions[operator] = soft
    try:
        captured = compile_stages(lambda x: torch.nn.functional.silu(x), torch.randn(64))
    finally:
        decompositions[operator] = before
    assert captured["aot_graph"].has("aten.sigmoid")
    assert captured["aot_graph"] == golden


@triton.autotune([triton.Config({"BLOCK": size}, num_warps=4) for size in (256, 512)], key=["count"])
@triton.jit
def tuned_kernel(source, out, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < count
    tl.store(out + index, tl.load(source + index, mask=inside) + 1, mask=inside)


@GPU
def test_user_kernel_with_autotune(compile_stages: CompileStages, golden: Golden) -> None:
    """The user's configs go into the generated code, to be benchmarked at the first call."""

    def f(x: Tensor) -> Tensor:
        out = torch.empty_like(x)
        tuned_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
        return out * 2

    captured = compile_stages(f, torch.randn(4096))
    assert captured["post_grad_graph"].count("triton_kernel_wrapper_mutation") == 1
    assert "'BLOCK': 512" in str(captured["triton_code"])
    assert captured["triton_code"] == golden


@triton.jit
def add_kernel(a, b, out, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < count
    tl.store(out + index, tl.load(a + index, mask=inside) + tl.load(b + index, mask=inside), mask=inside)


@torch.library.triton_op("cases::triton_add", mutates_args=())
def triton_add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(a)
    torch.library.wrap_triton(add_kernel)[(triton.cdiv(a.numel(), 1024),)](a, b, out, a.numel(), BLOCK=1024)
    return out


@GPU
def test_triton_op(compile_stages: CompileStages, golden: Golden) -> None:
    """The compiler looks inside: the kernel that it launches is a node of the graph, and the operator is not."""
    captured = compile_stages(lambda a, b: triton_add(a.sin(), b).cos(), torch.randn(4096), torch.randn(4096))
    assert captured["aot_graph"].has("triton_kernel_wrapper_functional")
    assert not captured["post_grad_graph"].has("cases.triton_add")
    assert captured["post_grad_graph"] == golden


@triton.jit
def shifted_kernel(x, count, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + index, tl.load(x + index, mask=index < count) + 1, mask=index < count)


@GPU
def test_user_kernel_that_writes_into_what_is_read_later(compile_stages: CompileStages, golden: Golden) -> None:
    """The arguments a kernel mutates are read from its Triton IR: only these are copied if the old value is used."""

    def f(x: Tensor) -> tuple[Tensor, ...]:
        y = x.sin()
        kept = y.clone()
        shifted_kernel[(4,)](y, y.numel(), BLOCK=1024)
        return y, kept.cos()

    captured = compile_stages(f, torch.randn(4096))
    assert captured["aot_graph"].has("triton_kernel_wrapper_functional")
    assert captured["post_grad_graph"] == golden
