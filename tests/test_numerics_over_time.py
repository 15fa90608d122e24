"""Programs over time: what is done between calls, modes, gradients of gradients, steps of an optimizer."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from pytest_compile_golden import Call, capture, numerics
from pytest_compile_golden.errors import InvalidOption

SCALE = 2.0


class Doubling(torch.nn.Module):
    def scale(self, x: Tensor) -> Tensor:
        return x * 2

    def forward(self, x: Tensor) -> Tensor:
        return self.scale(x) + 1


def by_nine(self: Any, x: Tensor) -> Tensor:
    return x * 9


def replace_method() -> None:
    Doubling.scale = by_nine  # type: ignore[method-assign]


def replace_code() -> None:
    Doubling.scale.__code__ = by_nine.__code__


def change_global() -> None:
    global SCALE
    SCALE = 3.0


def scaled(x: Tensor) -> Tensor:
    return MODEL(x) * SCALE


MODEL = Doubling()
GIVEN = torch.arange(4.0)


def test_a_global_is_changed_on_both_sides() -> None:
    found = numerics(scaled, calls=[(GIVEN,), Call((GIVEN,), before=change_global)])
    assert found and found.calls == 3, str(found)
    assert SCALE == 2.0


@pytest.mark.parametrize("before", [replace_method, replace_code])
def test_a_change_that_no_guard_sees_is_found(before: Any) -> None:
    """No guard of torch 2.13 looks at a method of a module's class, or at its code."""
    method, code = Doubling.scale, Doubling.scale.__code__
    found = numerics(
        lambda x: MODEL(x), calls=[(GIVEN,), Call((GIVEN,), before=before)]
    )
    assert found.first is not None or torch.__version__ >= "2.14"
    assert found.first is None or (found.first.call, found.first.verdict) == (
        "call 2",
        "compiled",
    ), str(found)
    assert Doubling.scale is method and method.__code__ is code


def test_weights_are_loaded_and_inputs_changed_on_copies() -> None:
    model, x = torch.nn.Linear(4, 4), torch.ones(2, 4)
    other = torch.nn.Linear(4, 4).state_dict()

    def load() -> None:
        model.load_state_dict(other)
        x.add_(1)

    before = {name: value.clone() for name, value in model.state_dict().items()}
    assert numerics(lambda x: model(x), calls=[(x,), Call((x,), before=load)])
    assert (
        all(
            torch.equal(value, before[name])
            for name, value in model.state_dict().items()
        )
        and float(x.sum()) == 8
    )


def test_an_optimizer_steps_between_calls() -> None:
    model, x = torch.nn.Linear(4, 4), torch.randn(2, 4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)

    def step() -> None:
        optimizer.step()
        optimizer.zero_grad()

    calls = [(x,), *(Call((x,), before=step) for _ in range(3))]
    found = numerics(lambda x: model(x).sin(), calls=calls, train=True)
    assert found and found.calls == 5, str(found)


def test_each_call_has_its_mode() -> None:
    x = torch.randn(4, 4, requires_grad=True)
    calls = [
        Call((x,), mode=mode) for mode in ("no_grad", "inference", "autocast", "grad")
    ]
    found = numerics(lambda x: (x @ x).sin(), calls=calls, train=True)
    assert found and found.calls == 5, str(found)
    captured = capture(lambda x: x.sin(), calls=calls[:2])
    assert captured.recompiles == 1
    with pytest.raises(InvalidOption, match=r"calls\[0\].mode takes one of"):
        numerics(torch.sin, calls=[Call((x,), mode="fast")])  # type: ignore[arg-type]


def test_backward_twice_and_of_backward() -> None:
    x = torch.randn(4, requires_grad=True)
    for way in ("twice", "double"):
        found = numerics(
            lambda x: x.sin() * x, calls=[Call((x,), backward=way)], train=True
        )
        assert found, str(found)
        refused = [text for text in found.not_compared if "double backward" in text]
        assert bool(refused) == (way == "double"), str(found)
