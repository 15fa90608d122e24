"""Autograd in compiled code: custom functions, checkpoints, hooks, double backward; aliased inputs and outputs."""

import functools
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

from pytest_compile_golden.typing import CompileStages, Golden

# The graphs traced by autograd are the same on every target.
pytestmark = pytest.mark.compile_golden(target="cpu-avx2")


def learned(*shape: int) -> Tensor:
    return torch.randn(*shape, requires_grad=True)


class Clipped(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return (grad * x.exp()).clamp(-1, 1)


def test_function_of_the_users(compile_stages: CompileStages, golden: Golden) -> None:
    """The function's own backward is traced, not the derivative of its forward."""
    captured = compile_stages(lambda x: Clipped.apply(x) * 2, learned(8), train=True)
    assert captured["backward_graph"].has("aten.clamp_min")
    assert captured["backward_graph"] == golden


def products_are_saved(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
    return CheckpointPolicy.MUST_SAVE if op == torch.ops.aten.mm.default else CheckpointPolicy.PREFER_RECOMPUTE


def test_selective_checkpoint(compile_stages: CompileStages, golden: Golden) -> None:
    """Matmuls are saved, as the policy says; everything between them is recomputed."""

    def block(x: Tensor, weight: Tensor) -> Tensor:
        return ((x @ weight).sin() @ weight).exp()

    def f(x: Tensor, weight: Tensor) -> Tensor:
        contexts = functools.partial(create_selective_checkpoint_contexts, products_are_saved)
        return checkpoint(block, x, weight, use_reentrant=False, context_fn=contexts)

    captured = compile_stages(f, learned(8, 8), learned(8, 8), train=True)
    assert captured["backward_graph"].count("aten.mm") == 4
    assert captured["backward_graph"] == golden


def test_whole_checkpoint(compile_stages: CompileStages, golden: Golden) -> None:
    """Without a policy the matmuls are recomputed too."""

    def block(x: Tensor, weight: Tensor) -> Tensor:
        return ((x @ weight).sin() @ weight).exp()

    captured = compile_stages(
        lambda x, weight: checkpoint(block, x, weight, use_reentrant=False), learned(8, 8), learned(8, 8), train=True
    )
    assert captured["backward_graph"].count("aten.mm") > 4
    assert captured["backward_graph"] == golden


@pytest.mark.compile_golden(target="cuda-sm90")
def test_checkpoint_that_draws(compile_stages: CompileStages, golden: Golden) -> None:
    """Backward drops the same values again: both graphs are passed the state of one generator."""

    def block(x: Tensor, weight: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(x, x @ weight, x, dropout_p=0.1)

    qkv = torch.randn(1, 2, 64, 64, requires_grad=True)
    captured = compile_stages(
        lambda x, weight: checkpoint(block, x, weight, use_reentrant=False), qkv, learned(64, 64), train=True
    )
    assert captured["forward_graph"].count("graphsafe_run_with_rng_state") == 1
    assert captured["backward_graph"].count("graphsafe_run_with_rng_state") == 1
    assert captured["backward_graph"] == golden


def test_hook_of_a_tensor(compile_stages: CompileStages, golden: Golden) -> None:
    """A hook on an intermediate tensor is part of the backward graph."""

    def f(x: Tensor) -> Tensor:
        y = x.sin()
        y.register_hook(lambda grad: grad * 3)
        return y.exp()

    captured = compile_stages(f, learned(8), train=True)
    assert "3" in str(captured["backward_graph"])
    assert captured["backward_graph"] == golden


def test_gradient_inside(compile_stages: CompileStages, golden: Golden) -> None:
    """torch.func.grad is traced: the resulting graph has no backward."""
    captured = compile_stages(torch.func.grad(lambda x: x.sin().sum()), torch.randn(8))
    assert captured["aot_graph"].has("aten.cos")
    assert captured["aot_graph"] == golden


@pytest.mark.usefixtures("compile_target")
@pytest.mark.compile_golden(target="cpu-avx2")
def test_double_backward() -> None:
    """Double backward through code compiled by AOTAutograd is not supported, and torch says so."""

    @torch.compile(backend="aot_eager")
    def f(x: Tensor) -> Tensor:
        return x.sin().sum()

    x = learned(8)
    (grad,) = torch.autograd.grad(f(x), x, create_graph=True)
    with pytest.raises(RuntimeError, match="double backward"):
        grad.sum().backward()


def test_vmap(compile_stages: CompileStages, golden: Golden) -> None:
    """Batched by vmap, a matrix-vector product becomes a matrix-matrix product."""
    captured = compile_stages(
        lambda weight, xs: torch.vmap(lambda x: weight @ x)(xs), torch.randn(4, 8), torch.randn(16, 8)
    )
    assert captured["aot_graph"].has("aten.mm")
    assert captured["aot_graph"] == golden


def test_jacobian(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(torch.func.jacrev(torch.sin), torch.randn(4))
    assert captured.metrics.graph_breaks == 0
    assert captured["aot_graph"] == golden


def test_detached(compile_stages: CompileStages, golden: Golden) -> None:
    """No gradient flows through a detached tensor: backward is correspondingly short."""
    captured = compile_stages(lambda x: x.sin().detach() * x, learned(8), train=True)
    assert not captured["backward_graph"].has("aten.cos")
    assert captured["backward_graph"] == golden


def test_no_grad_inside(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> Tensor:
        with torch.no_grad():
            y = x.sin()
        return y * x

    captured = compile_stages(f, learned(8), train=True)
    assert not captured["backward_graph"].has("aten.cos")
    assert captured["dynamo_graph"] == golden


def test_inference_mode(compile_stages: CompileStages, golden: Golden) -> None:
    """The graph enters and exits inference mode around its operators."""

    def f(x: Tensor) -> Tensor:
        with torch.inference_mode():
            return x.sin() * 2

    captured = compile_stages(f, torch.randn(8))
    assert captured["dynamo_graph"].has("_enter_inference_mode")
    assert captured["dynamo_graph"] == golden


# Aliasing and mutation


def test_output_is_an_input(compile_stages: CompileStages, golden: Golden) -> None:
    """An input that is returned needs no computation: the graph returns only the other outputs."""
    captured = compile_stages(lambda x: (x, x + 1), torch.randn(8))
    assert captured.metrics.kernels == 1
    assert captured["dynamo_graph"] == golden


def test_output_is_a_view_of_an_input(compile_stages: CompileStages, golden: Golden) -> None:
    """A view of an input is a graph output like any other, and takes no kernel."""
    captured = compile_stages(lambda x: (x.view(2, 4), x + 1), torch.randn(8))
    assert captured.metrics.kernels == 1
    assert captured["post_grad_graph"] == golden


def test_two_views_of_one_intermediate(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor) -> tuple[Tensor, ...]:
        y = x + 1
        return y[:4], y[4:]

    captured = compile_stages(f, torch.randn(8))
    assert captured.metrics.kernels == 1
    assert captured["post_grad_graph"] == golden


def test_views_as_inputs_that_are_written(compile_stages: CompileStages, golden: Golden) -> None:
    """Overlapping inputs are regenerated from their base, so a write to one is visible in the other."""
    base = torch.randn(8)

    def f(a: Tensor, b: Tensor) -> Tensor:
        a.mul_(2)
        return b + 1

    captured = compile_stages(f, base[:6], base[2:])
    assert captured["aot_graph"].has("aten.as_strided")
    assert captured["aot_graph"] == golden


class Averaged(nn.Module):
    mean: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(8))

    def forward(self, x: Tensor) -> Tensor:
        self.mean.mul_(0.9).add_(x, alpha=0.1)
        return x - self.mean


def test_buffer_is_written(compile_stages: CompileStages, golden: Golden) -> None:
    """The new value is copied into the buffer at the end of the graph."""
    captured = compile_stages(Averaged(), torch.randn(8))
    assert captured["post_grad_graph"].count("aten.copy_") == 1
    assert captured["post_grad_graph"] == golden


def test_buffer_is_replaced(compile_stages: CompileStages, golden: Golden) -> None:
    """An attribute set to a new tensor is a graph output, which Dynamo's bytecode stores."""

    class Replaced(Averaged):
        def forward(self, x: Tensor) -> Tensor:
            self.mean = self.mean * 0.9 + x * 0.1
            return x - self.mean

    captured = compile_stages(Replaced(), torch.randn(8))
    assert not captured["post_grad_graph"].has("aten.copy_")
    assert captured["post_grad_graph"] == golden


def test_data_is_set(compile_stages: CompileStages, golden: Golden) -> None:
    """Dynamo turns the assignment into an operator that swaps the tensor's contents."""

    def f(x: Tensor, y: Tensor) -> Tensor:
        x.data = y.sin()
        return x + 1

    captured = compile_stages(f, torch.randn(8), torch.randn(8))
    exchanged = "aten.shallow_copy_data_(" if torch.__version__ >= "2.14" else ".set_("
    assert exchanged in str(captured["dynamo_graph"])
    assert captured["dynamo_graph"] == golden


def test_output_that_is_given(compile_stages: CompileStages, golden: Golden) -> None:
    """An operator with `out=` mutates an input."""

    def f(x: Tensor, out: Tensor) -> Tensor:
        torch.add(x, 1, out=out)
        return out * 2

    captured = compile_stages(f, torch.randn(8), torch.zeros(8))
    assert captured["post_grad_graph"].count("aten.copy_") == 1
    assert captured["post_grad_graph"] == golden


def test_module_hooks(compile_stages: CompileStages, golden: Golden) -> None:
    """A module's forward hooks are part of the graph."""
    model = nn.Linear(8, 8)
    model.register_forward_pre_hook(lambda module, args: (args[0].sin(),))
    model.register_forward_hook(lambda module, args, out: out.cos())
    captured = compile_stages(model, torch.randn(4, 8))
    assert captured["post_grad_graph"].has("aten.sin") and captured["post_grad_graph"].has("aten.cos")
    assert captured["post_grad_graph"] == golden
