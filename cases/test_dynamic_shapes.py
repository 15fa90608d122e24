"""Sizes that may vary: who asked for it, which conditions they must satisfy, which are specialised."""

import torch
from torch import Tensor
from torch._dynamo import mark_dynamic, mark_static
from torch._dynamo.decorators import mark_unbacked

from pytest_compile_golden.typing import CompileStages, Golden


def added(x: Tensor, y: Tensor) -> Tensor:
    total = x + y
    if x.shape[1] == 16:
        total = total.relu()
    return total.view(-1, 4)


def test_a_comparison_makes_a_size_a_constant(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(added, torch.randn(8, 16), torch.randn(8, 16), dynamic=True)
    assert captured["specialisations"].of_kind("specialised") == ("s27 = 16",)
    assert captured.metrics.specialisations == 1
    assert captured["specialisations"] == golden


def test_automatic_dynamic_gives_each_input_a_symbol(compile_stages: CompileStages, golden: Golden) -> None:
    """Equal sizes share a symbol only if everything is dynamic; here a guard must establish that they are equal."""
    captured = compile_stages(added, calls=[(torch.randn(n, 16), torch.randn(n, 16)) for n in (8, 12)])
    assert captured["specialisations"].guards[0] == "Eq(s77, s17)"
    assert captured["specialisations"].specialised == ()
    assert captured["specialisations"] == golden


def test_a_size_of_one_is_a_constant(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(torch.add, torch.randn(1, 16), torch.randn(7, 16), dynamic=True)
    assert len(captured["specialisations"].specialised) == 1
    assert captured["specialisations"] == golden


def test_jagged(compile_stages: CompileStages, golden: Golden) -> None:
    """A jagged tensor is compiled as its rows concatenated, whatever their lengths: no length is in the code."""
    nested = torch.nested.nested_tensor([torch.randn(20, 64), torch.randn(300, 64)], layout=torch.jagged)
    captured = compile_stages(lambda nested, weight: torch.relu(nested @ weight), nested, torch.randn(64, 64))
    assert captured.metrics.kernels == 1 and captured["specialisations"].specialised == ()
    assert captured["post_grad_graph"] == golden


def test_marked_sizes(compile_stages: CompileStages, golden: Golden) -> None:
    """mark_dynamic keeps its range, and mark_unbacked allows no branching on the size."""

    def f(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x * x.shape[0], y * 2

    x, y = torch.randn(8, 16), torch.randn(8, 16)
    mark_dynamic(x, 0, min=4, max=64)
    mark_static(x, 1)
    mark_unbacked(y, 0)
    captured = compile_stages(f, x, y)
    assert len(captured["specialisations"].symbols) == 2
    assert captured["specialisations"].specialised == ()
    assert captured["specialisations"] == golden


def test_a_number_that_varies(compile_stages: CompileStages, golden: Golden) -> None:
    """A slice and a modulo of a dynamic integer add guards, but do not specialise it."""

    def f(x: Tensor, n: int) -> Tensor:
        return x[:n] * 2 if n % 2 == 0 else x

    captured = compile_stages(f, calls=[(torch.randn(8, 16), 4), (torch.randn(8, 16), 6)])
    assert "Eq(PythonMod(s86, 2), 0)" in captured["specialisations"].guards
    assert captured.metrics.specialisations == 0
    assert captured["specialisations"] == golden


def test_recompile_limit(compile_stages: CompileStages, golden: Golden) -> None:
    """Past the limit the function runs eagerly, and nothing more of it is compiled."""
    captured = compile_stages(
        lambda x: x.sin() + 1,
        calls=[(torch.randn(n, 16),) for n in (2, 3, 4, 5)],
        dynamic=False,
        config={"dynamo.recompile_limit": 2},
    )
    assert captured["recompiles"].limits == ("recompile_limit = 2",)
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden
