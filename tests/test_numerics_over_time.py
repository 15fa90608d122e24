"""Programs over time: what is done between calls, modes, gradients of gradients, steps of an optimizer."""

from __future__ import annotations

import inspect
import itertools
from typing import Any, ClassVar

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


SEEN: list[int] = []
COUNT = 0


def counted(x: Tensor) -> Tensor:
    global COUNT
    COUNT += 1
    SEEN.append(x.shape[0])
    return x * COUNT


class Recorded:
    names: ClassVar[list[str]] = []

    def __init__(self) -> None:
        self.log: list[int] = []

    def __call__(self, x: Tensor) -> Tensor:
        self.log.append(len(self.log))
        Recorded.names.append("call")
        return x + len(self.log)


class Remembering(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.last = torch.zeros(4)

    def forward(self, x: Tensor) -> Tensor:
        self.count += 1
        self.last = x * 3
        return x + 1


def counter() -> Any:
    count = 0

    def count_up(x: Tensor) -> Tensor:
        nonlocal count
        count += 1
        return x + count

    return count_up


def remember(x: Tensor, seen: dict[str, int]) -> Tensor:
    seen["calls"] = seen.get("calls", 0) + 1
    return x + 1


def test_what_a_program_changes_besides_tensors_is_put_back_and_compared() -> None:
    for program in (counted, Recorded(), Remembering(), counter()):
        found = numerics(program, calls=[(GIVEN,), (GIVEN,)])
        assert found, str(found)
    assert numerics(remember, GIVEN, {})
    assert (COUNT, SEEN, Recorded.names) == (0, [], [])


@pytest.mark.parametrize(
    ("program", "given", "lost", "what"),
    [
        (counted, (GIVEN,), lambda: SEEN.pop(), "SEEN[0]"),
        (Remembering(), (GIVEN,), lambda self: setattr(self, "count", 0), "self.count"),
        (Remembering(), (GIVEN,), lambda self: delattr(self, "last"), "last"),
        (Recorded(), (GIVEN,), lambda self: self.log.pop(), "self.log[0]"),
        (Recorded(), (GIVEN,), lambda: Recorded.names.pop(), "Recorded.names[0]"),
        (remember, (GIVEN, {}), lambda x, seen: seen.clear(), "seen['calls']"),
    ],
    ids=["global", "module", "tensor", "object", "class", "input"],
)
def test_a_change_that_compiled_code_loses_is_found(
    program: Any,
    given: Any,
    lost: Any,
    what: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted where a program is compiled: the change is undone after each call."""
    compile_ = torch.compile

    def forgetting(fn: Any, **options: Any) -> Any:
        compiled = compile_(fn, **options)

        def call(*inputs: Any) -> Any:
            result = compiled(*inputs)
            parameters = inspect.signature(lost).parameters
            lost(*([fn] if "self" in parameters else inputs[: len(parameters)]))
            return result

        return call

    monkeypatch.setattr(torch, "compile", forgetting)
    found = numerics(program, *given)
    assert found.first is not None and found.first.verdict == "compiled", str(found)
    assert (found.first.what, found.first.call) == (f"{what} after the call", "call 1")


def test_a_program_that_is_another_each_time_is_not_judged() -> None:
    number = itertools.count()

    @torch.compiler.disable
    def drawn(x: Tensor) -> Tensor:
        return x + next(number)

    found = numerics(lambda x: drawn(x * 2) + 1, GIVEN)
    assert found.first is not None and found.first.verdict == "undecided", str(found)
    assert "something else each time" in str(found)
