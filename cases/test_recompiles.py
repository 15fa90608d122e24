"""What makes Dynamo recompile a frame, and what prevents it."""

import dataclasses
import enum
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from pytest_compile_golden.errors import CaptureFailed
from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(target="cpu-avx2")


def doubled(x: Tensor) -> Tensor:
    return x * 2


def test_dtype(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(doubled, calls=[(torch.ones(8),), (torch.ones(8).half(),)])
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


def test_rank(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(doubled, calls=[(torch.ones(8),), (torch.ones(8, 1),)])
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


def test_stride(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(doubled, calls=[(torch.ones(8, 8),), (torch.ones(8, 4, 2).transpose(0, 1)[..., 0],)])
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


def test_gradient_wanted(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(doubled, calls=[(torch.ones(8, requires_grad=True),), (torch.ones(8),)], train=True)
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


def test_size_that_changes_twice(compile_stages: CompileStages, golden: Golden) -> None:
    """The second size makes the dimension dynamic, and the third reuses the code compiled for it."""
    captured = compile_stages(doubled, calls=[(torch.ones(8),), (torch.ones(9),), (torch.ones(10),)])
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


def test_size_of_one(compile_stages: CompileStages, golden: Golden) -> None:
    """A dimension of one is compiled separately, since it may broadcast; the others then share a symbol."""
    captured = compile_stages(doubled, calls=[(torch.ones(1),), (torch.ones(8),), (torch.ones(9),), (torch.ones(1),)])
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


def test_integer(compile_stages: CompileStages, golden: Golden) -> None:
    """An integer argument is a constant at first, then a symbol."""
    captured = compile_stages(lambda x, n: x * n, calls=[(torch.ones(8), n) for n in (3, 4, 5)])
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


def test_string(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, mode: str) -> Tensor:
        return x.sin() if mode == "sin" else x.cos()

    captured = compile_stages(f, calls=[(torch.ones(8), mode) for mode in ("sin", "cos", "sin")])
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


class Mode(enum.Enum):
    SIN = 1
    COS = 2


@dataclasses.dataclass
class Options:
    mode: Mode = Mode.SIN
    scale: float = 2.0


def test_dataclass(compile_stages: CompileStages, golden: Golden) -> None:
    def f(x: Tensor, options: Options) -> Tensor:
        return (x.sin() if options.mode is Mode.SIN else x.cos()) * options.scale

    captured = compile_stages(f, calls=[(torch.ones(8), Options()), (torch.ones(8), Options(Mode.COS))])
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


def test_length_of_a_list(compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(
        lambda tensors: torch.stack(tensors).sum(0), calls=[([torch.ones(8)] * n,) for n in (2, 3)]
    )
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


def test_key_of_a_dict(compile_stages: CompileStages, golden: Golden) -> None:
    def f(options: dict[str, Tensor]) -> Tensor:
        return sum(value.sin() for value in options.values())

    captured = compile_stages(f, calls=[({"a": torch.ones(8)},), ({"a": torch.ones(8), "b": torch.ones(8)},)])
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


def test_aliased_inputs(compile_stages: CompileStages, golden: Golden) -> None:
    """The same tensor passed twice is one graph input."""
    one = torch.ones(8)
    captured = compile_stages(lambda x, y: x + y, calls=[(one, one), (one, torch.ones(8))])
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


SCALE = 2.0


def test_global(compile_stages: CompileStages, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    """A global that the function reads is a guarded constant."""
    monkeypatch.setitem(globals(), "SCALE", 2.0)

    def f(x: Tensor) -> Tensor:
        global SCALE
        y = x * SCALE
        SCALE = SCALE + 1
        return y

    captured = compile_stages(f, calls=[(torch.ones(8),), (torch.ones(8),)])
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


class Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.calls = 0

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return self.linear(x) * self.calls


def test_number_of_a_module(compile_stages: CompileStages, golden: Golden) -> None:
    """A counter stored on a module is a constant, so each call recompiles."""
    captured = compile_stages(Counting(), calls=[(torch.ones(8, 8),)] * 3)
    assert captured.metrics.recompiles == 2
    assert captured["recompiles"] == golden


def test_number_of_a_module_as_a_symbol(compile_stages: CompileStages, golden: Golden) -> None:
    """With `allow_unspec_int_on_nn_module`, the second value makes it a symbol, as for an argument."""
    config = {"dynamo.allow_unspec_int_on_nn_module": True}
    captured = compile_stages(Counting(), calls=[(torch.ones(8, 8),)] * 3, config=config)
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


def test_training_mode(compile_stages: CompileStages, golden: Golden) -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))

    def f(x: Tensor, training: bool) -> Tensor:
        return model.train(training)(x)

    captured = compile_stages(f, calls=[(torch.ones(8, 8), True), (torch.ones(8, 8), False)])
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


def test_closure_per_call(compile_stages: CompileStages, golden: Golden) -> None:
    """Functions created anew share the same code, and their closure cells are guarded."""

    def made(scale: float) -> Any:
        return lambda x: x * scale

    captured = compile_stages(lambda x, f: f(x), calls=[(torch.ones(8), made(s)) for s in (2.0, 3.0)])
    assert captured.metrics.recompiles == 1
    assert captured["recompiles"] == golden


LIMIT = {"dynamo.recompile_limit": 2, "dynamo.automatic_dynamic_shapes": False}


def test_limit_is_an_error(compile_stages: CompileStages) -> None:
    """With `fail_on_recompile_limit_hit`, a frame that reached the limit fails instead of running eagerly."""
    config = {**LIMIT, "dynamo.fail_on_recompile_limit_hit": True}
    with pytest.raises(CaptureFailed, match="FailOnRecompileLimitHit"):
        compile_stages(doubled, calls=[(torch.ones(n),) for n in (8, 9, 10, 11)], config=config)


def test_first_recompile_is_an_error(compile_stages: CompileStages) -> None:
    """With `error_on_recompile`, the first recompile fails, with its reason."""
    with pytest.raises(CaptureFailed, match="size mismatch at index 0"):
        compile_stages(doubled, calls=[(torch.ones(8),), (torch.ones(9),)], config={"dynamo.error_on_recompile": True})
