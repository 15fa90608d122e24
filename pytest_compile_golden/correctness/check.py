"""One numerics check: the same calls to eager and to compiled code, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
import torch._dynamo.utils

from pytest_compile_golden.correctness.compare import Tolerance, differences
from pytest_compile_golden.correctness.copies import Copies, Precise, Redrawn
from pytest_compile_golden.correctness.reference import Recorder, Reference, in_float64
from pytest_compile_golden.correctness.result import Numerics
from pytest_compile_golden.correctness.run import Call, Cotangents, Observation, run
from pytest_compile_golden.errors import EagerFailed, NothingCompiled
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.observe.compile import place_all, something_to_differentiate_by, undisturbed, warm
from pytest_compile_golden.observe.failures import translated
from pytest_compile_golden.targets import Target
from pytest_compile_golden.targets.place import Placement


class _Program:
    """The function and its calls, of which every run gets a copy."""

    def __init__(self, fn: Callable[..., Any], calls: Sequence[tuple[Any, ...]], kwargs: Mapping[str, Any]) -> None:
        self._originals = fn, list(calls), dict(kwargs)

    def copy(self, copies: Placement, seed: int) -> tuple[Callable[..., Any], list[Call]]:
        """The function on its own, and the calls: each, the first again, and with other values where it is alone."""
        fn, (calls, kwargs) = place_all(self._originals[0], self._originals[1:], copies.tree)
        made = [Call(f"call {place}", args, kwargs) for place, args in enumerate(calls, start=1)]
        made.append(Call(f"call {len(made) + 1} (the first again)", calls[0], kwargs))
        if len(calls) == 1:
            others, other_kwargs = Redrawn(seed).tree(self._originals[1:])
            if isinstance(copies, Precise):
                others, other_kwargs = copies.tree((others, other_kwargs))
            made.append(Call(f"call {len(made) + 1} (other values)", others[0], other_kwargs))
        return fn, made


def check(
    fn: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    kwargs: Mapping[str, Any],
    target: Target,
    *,
    train: bool,
    config: Mapping[str, Any],
    options: Mapping[str, Any],
    tolerance: Tolerance,
    seed: int,
) -> Numerics:
    """Run `fn` on `target`, which is active; see `pytest_compile_golden.numerics`. `options` are torch.compile's."""
    name = getattr(fn, "__qualname__", type(fn).__qualname__)
    with ExitStack() as stack:
        warm(target.device_type)
        placed, (placed_calls, placed_kwargs) = place_all(fn, (list(calls), dict(kwargs)), target.place)
        if train:
            stack.enter_context(something_to_differentiate_by(placed, (placed_calls, placed_kwargs)))
        # Inductor's own random numbers are others than eager's: both sides ask torch's generator, seeded alike.
        stack.enter_context(undisturbed(train, {"fallback_random": True, **config}))
        stack.enter_context(_device_generators(target))
        program = _Program(placed, placed_calls, placed_kwargs)
        cotangents = Cotangents(seed) if train else None

        own, own_calls = program.copy(Copies(), seed)
        with _eager_itself(name, target):
            eager = run(own, own_calls, entry=None, cotangents=cotangents)
        own, own_calls = program.copy(Copies(), seed)
        entry = torch.compile(own, backend="inductor", **options)
        with translated(fn, target):
            compiled = run(own, own_calls, entry=entry, cotangents=cotangents)
        if not torch._dynamo.utils.counters["stats"]["unique_graphs"]:
            raise NothingCompiled(
                f"torch.compile compiled nothing of {name}, so that there is nothing to compare with eager. It may "
                "have no tensor operations, or be excluded with torch.compiler.disable."
            )
        reference = Reference(lambda moved: _in_float64(program, moved, cotangents, seed))
        found = list(differences(eager, compiled, reference, tolerance))
    return Numerics(
        function=name,
        target=target.name,
        differences=tuple(each for each in found if each.off != "eager"),
        eager_off=tuple(each for each in found if each.off == "eager"),
        calls=len(own_calls),
        compared=sum(len(each.values) for each in eager),
        no_reference=reference.missing,
    )


@contextmanager
def _eager_itself(name: str, target: Target) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        said = split_lines(str(error).strip())
        raise EagerFailed(
            f"{name} does not run in eager mode on {target.name}, so that there is nothing to compare with: "
            f"{type(error).__name__}: {said[0] if said else ''}"
        ) from error


def _in_float64(program: _Program, moved: int | None, cotangents: Cotangents | None, seed: int) -> list[Observation]:
    own, own_calls = program.copy(Copies(), seed)
    with Recorder() as recorder:
        run(own, own_calls, entry=None, cotangents=cotangents)
    precise = Precise(moved)
    own, own_calls = program.copy(precise, seed)
    start = cotangents and cotangents.moved(precise.values)
    with in_float64(recorder.drawn):
        return run(own, own_calls, entry=None, cotangents=start)


@contextmanager
def _device_generators(target: Target) -> Iterator[None]:
    """Put the GPU's random state back; the CPU's is part of every capture's isolation."""
    if target.device_type != "cuda":
        yield
        return
    before = torch.cuda.get_rng_state()
    try:
        yield
    finally:
        torch.cuda.set_rng_state(before)
