"""Programs as users write them, on virtual targets: running them must not require what only a device has."""

import re
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch._higher_order_ops import while_loop
from torch.utils.checkpoint import checkpoint

from pytest_compile_golden import capture
from pytest_compile_golden.errors import (
    CaptureFailed,
    DataDependentValue,
    NothingCompiled,
    chain,
    reason_of,
)


class Tagged(Tensor):
    """A class that only intervenes in functions called from Python."""

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return super().__torch_function__(func, types, args, kwargs or {})


def test_a_checkpoint_draws_the_same_numbers_again() -> None:
    def block(x: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(x, x, x, dropout_p=0.1).sin()

    x = torch.randn(1, 2, 64, 64, requires_grad=True)
    captured = capture(
        lambda x: checkpoint(block, x, use_reentrant=False),
        x,
        target="cuda-sm90",
        train=True,
    )
    assert captured["backward_graph"].count("graphsafe_run_with_rng_state") == 1


def test_a_loop_may_run_an_unknown_number_of_times() -> None:
    def f(x: Tensor, count: Tensor) -> Any:
        done, x = while_loop(
            lambda i, x: i > 0, lambda i, x: (i - 1, x.sin()), (count, x)
        )
        return done, x.reshape(2, 4) + 1

    captured = capture(f, torch.randn(8), torch.tensor(3), target="cuda-sm90")
    assert captured["post_grad_graph"].count("while_loop") == 1
    assert (
        capture(f, torch.randn(8), torch.tensor(3), target="cpu-avx2")[
            "post_grad_graph"
        ].count("while_loop")
        == 1
    )


def test_a_weight_of_a_python_subclass_is_a_plain_tensor_to_kernels() -> None:
    weight = torch.randn(4, 4).as_subclass(Tagged)
    assert capture(lambda x: F.linear(x, weight), torch.randn(2, 4), target="cpu-avx2")[
        "aot_graph"
    ].has("aten.mm")


def test_graph_breaks_are_located_when_nothing_was_compiled() -> None:
    sparse = torch.eye(3).to_sparse()
    with pytest.raises(
        NothingCompiled,
        match=r"breaks before.*\n  at test_targets_programs.py:\d+: .*sparse",
    ):
        capture(
            lambda a, x: torch.sparse.mm(a, x).relu(),
            sparse,
            torch.randn(3, 2),
            target="cpu-avx2",
        )


def test_graph_breaks_are_located_when_there_is_no_backward() -> None:
    def hooked(x: Tensor) -> Tensor:
        with torch.autograd.graph.saved_tensors_hooks(
            lambda kept: kept.half(), lambda kept: kept.float()
        ):
            return x.sin().exp()

    message = r"has no backward graph(?s:.*)Graphs broke(?s:.*)\n  at test_targets_programs.py:\d+: "
    with pytest.raises(CaptureFailed, match=message):
        capture(
            hooked, torch.randn(4, requires_grad=True), target="cuda-sm90", train=True
        )


def test_values_that_freezing_writes_into_kernels() -> None:
    def convolution(channels: int) -> nn.Module:
        return nn.Sequential(nn.Conv2d(3, channels, 3), nn.BatchNorm2d(channels)).eval()

    x, config = torch.randn(1, 3, 8, 8), {"freezing": True}
    captured = capture(convolution(16), x, target="cuda-sm90", config=config)
    assert captured.metrics.extern_kernels == 1 and not captured["post_grad_graph"].has(
        "aten.rsqrt"
    )
    with pytest.raises(
        DataDependentValue, match="constants of up to 8 numbers"
    ) as raised:
        capture(convolution(8), x, target="cuda-sm90", config=config)
    # It was raised inside torch, which wraps it: it is not its own cause.
    assert [each for each in chain(raised.value) if each is raised.value] == [
        raised.value
    ]
    assert reason_of(raised.value).startswith("DataDependentValue: Inductor writes")


def test_gradients_inside_a_program_require_train() -> None:
    def penalty(x: Tensor) -> Tensor:
        return torch.autograd.grad(x.sin().sum(), x)[0]

    with pytest.raises(CaptureFailed, match="train=True"):
        capture(penalty, torch.randn(4, requires_grad=True), target="cpu-avx2")


def test_the_setting_that_keeps_a_value_in_the_graph_is_named_and_works() -> None:
    def positive(x: Tensor) -> Tensor:
        return x[torch.nonzero(x > 0).squeeze(-1)] * 2

    with pytest.raises(
        DataDependentValue, match=r"dynamo\.capture_dynamic_output_shape_ops"
    ):
        capture(positive, torch.randn(8), target="cuda-sm90")
    config = {"dynamo.capture_dynamic_output_shape_ops": True}
    assert capture(positive, torch.randn(8), target="cuda-sm90", config=config)[
        "aot_graph"
    ].has("aten.nonzero")


@pytest.mark.parametrize("target", ["cpu-avx2", "cuda-sm90"])
def test_a_guard_names_the_class_that_a_tensor_has_on_the_device(target: str) -> None:
    """A parameter's guard says `Parameter` on a real GPU, whose tensors are no fake ones."""

    class Scaled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.randn(4))
            self.register_buffer("offset", torch.randn(4))

        def forward(self, x: Tensor) -> Tensor:
            return x * self.weight + self.offset

    guards = str(capture(Scaled(), torch.randn(2, 4), target=target)["guards"])
    classes = dict(re.findall(r"check_tensor\((\S+), (\w+), ", guards))
    assert sorted(classes.values()) == ["Parameter", "Tensor", "Tensor"]
    assert (
        next(kind for name, kind in classes.items() if "weight" in name) == "Parameter"
    )
