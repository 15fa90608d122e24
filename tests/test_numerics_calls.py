"""Which calls numerics makes of a program, and the state that each run of them starts from."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden import numerics


@pytest.mark.parametrize("target", ["native-cpu", "cuda-sm90"])
@pytest.mark.parametrize(
    ("program", "x", "calls"),
    [
        (lambda p: torch.bernoulli(p) * 2, torch.rand(8), 3),
        (lambda p: F.binary_cross_entropy(p, p.round()), torch.rand(8), 3),
        (torch.linalg.cholesky, torch.eye(4) + 0.1, 2),
    ],
    ids=["bernoulli", "cross entropy", "cholesky"],
)
def test_values_that_a_program_rejects_are_left_out(
    program: Callable[[Tensor], Tensor], x: Tensor, calls: int, target: str
) -> None:
    found = numerics(program, x, target=target)
    assert found and found.calls == calls, str(found)


class Cache:
    """Room for five tokens."""

    seen: ClassVar[list[int]] = []
    """The lengths that `record` saw, in all runs."""

    def __init__(self) -> None:
        self.keys = torch.zeros(5, 4)
        self.length = 0

    def append(self, keys: Tensor) -> Tensor:
        self.keys[self.length : self.length + len(keys)] = keys
        self.length += len(keys)
        return self.keys[: self.length]

    @torch.compiler.disable
    def record(self) -> None:
        self.seen.append(self.length)


@pytest.mark.parametrize("target", ["native-cpu", "cuda-sm90"])
def test_a_repeated_call_that_a_program_rejects_is_left_out(target: str) -> None:
    def attend(query: Tensor, cache: Cache) -> Tensor:
        return (query @ cache.append(query).T).softmax(-1)

    four, one = (
        numerics(attend, torch.randn(tokens, 4), Cache(), target=target)
        for tokens in (4, 1)
    )
    assert four and one, f"{four}\n{one}"
    # Other values come with a cache of their own.
    assert four.calls == one.calls - 1 > 1


def test_the_state_of_an_object_is_its_own_in_each_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Cache, "seen", [])

    def scaled(x: Tensor, cache: Cache) -> Tensor:
        cache.length += 1
        cache.record()
        return x * cache.length

    found = numerics(scaled, torch.randn(4), Cache())
    assert found, str(found)
    assert "a call leaves what the next one sees" in str(found.not_compared)
    # Three calls that try whether eager takes special values. Then per run: the given call, the same again, and those
    # with other and with special values, which come with a cache of their own each.
    assert Cache.seen[:15] == [1, 1, 1] + [1, 2, 1, 1, 1, 1] * 2


def test_a_generator_has_the_same_state_in_each_run() -> None:
    generator = torch.Generator()
    state = generator.get_state()
    assert numerics(
        lambda x, by: torch.rand(4, generator=by) + x, torch.randn(4), generator
    )
    assert numerics(lambda x: torch.rand(4, generator=generator) + x, torch.randn(4))
    assert torch.equal(generator.get_state(), state)


def test_unsigned_values_that_torch_cannot_compare() -> None:
    assert numerics(
        lambda x: x.to(torch.int32) + 1, torch.tensor([65535, 1], dtype=torch.uint16)
    )
