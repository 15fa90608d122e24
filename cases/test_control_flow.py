"""Control flow operators: cond, while_loop, scan, map, associative scan; and dynamic shapes in every common form."""

import re
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._higher_order_ops import associative_scan, map, scan, while_loop

from pytest_compile_golden.typing import CompileStages, Golden

SCALARS = {"dynamo.capture_scalar_outputs": True}
GPU = pytest.mark.compile_golden(target="cuda-sm90")
CPU = pytest.mark.compile_golden(target="cpu-avx2")


@CPU
def test_cond_of_a_closure(compile_stages: CompileStages, golden: Golden) -> None:
    """Tensors that the branches close over become inputs of both."""

    def f(x: Tensor, y: Tensor, flag: Tensor) -> Tensor:
        return torch.cond(flag, lambda x: x + y, lambda x: x * y, (x,))

    captured = compile_stages(f, torch.randn(8), torch.randn(8), torch.tensor(True))
    assert captured["post_grad_graph"].count("cond") == 1
    assert captured["post_grad_graph"] == golden


@CPU
def test_cond_with_gradients(compile_stages: CompileStages, golden: Golden) -> None:
    """Backward is a cond on the same predicate."""

    def f(x: Tensor, flag: Tensor) -> Tensor:
        return torch.cond(flag, torch.sin, torch.cos, (x,))

    captured = compile_stages(f, torch.randn(8, requires_grad=True), torch.tensor(True), train=True)
    assert captured["backward_graph"].count("cond") == 1
    assert captured["backward_graph"] == golden


@CPU
def test_cond_on_a_constant(compile_stages: CompileStages, golden: Golden) -> None:
    """A cond with a constant predicate is only the branch taken, without the operator."""
    captured = compile_stages(lambda x: torch.cond(x.shape[0] > 4, torch.sin, torch.cos, (x,)), torch.randn(8))
    assert not captured["dynamo_graph"].has("cond")
    assert captured["dynamo_graph"] == golden


def test_while_loop(compile_stages: CompileStages, golden: Golden) -> None:
    """Condition and body are subgraphs, each with its own kernels."""

    def f(x: Tensor, count: Tensor) -> Any:
        return while_loop(lambda i, x: i > 0, lambda i, x: (i - 1, x.sin()), (count, x))

    captured = compile_stages(f, torch.randn(8), torch.tensor(3))
    assert captured["post_grad_graph"].count("while_loop") == 1
    assert captured["post_grad_graph"] == golden


def test_scan(compile_stages: CompileStages, golden: Golden) -> None:
    """A scan becomes a while_loop after autograd."""

    def step(carry: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        carry = carry * 0.5 + x
        return carry, carry.clone()

    inputs = torch.zeros(4), torch.randn(6, 4)
    captured = compile_stages(lambda start, xs: scan(step, start, xs), *inputs, config=SCALARS)
    assert captured["aot_graph"].has("scan")
    assert captured["post_grad_graph"].has("while_loop")
    assert captured["post_grad_graph"] == golden


def test_map(compile_stages: CompileStages, golden: Golden) -> None:
    inputs = torch.randn(6, 4), torch.randn(4)
    captured = compile_stages(lambda xs, y: map(lambda x, y: x + y, xs, y), *inputs, config=SCALARS)
    assert captured["aot_graph"].has("map_impl")
    assert captured["post_grad_graph"].has("while_loop")
    assert captured["post_grad_graph"] == golden


@GPU
def test_associative_scan(compile_stages: CompileStages, golden: Golden) -> None:
    """A pointwise combine function becomes a Triton associative scan in one kernel."""
    captured = compile_stages(
        lambda x: associative_scan(lambda a, b: a * 0.5 + b, x, dim=1, combine_mode="pointwise"), torch.randn(8, 64)
    )
    assert "tl.associative_scan" in captured["triton_code"]
    assert captured.metrics.kernels == 1
    assert captured["scheduler_nodes"] == golden


@GPU
def test_generic_associative_scan(compile_stages: CompileStages, golden: Golden) -> None:
    """A combine function that is not pointwise becomes a series of steps over halves."""
    captured = compile_stages(
        lambda x: associative_scan(lambda a, b: a @ b, x, dim=0, combine_mode="generic"), torch.randn(4, 8, 8)
    )
    assert captured["post_grad_graph"].has("aten.bmm")
    assert captured["post_grad_graph"] == golden


# Dynamic shapes


@CPU
def test_marked_dimension(compile_stages: CompileStages, golden: Golden) -> None:
    """A marked dimension is a symbol from the first compile on, with the range it was given."""
    x = torch.randn(8, 4)
    torch._dynamo.mark_dynamic(x, 0, min=2, max=64)
    captured = compile_stages(torch.sin, x)
    assert re.search(r"f32\[s\d+, 4\]", str(captured["dynamo_graph"]))
    assert captured["dynamo_graph"] == golden


@CPU
def test_marked_dimension_that_is_specialised(compile_stages: CompileStages) -> None:
    """A program that allows only one size contradicts the mark: the error names the location."""
    x = torch.randn(8, 4)
    torch._dynamo.mark_dynamic(x, 0)
    with pytest.raises(Exception, match=r"(?i)marked .* as dynamic|specializ"):
        compile_stages(lambda x: x + torch.ones(8, 4), x)


@CPU
def test_perhaps_dynamic_dimension(compile_stages: CompileStages, golden: Golden) -> None:
    """`maybe_mark_dynamic`, the weaker mark, gives way if the program allows only one size."""
    x = torch.randn(8, 4)
    torch._dynamo.maybe_mark_dynamic(x, 0)
    captured = compile_stages(lambda x: x + torch.ones(8, 4), x)
    assert "f32[8, 4]" in str(captured["dynamo_graph"])
    assert captured["dynamo_graph"] == golden


@CPU
def test_marked_static(compile_stages: CompileStages, golden: Golden) -> None:
    x = torch.randn(8, 4)
    torch._dynamo.mark_static(x, 0)
    captured = compile_stages(torch.sin, x, dynamic=True)
    assert "f32[8, s" in str(captured["dynamo_graph"])
    assert captured["dynamo_graph"] == golden


@CPU
def test_unbacked_dimension(compile_stages: CompileStages, golden: Golden) -> None:
    """An unbacked symbol has no value: it cannot be guarded on, not even for zero and one."""
    x = torch.randn(8, 4)
    torch._dynamo.decorators.mark_unbacked(x, 0)
    captured = compile_stages(torch.sin, x)
    assert "u0" in str(captured["dynamo_graph"])
    assert captured["dynamo_graph"] == golden


@CPU
def test_checked_value(compile_stages: CompileStages, golden: Golden) -> None:
    """What `torch._check` asserts about a value is known for the sizes computed from it."""

    def f(x: Tensor, count: Tensor) -> Tensor:
        n = count.item()
        torch._check(n >= 0)
        torch._check(n <= x.shape[0])
        return x[:n].sum()

    captured = compile_stages(f, torch.randn(8), torch.tensor(3), config=SCALARS)
    assert captured.metrics.graphs == 1
    assert captured["post_grad_graph"] == golden


def test_symbolic_kernel(compile_stages: CompileStages, golden: Golden) -> None:
    """Size symbols are kernel arguments, and indices are computed from them."""
    captured = compile_stages(lambda x: x.flip(1) + 1, torch.randn(8, 12), dynamic=True)
    assert "ks0" in str(captured["triton_code" if captured.target.startswith("cuda") else "cpp_code"])
    assert captured["scheduler_nodes"] == golden


@CPU
def test_equal_dimensions(compile_stages: CompileStages, golden: Golden) -> None:
    """Two inputs that are added share one symbol, which is guarded."""
    captured = compile_stages(torch.add, torch.randn(8), torch.randn(8), dynamic=True)
    assert len(set(re.findall(r"f32\[(s\d+)\]", str(captured["post_grad_graph"])))) == 1
    assert captured["post_grad_graph"] == golden


@CPU
def test_reshape_by_a_divisor(compile_stages: CompileStages, golden: Golden) -> None:
    """A view into groups of four requires a length divisible by four."""
    captured = compile_stages(lambda x: x.view(-1, 4).sum(-1), torch.randn(32), dynamic=True)
    assert "// 4" in str(captured["post_grad_graph"]) or "//4" in str(captured["post_grad_graph"])
    assert captured["post_grad_graph"] == golden
