"""Methods of plain objects, and globals that functions use: moved, copied and compared like nn.Modules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from pytest_compile_golden import capture, numerics
from pytest_compile_golden.errors import EagerFailed
from pytest_compile_golden.features.virtual_gpu.gpu import computing
from pytest_compile_golden.observe.device_transfer import contained, move_all
from pytest_compile_golden.targets import get_target

TARGETS = ("cuda-sm90", "native-cpu")


@dataclass
class Batch:
    x: Tensor
    mask: Tensor | None = None


class Schedule:
    def __init__(self) -> None:
        self.factor = torch.full((), 0.5)


@dataclass
class Trainer:
    """Holds a model, its optimizer, a tensor in another object, itself, and one of its own methods."""

    model: nn.Module = field(
        default_factory=lambda: nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8))
    )
    schedules: list[Schedule] = field(default_factory=lambda: [Schedule()])
    steps: int = 0

    def __post_init__(self) -> None:
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.owner, self.loss = self, self.square

    def square(self, x: Tensor) -> Tensor:
        return self.model(x).square().mean() * self.schedules[0].factor

    def step(self, x: Tensor) -> Tensor:
        self.steps += 1
        loss = self.owner.loss(x)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()

    def __call__(self, batch: Batch) -> Tensor:
        return self.square(batch.x if batch.mask is None else batch.x * batch.mask)


@pytest.mark.parametrize("target", TARGETS)
def test_a_plain_objects_step_is_correct_and_leaves_the_object_unchanged(
    target: str,
) -> None:
    trainer = Trainer()
    before = [parameter.clone() for parameter in trainer.model.parameters()]
    found = numerics(trainer.step, torch.randn(4, 8), target=target, train=True)
    assert found, str(found)
    # Parameters, the optimizer's state and the loss of each call.
    assert found.compared > 40
    assert (
        all(map(torch.equal, trainer.model.parameters(), before)) and trainer.steps == 0
    )


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.Adagrad])
def test_dynamo_may_move_an_optimizers_steps(
    kind: Callable[..., torch.optim.Optimizer], device: str
) -> None:
    # As in a test with the target.
    with (
        computing(get_target("cuda-sm90")).active(),
        torch.device(device),
    ):
        parameters = [nn.Parameter(torch.randn(8)) for _ in range(2)]
        for parameter in parameters:
            parameter.grad = torch.randn(8)
        optimizer = kind(parameters)
        found = numerics(lambda: optimizer.step())
    assert found, str(found)


@pytest.mark.parametrize(
    "kind",
    [
        torch.optim.RMSprop,
        torch.optim.NAdam,
        partial(torch.optim.AdamW, capturable=True),
    ],
)
def test_an_optimizer_passed_in_may_already_have_taken_steps(
    kind: Callable[..., torch.optim.Optimizer],
) -> None:
    model, x = nn.Linear(8, 8), torch.randn(4, 8)
    optimizer = kind(model.parameters())
    model(x).sum().backward()
    torch.compile(
        optimizer.step, backend="eager"
    )()  # eager itself refuses `capturable` on a CPU
    steps = [state["step"].clone() for state in optimizer.state.values()]
    assert steps == [1, 1]

    def train(model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor) -> None:
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    found = numerics(train, model, optimizer, x, target="cuda-sm90", train=True)
    assert found, str(found)
    # The optimizer's state too, even where Dynamo has put other tensors into it.
    assert found.compared > 30
    assert [state["step"] for state in optimizer.state.values()] == steps


@pytest.mark.parametrize("target", TARGETS)
def test_contents_of_a_container_are_compared_after_a_call(target: str) -> None:
    def wrong(held: dict[str, Tensor]) -> None:
        held["x"] = held["x"] * (3 if torch.compiler.is_compiling() else 2)

    found = numerics(wrong, {"x": torch.randn(8)}, target=target)
    assert not found and found.differences[0].what == "held['x'] after the call", str(
        found
    )


def test_objects_may_be_called_and_passed_in() -> None:
    batch = Batch(torch.randn(4, 8), torch.ones(4, 1))
    found = numerics(Trainer(), batch, target="cuda-sm90")
    assert found, str(found)
    assert found.compared > 20  # what both hold is compared too


MODEL = nn.Linear(8, 8)
OPTIMIZER = torch.optim.SGD(MODEL.parameters(), lr=0.1)
SCALE = torch.full((8,), 2.0)
calls = 0


def loss_with_globals(x: Tensor) -> Tensor:
    return (MODEL(x) * SCALE.to(x.device)).square().mean()


def step_with_globals(x: Tensor) -> Tensor:
    global calls
    calls += 1
    loss = loss_with_globals(x)
    loss.backward()
    OPTIMIZER.step()
    OPTIMIZER.zero_grad()
    return loss.detach()


@pytest.mark.parametrize("target", TARGETS)
def test_globals_used_by_a_function_and_its_callees_are_copied(target: str) -> None:
    before = MODEL.weight.clone()
    found = numerics(step_with_globals, torch.randn(4, 8), target=target, train=True)
    assert found, str(found)
    assert found.compared > 15
    assert (
        torch.equal(MODEL.weight, before) and MODEL.weight.grad is None and calls == 0
    )


def test_nested_functions_use_the_same_globals() -> None:
    def inner(x: Tensor) -> Tensor:
        return MODEL(x) * SCALE.to(x.device)

    found = numerics(lambda x: inner(x) + 1, torch.randn(4, 8), target="cuda-sm90")
    assert found, str(found)


def test_contents_of_a_plain_object_are_captured_on_the_target() -> None:
    trainer = Trainer()
    captured = capture(trainer.square, torch.randn(4, 8), target="cuda-sm90")
    assert captured.metrics.kernels >= 1 and captured.metrics.graph_breaks == 0
    assert {parameter.device.type for parameter in trainer.model.parameters()} == {
        "cpu"
    }
    captured = capture(loss_with_globals, torch.randn(4, 8), target="cuda-sm90")
    assert captured.metrics.kernels >= 1
    # A constant stays where the module put it.
    assert "device_put" in str(captured["post_grad_graph"])
    assert MODEL.weight.device.type == SCALE.device.type == "cpu"


def test_shared_objects_stay_shared_and_objects_that_need_no_move_are_not_copied() -> (
    None
):
    trainer = Trainer()
    made: dict[int, object] = {}

    def doubled(value: object) -> object:
        if not isinstance(value, Tensor):
            return value
        return made.setdefault(id(value), value.detach() * 2)

    def kept(values: list[object]) -> list[object]:
        return list(values)

    def doubled_all(values: list[object]) -> list[object]:
        return [doubled(value) for value in values]

    same: Any
    same, _ = move_all(trainer.step, (), kept)
    assert same.__self__ is trainer
    moved: Any
    moved, (batch,) = move_all(
        trainer.step, (Batch(trainer.schedules[0].factor),), doubled_all
    )
    copy = moved.__self__
    assert copy is not trainer and copy.owner is copy and copy.loss.__self__ is copy
    assert copy.schedules[0].factor is batch.x and batch.x.item() == 1.0
    assert trainer.schedules[0].factor.item() == 0.5
    assert copy.model in [*contained(copy)]


class Cache:
    """Holds no tensors until it is used."""

    def __init__(self) -> None:
        self.keys: list[Tensor] = []

    def with_mean(self, x: Tensor) -> Tensor:
        self.keys.append(x)
        return torch.cat(self.keys).mean(0)


@pytest.mark.parametrize("target", TARGETS)
def test_containers_that_a_program_fills_start_empty_for_each_side(target: str) -> None:
    cache, seen = Cache(), []

    def appended(x: Tensor) -> Tensor:
        seen.append(x)
        return x * len(seen)

    for program in (cache.with_mean, appended):
        found = numerics(program, torch.randn(2, 8), target=target)
        assert found, str(found)
    assert not cache.keys and not seen


def test_a_backward_inside_the_program_requires_train() -> None:
    with pytest.raises(EagerFailed, match="train=True"):
        numerics(Trainer().step, torch.randn(4, 8), target="native-cpu")
